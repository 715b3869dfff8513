import WaypostControl
import WaypostSystem

/// Answers what is asked on the control socket.
struct ControlDesk: ControlHandler {
    let reporter: StatusReporter
    let commands: TrackerCommands
    let watchers: WatcherCount

    func watchersChanged(to count: Int) { watchers.set(count) }

    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> [UInt8] {
        await reporter.line(access: access)
    }

    func perform(_ request: ControlRequest, for peer: PeerCredentials) async throws(ControlRefusal) -> [UInt8] {
        try await commands.perform(request, for: peer)
    }
}
