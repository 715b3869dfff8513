#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// A call to the operating system that failed.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The `errno` value.
    public var code: Int32
    /// What was being done, as a person would say it: `open`, `write`, `connect`.
    public var operation: String
    /// The file, socket or device concerned, when there is one.
    public var path: String?
    /// What is wrong, where the system's words would not say.
    private var explanation: String?

    /// A failure with that `errno` value.
    public init(code: Int32, operation: String, path: String? = nil) {
        self.code = code
        self.operation = operation
        self.path = path
    }

    /// The same failure in words of ours.
    public func explained(_ words: String) -> SystemError {
        var error = self
        error.explanation = words
        return error
    }

    /// Whether the same call may succeed later without anybody changing the set-up.
    public var isTemporary: Bool {
        [
            EINTR, EAGAIN, EBUSY, ENOMEM, ENOBUFS, EIO, ENOSPC, EDQUOT, ETIMEDOUT, ECONNREFUSED, ECONNRESET, ENETUNREACH, EHOSTUNREACH,
            EPIPE, ENXIO, ENODEV, ENOENT,
        ].contains(code)
    }

    /// Whether there is nothing of that name.
    public var isMissing: Bool { code == ENOENT }

    /// Whether this user may not do it.
    public var isNotPermitted: Bool { code == EACCES || code == EPERM }

    /// Whether the disk is mounted so that nothing can be written, or a service manager lets this service see it so.
    public var isReadOnly: Bool { code == EROFS }

    /// Whether there is no room on the disk, or none that this user may have.
    public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether nobody reads any more what is written.
    public var isBrokenPipe: Bool { code == EPIPE }

    /// The error of a file that is not there.
    public static func isMissing(_ path: String) -> SystemError { SystemError(code: ENOENT, operation: "find", path: path) }

    /// The error of an open file that its path does not lead to any more.
    public static func isDisplaced(_ path: String) -> SystemError {
        isMissing(path).explained("it, or a folder above it, was removed, moved or unmounted")
    }

    /// The error of using a folder as a file.
    public static func isFolder(_ path: String) -> SystemError { SystemError(code: EISDIR, operation: "open", path: path) }

    /// The error of a folder in a folder of ours that is none, or a link to one.
    public static func notOwnFolder(_ path: String) -> SystemError {
        SystemError(code: ENOTDIR, operation: "open", path: path).explained("is a link or no folder, which is not followed here")
    }

    /// The system's words for the code, `No such file or directory`, or our own.
    public var reason: String {
        if let explanation { return explanation }
        var text = [CChar](repeating: 0, count: 256)
        // The XSI form: fills the buffer; the GNU form is not imported.
        guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// One line: `open /dev/ttyUSB0: Permission denied`.
    public var description: String {
        path.map { "\(operation) \($0): \(reason)" } ?? "\(operation): \(reason)"
    }
}
