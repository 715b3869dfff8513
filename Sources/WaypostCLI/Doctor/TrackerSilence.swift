import Waypost
import WaypostControl
import WaypostSystem

/// A tracker that was asked for its status and has not given it: it hangs, has ended, or another program is in its place.
struct TrackerSilence: Sendable {
    /// The control socket.
    var socket: String
    /// Whether the user named it: the tracker behind it is meant, and no other.
    var isNamed: Bool
    /// What happened.
    var cause: ControlError
    /// The process that listens there; nil when none does, or when it cannot be seen.
    var listenerID: Int?

    /// - Parameters:
    ///   - socket: the control socket.
    ///   - isNamed: whether the user named it.
    ///   - cause: what happened.
    init(socket: String, isNamed: Bool, cause: ControlError) {
        (self.socket, self.isNamed, self.cause) = (socket, isNamed, cause)
        if case .notRunning = cause { return }
        listenerID = PeerCredentials.listener(at: socket).map { Int($0) }
    }

    /// The fault; nil when the tracker only refuses, or when nothing listens and no socket was named: then the processes show what runs.
    func finding(_ facts: SystemFacts) -> Finding? {
        let socket = oneLine(socket, limit: 200)
        switch cause {
        case .noPermission, .notAuthorised, .refused, .cancelled: return nil
        case .notRunning:
            guard isNamed else { return nil }
            let isOfService = self.socket == DefaultPaths.serviceSocket && facts.unitPath != nil
            return Finding(
                what: "the tracker of \(socket) is not running", evidence: [Evidence(file: self.socket, text: "nothing listens there")],
                commands: [isOfService ? SystemFacts.serviceRestart : "waypost run --socket \(shellWord(self.socket))"])
        default: break
        }
        let listener = listenerID.flatMap { number in facts.programs?.first { $0.processID == number } }
        var evidence = [Evidence(file: self.socket, text: "\(cause)")]
        guard let listener else {
            return Finding(what: "what listens on \(socket) does not answer as a tracker does", evidence: evidence, commands: [])
        }
        guard listener.name == "waypostd" else {
            evidence.append(Evidence(file: "/proc/\(listener.processID)/comm", text: listener.name))
            return Finding(
                what:
                    "\(oneLine(listener.name, limit: 40)) listens on \(socket), and no tracker: end it, or name the socket of the tracker",
                evidence: evidence, commands: [listener.stopCommand])
        }
        let state = RunningProgram.field("State", of: listener.processID, in: facts.tree)
        if let state, state.hasPrefix("T") || state.hasPrefix("t") {
            evidence.append(Evidence(file: "/proc/\(listener.processID)/status", text: "State: \(state)"))
            let command = "\(facts.sudo(for: listener))kill -CONT \(listener.processID)"
            return Finding(
                what: "the tracker does not answer: somebody has stopped its process", evidence: evidence, commands: [command])
        }
        evidence.append(Evidence(file: "/proc/\(listener.processID)", text: listener.unit ?? "waypostd"))
        let what = cause == .timedOut ? "the tracker does not answer: it hangs" : "the tracker does not answer as this program expects"
        return Finding(what: what, evidence: evidence, commands: facts.restartCommands(of: listener))
    }
}
