import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// The needs that came over the control socket, each for as long as its connection and the right of its user.
final class HoldRegistry: Sendable {
    private struct State {
        var connections: Set<ControlConnectionID> = []
        var holds: [ControlConnectionID: [PositioningHold]] = [:]
    }

    private let state = Monitor(State())

    func connectionBegan(_ connection: ControlConnectionID) {
        state.withLock { _ = $0.connections.insert(connection) }
    }

    func connectionEnded(_ connection: ControlConnectionID) {
        let ended = state.withLock { state in
            state.connections.remove(connection)
            return state.holds.removeValue(forKey: connection)
        }
        for hold in ended ?? [] { hold.release() }
    }

    /// Ends the holds of a connection, which stays.
    func end(on connection: ControlConnectionID) {
        let ended = state.withLock { $0.holds.removeValue(forKey: connection) }
        for hold in ended ?? [] { hold.release() }
    }

    /// Keeps a hold until its connection ends; it may have by now.
    func keep(_ hold: PositioningHold, on connection: ControlConnectionID) {
        let isKept = state.withLock { state in
            guard state.connections.contains(connection) else { return false }
            state.holds[connection, default: []].append(hold)
            return true
        }
        if !isKept { hold.release() }
    }
}
