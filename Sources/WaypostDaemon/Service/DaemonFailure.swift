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
        let status: ExitStatus
        var next = ""
        switch error {
        case .alreadyInUse: (status, next) = (.cannotCreate, "; stop it or use another --log")
        case .cannotPrepare(_, let cause) where cause.isOddFile: status = .cannotCreate
        case .cannotPrepare(let folder, let cause):
            // So that the service sees every place that its unit does not let it write to.
            let unit = "sudo systemctl edit waypostd, and under [Service] ReadWritePaths=\(folder)"
            status = .cannotCreate
            next =
                cause.isReadOnly
                ? "; name a folder on a disk that can be written, or if it is the service that may not write there: \(unit)"
                : "; make it writable or use another --log"
        case .cannotAppend(_, let cause), .cannotSynchronize(_, let cause), .cannotFinish(_, let cause), .cannotAcknowledge(_, let cause),
            .cannotErase(_, let cause):
            (status, next) = cause.isDiskFull ? (.cannotCreate, "; make room, and try again") : (.inputOutput, "")
        case .cannotRead, .cannotDelete:
            status = .inputOutput
        case .unsupportedVersion, .unknownCursor, .damagedPullers: status = .badData
        case .invalidPuller: status = .usage
        case .tooManyPullers: status = .cannotCreate
        case .closed: status = .failed
        }
        self.init(status, "\(error)\(next)")
    }

    init(_ error: PositionSourceError) {
        switch error {
        case .cannotOpen: self.init(.inputMissing, "\(error); check the name in the URL of the source")
        case .cannotRead: self.init(.inputOutput, "\(error)")
        case .unusable: self.init(.badData, "\(error); name a recording of the kind that the URL says, such as gpx:FILE for GPX")
        }
    }

    init(_ error: ControlError) {
        if case .pathTooLong = error { self.init(.usage, "\(error); choose a shorter one") } else { self.init(.cannotCreate, "\(error)") }
    }
}
