import WaypostSystem

/// What the daemon supplies: the answers.
///
/// Authorisation is the server's: a request reaches the handler only when the peer may make it, with what the peer may see.
public protocol ControlHandler: Sendable {
    /// The STATUS line for a peer, without the line feed (see ``ControlProtocol/object(_:_:)``).
    ///
    /// - Parameter access: with ``PeerAccess/none`` the line must hold no position, no fence and no time of a fix.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> [UInt8]

    /// Does what a peer who may see everything asks, and gives the line that answers, without the line feed.
    ///
    /// - Parameter request: any but `status` and `watch`.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func perform(_ request: ControlRequest, for peer: PeerCredentials) async throws(ControlRefusal) -> [UInt8]

    /// Says how many connections watch now, after each change.
    ///
    /// - Concurrency: called on the server's event loop: it must return at once.
    func watchersChanged(to count: Int)
}

extension ControlHandler {
    /// Does nothing that is asked.
    public func perform(_ request: ControlRequest, for peer: PeerCredentials) async throws(ControlRefusal) -> [UInt8] {
        throw ControlRefusal(.unknownRequest, "this daemon does not do that")
    }

    /// Does nothing.
    public func watchersChanged(to count: Int) {}
}
