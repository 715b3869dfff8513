import Waypost
import WaypostControl
import WaypostDispatch
import WaypostRecording
import WaypostSystem

// What cannot be done, by its cause: scripts go by the code, people by the sentence.
extension ControlRefusal {
    /// A log that did not do what it was asked.
    init(_ error: RecordingError) {
        let failure = DaemonFailure(error)
        let code: Code =
            switch failure.status {
            case .usage: .badRequest
            case .badData: .invalidValue
            case .inputMissing: .notFound
            case .cannotCreate: .cannotStore
            case .inputOutput: .inputOutput
            default: .unavailable
            }
        self.init(code, message: failure.lines.joined(separator: "; "))
    }

    /// An outbox that did not do what it was asked.
    init(_ error: OutboxError) {
        let code: Code =
            switch error {
            case .unknownDestination: .notFound
            case .tooLong, .tooDeep, .alreadyAttached: .invalidValue
            case .full, .cannotOpen, .otherVersion: .cannotStore
            case .cannotAccess, .locked, .inUse, .gone: .inputOutput
            }
        let isFull = if case .full = error { true } else { false }
        self.init(code, message: isFull ? "\(error); make room, and try again" : "\(error)")
    }

    /// A file of the tracker's own that cannot be written.
    init(cannotKeep what: String, _ error: SystemError) {
        self.init(
            .cannotStore, what: what, why: "cannot be kept: \(error.description)", next: ControlRefusal.remedy(of: error))
    }

    /// What to do about a file that cannot be written, if the failure does not say it.
    static func remedy(of error: SystemError) -> String? { error.isOddFile ? nil : "make room, or let the tracker write there" }

    /// Why an application's event is not taken where nothing is told.
    init(withholding reason: PrivacyGate.Reason) {
        switch reason {
        case .privateMode:
            self.init(.notPermitted, what: "track", why: "private mode is on: nothing is sent", next: "end it with waypost private off")
        case .zone:
            self.init(.notPermitted, what: "track", why: "this is a privacy zone: nothing is sent", next: "try again outside of it")
        }
    }
}
