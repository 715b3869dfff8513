import WaypostSystem

extension RecordingError: CustomStringConvertible {
    /// One line for people: what cannot be done, and why.
    public var description: String {
        switch self {
        case .alreadyInUse(let folder, let holder):
            "\(folder): \(holder.map { "process \($0)" } ?? "another process") records there already"
        case .cannotPrepare(_, let cause) where cause.isOddFile: "\(cause.path ?? "the log"): \(cause.reason)"
        case .cannotPrepare(let folder, let cause): "\(folder): cannot be used for the log: \(cause.reason)"
        case .cannotSynchronize(let path, let cause) where isDisplacement: "\(path): \(cause.reason)"
        case .cannotAppend(let path, let cause), .cannotSynchronize(let path, let cause), .cannotFinish(let path, let cause),
            .cannotAcknowledge(let path, let cause), .cannotErase(let path, let cause):
            "\(path): cannot be written: \(cause.reason)"
        case .cannotRead(let path, let cause): "\(path): cannot be read: \(cause.reason)"
        case .unsupportedVersion(let path, let version):
            """
            \(path): has journal format \(version), but this waypost reads only format \(JournalFormatError.readableVersion); it stays as \
            it is: move it out of the log, or read it with the waypost that wrote it
            """
        case .cannotDelete(let path, let cause): "\(path): cannot be deleted: \(cause.reason)"
        case .invalidPuller(let name): "\(name): is not a valid name of a puller"
        case .unknownCursor(let cursor, let last): "\(cursor): is not a cursor of this log, whose last record is \(last)"
        case .tooManyPullers(let limit): "\(limit) pullers are known already; forget those that do not come any more"
        case .damagedPullers(let path): "\(path): \(RecordingError.damagedPullersWords)"
        case .closed: "the log is closed"
        }
    }
}

extension RecordingError {
    /// What is wrong with a damaged list of pullers, and what to do, without its path.
    static let damagedPullersWords = "damaged, so nothing counts as pulled; remove it, and let the pullers acknowledge again"
}
