import Waypost
import WaypostControl
import WaypostSystem

/// A verb that the tracker itself answers: each has its extension beside what it does.
protocol TrackerVerb: ControlVerb {
    /// Does what is asked.
    ///
    /// - Parameters:
    ///   - tracker: what does it.
    ///   - caller: who asks.
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer
}

/// Who asks something on the control socket.
struct ControlCaller: Sendable {
    /// The process at the other end.
    let peer: PeerCredentials
    /// What its user may know and do.
    let access: PeerAccess
    /// What it asks on; a hold ends with it.
    let connection: ControlConnectionID
}

extension TrackerCommands {
    /// Does what is asked, and answers.
    func perform(_ verb: any ControlVerb, for caller: ControlCaller) async throws(ControlRefusal) -> any ControlAnswer {
        guard let verb = verb as? any TrackerVerb else {
            throw ControlRefusal(.unknownRequest, what: "request", why: "this tracker does not do that")
        }
        return try await verb.answer(by: self, to: caller)
    }
}
