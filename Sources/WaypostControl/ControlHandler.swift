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

    /// Says how many connections watch now, after each change.
    ///
    /// - Concurrency: called on the server's event loop: it must return at once.
    func watchersChanged(to count: Int)
}

extension ControlHandler {
    /// Does nothing.
    public func watchersChanged(to count: Int) {}
}
