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
        _ verb: any ControlVerb, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer {
        try await commands.perform(verb, for: ControlCaller(peer: peer, connection: connection))
    }

    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID) {
        watches.watchBegan(request, on: connection)
    }

    func connectionBegan(_ connection: ControlConnectionID) {
        commands.holds.connectionBegan(connection)
        commands.fenceParts.connectionBegan(connection)
    }

    func connectionEnded(_ connection: ControlConnectionID) {
        commands.holds.connectionEnded(connection)
        commands.fenceParts.connectionEnded(connection)
        watches.connectionEnded(connection)
    }
}
