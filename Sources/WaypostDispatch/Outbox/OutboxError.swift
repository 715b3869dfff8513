import WaypostSystem

/// A failure of the outbox.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum OutboxError: Error, Equatable, Sendable {
    /// The file cannot be opened or created.
    case cannotOpen(path: String, reason: String)
    /// Another version of this program wrote it; it is left as it is.
    case otherVersion(path: String, version: Int)
    /// The disk has no space; nothing was accepted.
    case full(path: String)
    /// The file cannot be read or written; nothing was accepted.
    case cannotAccess(path: String, reason: String)
    /// Another program holds a lock on the file; nothing was accepted.
    case locked(path: String)
    /// It is open already, in the process of that number if that is known: an outbox has one owner at a time.
    ///
    /// Also for a log that another dispatcher sends.
    case inUse(path: String, holder: Int32?)
    /// The file was removed or replaced while it was open; nothing was accepted.
    case gone(path: String)
    /// An entry is longer than ``OutboxEntry/maximumByteCount``.
    case tooLong(byteCount: Int, limit: Int)
    /// The values of an entry are nested deeper than ``OutboxEntry/maximumDepth``.
    case tooDeep(limit: Int)
    /// No destination of that name was ever attached.
    case unknownDestination(name: String)
    /// A destination of that name is attached already.
    case alreadyAttached(name: String)

    /// A failure of SQLite or of the system; no other errors are thrown where files are replaced.
    init(_ error: any Error, at path: String) {
        switch error {
        case let error as SQLiteError: self = OutboxError(error)
        case let error as SystemError: self = error.isDiskFull ? .full(path: path) : .cannotAccess(path: path, reason: error.reason)
        default: preconditionFailure("\(error) is thrown by neither SQLite nor the system")
        }
    }

    init(_ error: SQLiteError) {
        switch error.kind {
        case .full: self = .full(path: error.path)
        case .cannotOpen, .readOnly: self = .cannotOpen(path: error.path, reason: error.reason)
        case .busy: self = .locked(path: error.path)
        case .corrupt, .inputOutput, .constraint, .other: self = .cannotAccess(path: error.path, reason: error.reason)
        }
    }

    /// Whether the same call may succeed later without a change of the set-up.
    public var isTemporary: Bool {
        switch self {
        case .full, .cannotAccess, .locked, .inUse, .gone: true
        case .cannotOpen, .otherVersion, .tooLong, .tooDeep, .unknownDestination, .alreadyAttached: false
        }
    }
}

extension OutboxError: CustomStringConvertible {
    /// One line for people, with the remedy.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "\(path): cannot be opened: \(reason)"
        case .otherVersion(let path, let version):
            """
            \(path): has outbox format \(version), but this waypost reads only format \(OutboxSchema.version); it stays as it is: send what \
            waits in it with the waypost that wrote it, or move it away
            """
        case .full(let path): "\(path): there is no room on the disk"
        case .cannotAccess(let path, let reason): "\(path): cannot be read or written: \(reason)"
        case .locked(let path): "another program holds a lock on \(path): nothing can be kept there until it ends its transaction"
        case .inUse(let path, SystemProcess.processID):
            "\(path): this program uses it already; stop the dispatcher that does before another one begins"
        case .inUse(let path, let holder):
            "\(path): \(holder.map { "process \($0)" } ?? "another program") is using it; stop that first, or use another folder"
        case .gone(let path):
            "\(path): was removed or replaced while it was in use; bring its folder back, or take away what is there in its place"
        case .tooLong(let byteCount, let limit): "event: has \(byteCount) bytes, and the outbox takes \(limit); say less"
        case .tooDeep(let limit): "event: its values are more than \(limit) levels deep; nest them less"
        case .unknownDestination(let name): "destination \"\(name)\": there is none of that name; see waypost dispatch"
        case .alreadyAttached(let name):
            "destination \"\(name)\": one of that name is attached already; detach that first, or give this one another name"
        }
    }
}
