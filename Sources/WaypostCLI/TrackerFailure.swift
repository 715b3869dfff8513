import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

// Failures between a command and the tracker.
extension CommandFailure {
    /// A failure to talk to the tracker, or its refusal.
    ///
    /// 69 is only for a tracker that cannot be reached: a refusal has the code of its cause.
    init(_ error: ControlError) {
        switch error {
        case .notAuthorised(let message): self.init(.notAuthorised, line: message)
        case .refused(let code, let message):
            let status = ControlRefusal.Code(rawValue: code)?.status ?? .failed
            if message.isEmpty {
                self.init(status, what: "tracker", why: "refuses without a reason (\(code))")
            } else {
                self.init(status, line: message)
            }
        case .notRunning(let path):
            self.init(
                .unavailable, what: "tracker", why: "not running (nothing listens on \(path))",
                next: "start it with \(CommandFailure.startCommand(socket: path))")
        case .noPermission(let path):
            self.init(
                .notAuthorised, what: "control socket \(path)", why: "this user may not use it",
                next: "use sudo, or join the group that may: \(CommandFailure.joining(path))")
        case .pathTooLong(let path, let limit):
            self.init(
                .usage, what: "control socket \(path)", why: "the path is longer than \(limit) bytes", next: "choose a shorter one")
        case .unreadable(let error): self = .strangeAnswer("\(error)")
        case .timedOut:
            self.init(
                .timedOut, what: "tracker", why: "does not answer", next: "try again; if that does not help: waypost doctor")
        case .closed(byService: true):
            self.init(.unavailable, what: "tracker", why: "has stopped", next: "see why: journalctl -u waypostd")
        case .closed(byService: false):
            self.init(.unavailable, what: "tracker", why: "has stopped", next: "see the terminal it ran in, or journalctl -u waypostd")
        case .connectionFailed(let reason): self.init(.unavailable, what: "tracker", why: reason)
        case .cannotConnect, .protocolMismatch, .anotherIsListening, .notASocket, .cannotListen, .cancelled:
            self.init(.unavailable, line: "\(error)")
        }
    }

    /// The failure to reach the tracker of the installed service; nil when there is no service, or when it runs.
    ///
    /// - Parameter reason: why it last ended by itself, as far as this user may know.
    init?(serviceIs state: ServiceState, because reason: String? = nil) {
        let code = state.exitStatus.map { " with code \($0.rawValue) (\($0.meaning))" } ?? ""
        let why = reason.map { ": \(oneLine($0, limit: 400))" } ?? ""
        let next = reason == nil ? "see why: sudo waypost doctor; sudo journalctl -u waypostd" : "what to do: sudo waypost doctor"
        switch state {
        case .absent, .running: return nil
        case .starting:
            self.init(.unavailable, what: "tracker", why: "the service is starting", next: "try again in a moment")
        case .restarting:
            self.init(
                .unavailable, what: "tracker",
                why: "the service ended by itself\(reason == nil ? code : ""), and is started again and again\(why)", next: next)
        case .stopped:
            self.init(.unavailable, what: "tracker", why: "the service is stopped", next: "start it: sudo systemctl start waypostd")
        case .masked:
            self.init(
                .unavailable, what: "tracker", why: "the service is masked, so that nothing can start it",
                next: "sudo systemctl unmask waypostd; sudo systemctl enable --now waypostd")
        case .failed:
            self.init(
                .unavailable, what: "tracker", why: "the service has failed\(reason == nil ? code : why)", next: next)
        }
    }

    /// The command that starts the tracker behind a socket.
    private static func startCommand(socket: String) -> String {
        let isOfService = socket == DefaultPaths.serviceSocket
        return isOfService && SystemFacts.unitPath(in: SystemTree(root: "")) != nil
            ? "sudo systemctl start waypostd; if that fails: sudo waypost doctor" : "waypost run"
    }

    /// The command that allows this user to use the socket.
    private static func joining(_ path: String) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let group = [path, folder].lazy.compactMap { Syscalls.groupName(of: $0) }.first { $0 != "root" }
        return "\(joinCommand(group: group ?? PeerPolicy.trustedGroupName)), then log in again"
    }

    /// The command that puts this user into a group.
    static func joinCommand(group: String) -> String {
        "sudo usermod -aG \(group) \(ProcessIdentity.current().userName ?? "$USER")"
    }

    /// An answer that does not fit the request.
    static func strangeAnswer(_ why: String) -> CommandFailure {
        CommandFailure(.failed, what: "tracker", why: "its answer \(why)", next: "use waypost and waypostd of one version")
    }
}

extension ControlRefusal.Code {
    /// The exit code of a command that is refused with this code.
    var status: ExitStatus {
        switch self {
        case .badRequest, .tooLong: .usage
        case .invalidValue: .badData
        case .notFound: .inputMissing
        case .cannotStore: .cannotCreate
        case .inputOutput: .inputOutput
        case .notAuthorised, .notPermitted: .notAuthorised
        case .tooManyConnections, .unavailable: .timedOut
        case .unknownRequest: .failed
        }
    }
}
