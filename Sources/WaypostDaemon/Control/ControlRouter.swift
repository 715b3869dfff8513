import WaypostControl
import WaypostSystem

/// Answers what is asked on the control socket.
struct ControlRouter: ControlHandler {
    let reporter: StatusReporter
    let commands: TrackerCommands
    let watches: WatchBroadcaster

    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> [UInt8] {
        await reporter.line(access: access)
    }

    func perform(
        _ request: ControlRequest, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> [UInt8] {
        try await commands.perform(request, for: peer, on: connection)
    }

    func watchBegan(_ options: ControlRequest.WatchOptions, on connection: ControlConnectionID) {
        watches.watchBegan(options, on: connection)
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
