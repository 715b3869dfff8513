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
    /// The problem in other words, where the system's message would be unclear.
    private var explanation: String?
    /// Whether a folder, a link, a FIFO or the like is where a program keeps a file of its own.
    public private(set) var isOddFile = false

    /// A failure with that `errno` value.
    public init(code: Int32, operation: String, path: String? = nil) {
        self.code = code
        self.operation = operation
        self.path = path
    }

    /// The same failure with a message of our own.
    public func explained(_ words: String) -> SystemError {
        var error = self
        error.explanation = words
        return error
    }

    /// The failure of using what is at a path as a program's own file: it is a folder, a link, a FIFO or the like.
    static func oddFile(_ path: String, _ what: String, code: Int32 = EINVAL) -> SystemError {
        var error = SystemError(code: code, operation: "open", path: path).explained("\(what); move it away")
        error.isOddFile = true
        return error
    }

    /// Whether the same call may succeed later without a change to the set-up.
    public var isTemporary: Bool {
        [
            EINTR, EAGAIN, EBUSY, ENOMEM, ENOBUFS, EIO, ENOSPC, EDQUOT, ETIMEDOUT, ECONNREFUSED, ECONNRESET, ENETUNREACH, EHOSTUNREACH,
            EPIPE, ENXIO, ENODEV, ENOENT,
        ].contains(code)
    }

    /// Whether nothing has that name.
    public var isMissing: Bool { code == ENOENT }

    /// Whether this user is not allowed to do it.
    public var isNotPermitted: Bool { code == EACCES || code == EPERM }

    /// Whether another program listens at the address.
    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// Whether the address is none of this machine, at least for now.
    public var isAddressMissing: Bool { code == EADDRNOTAVAIL }

    /// Whether the disk is mounted read-only, or the service manager makes it read-only for this service.
    public var isReadOnly: Bool { code == EROFS }

    /// Whether the disk is full, or this user's quota is used up.
    public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the output has no reader any more.
    public var isBrokenPipe: Bool { code == EPIPE }

    /// The error of a file that is not there.
    public static func isMissing(_ path: String) -> SystemError { SystemError(code: ENOENT, operation: "find", path: path) }

    /// The error of an open file that is no longer found at its path.
    public static func isDisplaced(_ path: String) -> SystemError {
        isMissing(path).explained("it, or a folder above it, was removed, moved or unmounted")
    }

    /// The error of using a folder as a file.
    public static func isFolder(_ path: String) -> SystemError { SystemError(code: EISDIR, operation: "open", path: path) }

    /// The error of a folder inside one of our folders that is not a folder, or a link to one.
    public static func notOwnFolder(_ path: String) -> SystemError {
        SystemError(code: ENOTDIR, operation: "open", path: path).explained("is a link or not a folder, which is not followed here")
    }

    /// The error of a folder of our own in a place where it would do harm.
    public static func isMisplaced(_ path: String, _ words: String) -> SystemError {
        SystemError(code: EINVAL, operation: "use", path: path).explained(words)
    }

    /// The system's message for the code, `No such file or directory`, or our own.
    public var reason: String {
        if let explanation { return explanation }
        var text = [CChar](repeating: 0, count: 256)
        // The XSI form fills the buffer; the GNU form is not imported.
        guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The URL of a destination is not that of a web server; it may hold a secret, and is not shown.
    package static var notWebServer: SystemError {
        SystemError(code: EINVAL, operation: "use the URL of a destination")
            .explained("it must begin with https:// or http://, name a host, and hold no control character")
    }

    /// A header of a destination cannot be sent; its value may be a secret, and is not shown.
    package static func unsendableHeader(_ words: String) -> SystemError {
        SystemError(code: EINVAL, operation: "use the headers of a destination").explained(words)
    }

    /// One line: `open /dev/ttyUSB0: Permission denied`.
    public var description: String {
        path.map { "\(operation) \($0): \(reason)" } ?? "\(operation): \(reason)"
    }
}
