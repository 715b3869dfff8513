import Glibc

/// A file that is read piece by piece, from its start or from any offset.
public struct FileReader: ~Copyable {
    /// Where it is.
    public let path: String
    private let descriptor: Int32

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - trust: nil when it may also be a pipe or device; the call then waits for its other end.
    public init(path: String, as trust: FileTrust? = nil) throws(SystemError) {
        descriptor = if let trust { try Syscalls.open(path, O_RDONLY, as: trust) } else { try Syscalls.open(path, O_RDONLY) }
        self.path = path
    }

    deinit {
        Syscalls.close(descriptor)
    }

    /// The next bytes, at most that many; none at the end.
    public func read(upTo count: Int = 65_536) throws(SystemError) -> [UInt8] {
        do {
            return try Syscalls.read(descriptor, upTo: count)
        } catch {
            throw SystemError(code: error.code, operation: error.operation, path: path)
        }
    }

    /// The bytes at that offset, at most that many; none at the end.
    ///
    /// ``read(upTo:)`` goes on where it was.
    public func read(at offset: Int64, upTo count: Int) throws(SystemError) -> [UInt8] {
        do {
            return try Syscalls.read(descriptor, at: offset, upTo: count)
        } catch {
            throw SystemError(code: error.code, operation: error.operation, path: path)
        }
    }

    /// The offset, at or after this one, at which bytes other than zeros may begin; nil when only space that was never written follows.
    ///
    /// On a file system that cannot tell the two apart this is the given offset. Afterwards the position of ``read(upTo:)`` is undefined.
    public func content(from offset: Int64) throws(SystemError) -> Int64? {
        do {
            return try Syscalls.seekContent(descriptor, from: offset, path: path)
        } catch {
            if error.code == ENXIO { return nil }
            if error.code == EINVAL { return offset }
            throw error
        }
    }

    /// Whether the file still has that name.
    public func isNamed(_ path: String) -> Bool { Syscalls.isNamed(descriptor, path) }

    /// Whether the file still has a name.
    public var hasName: Bool { Syscalls.hasName(descriptor) }

    /// How many bytes the file has now; nil for anything but an ordinary file.
    public var byteCount: Int64? { Syscalls.size(descriptor) }
}
