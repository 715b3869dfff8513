import Glibc

/// A file that is read from its start, piece by piece.
public struct FileReader: ~Copyable {
    /// Where it is.
    public let path: String
    private let descriptor: Int32

    /// Opens the file.
    public init(path: String) throws(SystemError) {
        descriptor = try Syscalls.open(path, O_RDONLY)
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
}
