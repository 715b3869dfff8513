import Waypost
import WaypostControl
import WaypostSystem

// What goes wrong between a command and the tracker.
extension CommandFailure {
    /// A failure to talk to the tracker, or its refusal.
    ///
    /// 69 is for a tracker that cannot be reached, and for nothing else: a refusal has the code of its cause.
    init(_ error: ControlError) {
        switch error {
        case .notAuthorised(let message): self.init(.notAuthorised, line: message)
        case .refused(let code, let message):
            let status = ControlRefusal.Code(rawValue: code)?.status ?? .failed
            if message.isEmpty { self.init(status, what: "waypostd", why: "\(error)") } else { self.init(status, line: message) }
        case .notRunning(let path):
            self.init(.unavailable, what: "waypostd", why: "is not running (nobody listens on \(path))", next: "start it with waypost run")
        case .noPermission(let path):
            self.init(
                .notAuthorised, what: "control socket \(path)", why: "this user may not use it",
                next: "be root, or let this user into its folder")
        case .pathTooLong(let path, let limit):
            self.init(
                .usage, what: "control socket \(path)", why: "the path is longer than \(limit) bytes", next: "choose a shorter one")
        case .timedOut:
            self.init(
                .timedOut, what: "waypostd", why: "does not answer", next: "try again, or see its log: journalctl -u waypostd")
        case .closed:
            self.init(
                .unavailable, what: "waypostd", why: "has ended the connection", next: "see why: journalctl -u waypostd")
        case .cannotConnect, .protocolMismatch, .connectionFailed, .anotherIsListening, .notASocket, .cannotListen:
            self.init(.unavailable, what: "waypostd", why: "\(error)")
        }
    }

    /// The value on a line that the tracker has sent.
    static func readable(_ line: [UInt8]) throws(CommandFailure) -> JSONValue {
        do throws(JSONError) { return try JSONParser().parse(line) } catch {
            throw strangeAnswer("is not JSON: \(error)")
        }
    }

    /// An answer that is not what was asked for.
    static func strangeAnswer(_ why: String) -> CommandFailure {
        CommandFailure(.failed, what: "waypostd", why: "its answer \(why)", next: "use waypost and waypostd of one version")
    }
}

extension ControlRefusal.Code {
    /// The exit code of a command that is refused so.
    var status: ExitStatus {
        switch self {
        case .badRequest: .usage
        case .tooLong, .invalidValue: .badData
        case .notFound: .inputMissing
        case .cannotStore: .cannotCreate
        case .inputOutput: .inputOutput
        case .notAuthorised, .notPermitted: .notAuthorised
        case .tooManyConnections, .unavailable: .timedOut
        case .unknownRequest: .failed
        }
    }
}
