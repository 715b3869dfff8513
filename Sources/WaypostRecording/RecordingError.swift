import WaypostSystem

/// What can go wrong with the log.
public enum RecordingError: Error, Sendable, Equatable {
    /// Another recorder has this log folder: its process id, when it is known.
    case alreadyInUse(folder: String, holder: Int32?)
    /// The log folder cannot be made or used.
    case cannotPrepare(folder: String, cause: SystemError)
    /// A fix could not be written; it is not in the log, all before it are.
    case cannotAppend(path: String, cause: SystemError)
    /// What was written could not be brought to the disk; it may be lost in a power cut.
    case cannotSynchronize(path: String, cause: SystemError)
    /// A journal cannot be read.
    case cannotRead(path: String, cause: SystemError)
    /// A journal was written by a later version of this program.
    case unsupportedVersion(path: String, version: Int)
    /// A GPX file cannot be written; its journal stays, and the next recovery tries again.
    case cannotFinish(path: String, cause: SystemError)
    /// The recorder was closed.
    case closed

    /// Whether the same may succeed later without anybody changing the set-up.
    public var isTemporary: Bool {
        switch self {
        case .alreadyInUse, .unsupportedVersion, .closed: false
        case .cannotPrepare(_, let cause), .cannotAppend(_, let cause), .cannotSynchronize(_, let cause), .cannotRead(_, let cause),
            .cannotFinish(_, let cause):
            cause.isTemporary
        }
    }
}
