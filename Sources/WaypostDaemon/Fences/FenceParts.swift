import Waypost
import WaypostControl
import WaypostSystem

/// Fences that arrive in several requests of one connection: they are added when the last part is there.
final class FenceParts: Sendable {
    private let waiting = Monitor<[ControlConnectionID: [Geofence]]>([:])
    private let limit: Int

    /// Parts of at most `limit` fences in all per connection.
    init(limit: Int = FenceFileLimits().entries) {
        self.limit = limit
    }

    func connectionBegan(_ connection: ControlConnectionID) {
        waiting.withLock { $0[connection] = [] }
    }

    func connectionEnded(_ connection: ControlConnectionID) {
        waiting.withLock { _ = $0.removeValue(forKey: connection) }
    }

    /// Keeps a part; returns how many fences wait, nil when they are too many, which discards them.
    func append(_ fences: [Geofence], on connection: ControlConnectionID) -> Int? {
        waiting.withLock { waiting in
            // The connection may have ended in the meantime.
            guard let count = waiting[connection]?.count else { return 0 }
            guard count + fences.count <= limit else {
                waiting[connection] = []
                return nil
            }
            waiting[connection]?.append(contentsOf: fences)
            return count + fences.count
        }
    }

    /// Removes and returns the fences that wait.
    func take(on connection: ControlConnectionID) -> [Geofence] {
        waiting.withLock { waiting in
            guard let fences = waiting[connection] else { return [] }
            waiting[connection] = []
            return fences
        }
    }
}
