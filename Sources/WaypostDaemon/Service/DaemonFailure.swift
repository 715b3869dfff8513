import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// An unplanned end of the tracker: one line for people and an exit code for scripts.
///
/// All messages of the program's own failures are here.
struct DaemonFailure: Error {
    let status: ExitStatus
    /// The lines to print, each after the program's name.
    let lines: [String]

    init(_ status: ExitStatus, _ line: String) {
        self.status = status
        lines = [line]
    }

    /// A failure that was reported when it happened.
    init(told status: ExitStatus) {
        self.status = status
        lines = []
    }

    init(usage problem: String) {
        self.init(.usage, "usage: \(problem); see waypostd --help")
    }

    init(_ errors: ConfigurationErrors) {
        status = errors.isNotFound ? .inputMissing : .badConfiguration
        lines = errors.errors.map { "\($0)" }
    }

    init(_ error: RecordingError) {
        switch error {
        case .alreadyInUse(let folder, let holder):
            let who = holder.map { "process \($0)" } ?? "another process"
            self.init(.cannotCreate, "\(folder): \(who) records there already; stop it or use another --log")
        case .cannotPrepare(_, let cause) where cause.isOddFile:
            self.init(.cannotCreate, "\(cause.path ?? "the log"): \(cause.reason)")
        case .cannotPrepare(let folder, let cause):
            // So that the service sees every place that its unit does not let it write to.
            let unit = "sudo systemctl edit waypostd, and under [Service] ReadWritePaths=\(folder)"
            let next =
                cause.isReadOnly
                ? "name a folder on a disk that can be written, or if it is the service that may not write there: \(unit)"
                : "make it writable or use another --log"
            self.init(.cannotCreate, "\(folder): cannot be used for the log: \(cause.reason); \(next)")
        case .cannotSynchronize(let path, let cause) where error.isDisplacement:
            self.init(.inputOutput, "\(path): \(cause.reason)")
        case .cannotAppend(let path, let cause), .cannotSynchronize(let path, let cause), .cannotFinish(let path, let cause),
            .cannotAcknowledge(let path, let cause), .cannotErase(let path, let cause):
            self.init(.inputOutput, "\(path): cannot be written: \(cause.reason)")
        case .cannotRead(let path, let cause):
            self.init(.inputOutput, "\(path): cannot be read: \(cause.reason)")
        case .unsupportedVersion(let path, let version):
            self.init(
                .badData,
                """
                \(path): has journal format \(version), but this waypost reads only format \(JournalFormatError.readableVersion); it stays as \
                it is: move it out of the log, or read it with the waypost that wrote it
                """)
        case .cannotDelete(let path, let cause):
            self.init(.inputOutput, "\(path): cannot be deleted: \(cause.reason)")
        case .invalidPuller(let name):
            self.init(.usage, "\(name): no name of a puller")
        case .unknownCursor(let cursor, let last):
            self.init(.badData, "\(cursor): no cursor of this log, whose last record is \(last)")
        case .tooManyPullers(let limit):
            self.init(.cannotCreate, "\(limit) pullers are known already; forget those that do not come any more")
        case .damagedPullers(let path):
            self.init(.badData, "\(path): damaged, so nothing counts as pulled; remove it, and let the pullers acknowledge again")
        case .closed:
            self.init(.failed, "the log is closed")
        }
    }

    init(_ error: PositionSourceError) {
        switch error {
        case .cannotOpen(let path, let reason): self.init(.inputMissing, "\(path): cannot be opened: \(reason)")
        case .cannotRead(let path, let reason): self.init(.inputOutput, "\(path): cannot be read: \(reason)")
        case .unusable(let path, let reason): self.init(.badData, "\(path): \(reason)")
        }
    }

    init(_ error: ControlError) {
        self.init(.cannotCreate, "\(error)")
    }
}
