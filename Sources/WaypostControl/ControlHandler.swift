import Waypost
import WaypostSystem

/// The daemon's part: the answers.
///
/// The server checks the authorisation: a request reaches the handler only when the peer may make it, with the peer's access.
package protocol ControlHandler: Sendable {
    /// The status for a peer.
    ///
    /// - Parameters:
    ///   - peer: the user who asks.
    ///   - access: below full the report must hold no position but a reduced one, no fence and no time of a fix.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> StatusReport

    /// Carries out a request of a peer who may make it, and returns its answer.
    ///
    /// - Parameters:
    ///   - verb: any but `status`.
    ///   - peer: the user who asks.
    ///   - access: what that user may know.
    ///   - connection: the connection of the request; a hold ends with it.
    /// - Errors: a refusal goes to the client as an ERROR line.
    func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, access: PeerAccess, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer

    /// A connection has begun a watch or has changed it, or what it may know has changed.
    ///
    /// - Parameters:
    ///   - request: the options of the watch.
    ///   - connection: the connection of the request.
    ///   - level: what the client may know from now on; below reduced the watch waits.
    /// - Concurrency: called on the server's event loop, so it must return at once, like the functions below. Calls for one connection come
    ///   in order.
    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID, level: AuthorisationLevel)

    /// The user of a connection may no longer keep the receiver on: all holds of the connection end.
    func holdsEnded(on connection: ControlConnectionID)

    /// A connection was made.
    func connectionBegan(_ connection: ControlConnectionID)

    /// A connection has ended, and its watch with it.
    func connectionEnded(_ connection: ControlConnectionID)
}

extension ControlHandler {
    /// Refuses every request.
    package func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, access: PeerAccess, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer {
        throw ControlRefusal(.unknownRequest, what: "request", why: "this tracker does not do that")
    }

    /// Does nothing.
    package func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID, level: AuthorisationLevel) {}
    /// Does nothing.
    package func holdsEnded(on connection: ControlConnectionID) {}
    /// Does nothing.
    package func connectionBegan(_ connection: ControlConnectionID) {}
    /// Does nothing.
    package func connectionEnded(_ connection: ControlConnectionID) {}
}

/// Identifies one connection for the life of the process.
package struct ControlConnectionID: Sendable, Hashable {
    /// Its number, never used twice.
    package let number: Int
}
