import Waypost
import WaypostControl
import WaypostSystem

/// Fences that are on their way in several requests, each row for as long as its connection: they are added when the last part is there.
final class FenceParts: Sendable {
    private let waiting = Monitor<[ControlConnectionID: [Geofence]]>([:])
    private let limit: Int

    /// Rows of at most so many fences.
    init(limit: Int = FenceFileLimits().entries) {
        self.limit = limit
    }

    func connectionBegan(_ connection: ControlConnectionID) {
        waiting.withLock { $0[connection] = [] }
    }

    func connectionEnded(_ connection: ControlConnectionID) {
        waiting.withLock { _ = $0.removeValue(forKey: connection) }
    }

    /// Keeps a part; how many fences wait, nil when they are too many, which ends the row.
    func append(_ fences: [Geofence], on connection: ControlConnectionID) -> Int? {
        waiting.withLock { waiting in
            // The connection may have ended by now.
            guard let count = waiting[connection]?.count else { return 0 }
            guard count + fences.count <= limit else {
                waiting[connection] = []
                return nil
            }
            waiting[connection]?.append(contentsOf: fences)
            return count + fences.count
        }
    }

    /// What waits, which does not any longer.
    func take(on connection: ControlConnectionID) -> [Geofence] {
        waiting.withLock { waiting in
            guard let fences = waiting[connection] else { return [] }
            waiting[connection] = []
            return fences
        }
    }
}
