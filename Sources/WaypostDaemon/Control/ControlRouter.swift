import Waypost
import WaypostControl
import WaypostSystem

/// Answers what is asked on the control socket.
struct ControlRouter: ControlHandler {
    let reporter: StatusReporter
    let commands: TrackerCommands
    let watches: WatchBroadcaster

    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> StatusReport {
        await reporter.report(access: access)
    }

    func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, access: PeerAccess, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer {
        try await commands.perform(verb, for: ControlCaller(peer: peer, access: access, connection: connection))
    }

    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID, level: AuthorisationLevel) {
        watches.watchBegan(request, on: connection, level: level)
    }

    func holdsEnded(on connection: ControlConnectionID) { commands.holds.end(on: connection) }

    func connectionBegan(_ connection: ControlConnectionID) {
        commands.connections.begin(connection)
        commands.holds.connectionBegan(connection)
        commands.fenceParts.connectionBegan(connection)
    }

    func connectionEnded(_ connection: ControlConnectionID) {
        commands.connections.end(connection)
        commands.holds.connectionEnded(connection)
        commands.fenceParts.connectionEnded(connection)
        watches.connectionEnded(connection)
        commands.access.connectionEnded(connection)
        Task { [wakes = commands.wakes] in await wakes.connectionEnded(connection) }
    }
}
