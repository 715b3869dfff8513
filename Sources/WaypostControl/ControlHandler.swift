import WaypostSystem

/// What the daemon supplies: the answers.
///
/// Authorisation is the server's: a request reaches the handler only when the peer may make it, with what the peer may see.
public protocol ControlHandler: Sendable {
    /// The STATUS line for a peer, without the line feed (``ControlAnswer/line`` of a ``StatusReport``).
    ///
    /// - Parameters:
    ///   - peer: who asks.
    ///   - access: with ``PeerAccess/none`` the line must hold no position, no fence and no time of a fix.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> [UInt8]

    /// Does what a peer who may see everything asks, and gives the line that answers, without the line feed.
    ///
    /// - Parameters:
    ///   - verb: any but `status`.
    ///   - peer: who asks.
    ///   - connection: what it came on; a hold ends with it.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> [UInt8]

    /// Says what a connection watches from now on.
    ///
    /// - Parameters:
    ///   - request: what is watched.
    ///   - connection: what it came on.
    /// - Concurrency: called on the server's event loop: it must return at once. So are the others below; those of one connection come in order.
    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID)

    /// Says that a connection was made.
    func connectionBegan(_ connection: ControlConnectionID)

    /// Says that a connection has ended, and what it watched with it.
    func connectionEnded(_ connection: ControlConnectionID)
}

extension ControlHandler {
    /// Does nothing that is asked.
    public func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> [UInt8] {
        throw ControlRefusal(.unknownRequest, what: "request", why: "this tracker does not do that")
    }

    /// Does nothing.
    public func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID) {}
    /// Does nothing.
    public func connectionBegan(_ connection: ControlConnectionID) {}
    /// Does nothing.
    public func connectionEnded(_ connection: ControlConnectionID) {}
}

/// Names one connection for the life of the process.
public struct ControlConnectionID: Sendable, Hashable {
    let number: Int
}
