import WaypostSystem

/// What can go wrong with the log.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RecordingError: Error, Sendable, Equatable {
    /// Another recorder uses this log folder; its process id, when known.
    case alreadyInUse(folder: String, holder: Int32?)
    /// The log folder cannot be created or used.
    case cannotPrepare(folder: String, cause: SystemError)
    /// A fix could not be written; it is not in the log, but all earlier ones are.
    case cannotAppend(path: String, cause: SystemError)
    /// Written records could not be synchronized with the disk; a power cut may lose them.
    case cannotSynchronize(path: String, cause: SystemError)
    /// A journal cannot be read.
    case cannotRead(path: String, cause: SystemError)
    /// A journal was written by another version of this program; it is left unchanged.
    case unsupportedVersion(path: String, version: Int)
    /// A GPX file cannot be written; its journal stays, and the next recovery tries again.
    case cannotFinish(path: String, cause: SystemError)
    /// Tracks that are too old or too many cannot be deleted.
    case cannotDelete(path: String, cause: SystemError)
    /// An invalid name for a puller; see ``Pullers/isValid(name:)``.
    case invalidPuller(name: String)
    /// A cursor after the last record of the log.
    case unknownCursor(UInt64, last: UInt64)
    /// No further puller can be added.
    case tooManyPullers(limit: Int)
    /// The file of the pullers is damaged; nothing counts as pulled until it is removed.
    case damagedPullers(path: String)
    /// An acknowledgement could not be stored.
    case cannotAcknowledge(path: String, cause: SystemError)
    /// A stretch could not be erased; the next recovery continues.
    case cannotErase(path: String, cause: SystemError)
    /// The recorder was closed.
    case closed

    /// Whether the log folder, or the journal in it, was removed, moved or unmounted.
    public var isDisplacement: Bool {
        if case .cannotSynchronize(_, let cause) = self { cause.isMissing } else { false }
    }

    /// Whether one journal cannot be read, whenever it is tried: it is of another version, or not an ordinary file.
    var isOfOneJournal: Bool {
        switch self {
        case .unsupportedVersion: true
        case .cannotRead(_, let cause): cause.isOddFile
        default: false
        }
    }

    /// Whether the same call may succeed later without a change to the set-up.
    public var isTemporary: Bool {
        switch self {
        case .alreadyInUse, .unsupportedVersion, .invalidPuller, .unknownCursor, .tooManyPullers, .damagedPullers, .closed:
            false
        case .cannotPrepare(_, let cause), .cannotAppend(_, let cause), .cannotSynchronize(_, let cause), .cannotRead(_, let cause),
            .cannotFinish(_, let cause), .cannotAcknowledge(_, let cause), .cannotErase(_, let cause), .cannotDelete(_, let cause):
            cause.isTemporary
        }
    }
}

extension RecordingError {
    /// Creates the error for a journal, with its path.
    init(_ error: JournalFormatError, path: String) {
        switch error {
        case .unsupportedVersion(let version): self = .unsupportedVersion(path: path, version: version)
        }
    }
}
