import WaypostSystem

/// The daemon's part: the answers.
///
/// The server checks the authorisation: a request reaches the handler only when the peer may make it, with the peer's access.
package protocol ControlHandler: Sendable {
    /// The status for a peer.
    ///
    /// - Parameters:
    ///   - peer: the user who asks.
    ///   - access: with ``PeerAccess/none`` the report must hold no position, no fence and no time of a fix.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> StatusReport

    /// Carries out a request of a peer with full access, and returns its answer.
    ///
    /// - Parameters:
    ///   - verb: any but `status`.
    ///   - peer: the user who asks.
    ///   - connection: the connection of the request; a hold ends with it.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer

    /// A connection has begun a watch, or has changed it.
    ///
    /// - Parameters:
    ///   - request: the options of the watch.
    ///   - connection: the connection of the request.
    /// - Concurrency: called on the server's event loop, so it must return at once, like the functions below. Calls for one connection come
    ///   in order.
    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID)

    /// A connection was made.
    func connectionBegan(_ connection: ControlConnectionID)

    /// A connection has ended, and its watch with it.
    func connectionEnded(_ connection: ControlConnectionID)
}

extension ControlHandler {
    /// Refuses every request.
    package func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer {
        throw ControlRefusal(.unknownRequest, what: "request", why: "this tracker does not do that")
    }

    /// Does nothing.
    package func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID) {}
    /// Does nothing.
    package func connectionBegan(_ connection: ControlConnectionID) {}
    /// Does nothing.
    package func connectionEnded(_ connection: ControlConnectionID) {}
}

/// Identifies one connection for the life of the process.
package struct ControlConnectionID: Sendable, Hashable {
    let number: Int
}
