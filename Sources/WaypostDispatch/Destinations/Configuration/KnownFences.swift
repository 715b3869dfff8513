import Synchronization
import Waypost

/// The fences of the device as they are now, for servers that are told of them anew on each connection: a broker may have lost what it kept.
package final class KnownFences: Sendable {
    /// One of them.
    package struct Fence: Sendable, Hashable {
        /// Its permanent id.
        package var id: String
        /// Its name.
        package var name: String
        /// Whether the device is inside; nil when that was not told yet.
        package var isInside: Bool?
    }

    private struct State {
        var listed: [Fence] = []
        /// Those that an event has told, by their ids.
        var told: [String: Fence] = [:]
    }

    /// More could not be told on each connection; the outbox's list ends there, too.
    private static let most = 400

    private let state = Mutex(State())

    /// No fences yet.
    package init() {}

    /// The fences, the listed ones in their order, then those that only events have told.
    package var all: [Fence] {
        state.withLock { state in
            let listed = state.listed.map { state.told[$0.id] ?? $0 }
            let ids = Set(listed.map(\.id))
            return listed + state.told.values.filter { !ids.contains($0.id) }.sorted { $0.id < $1.id }
        }
    }

    /// Replaces the list by the circles among these fences; whether the device is inside counts where no event has told it.
    package func set(_ fences: [Geofence], inside: [String]) {
        let inside = Set(inside)
        let circles = fences.filter { if case .circle = $0.shape { true } else { false } }.prefix(KnownFences.most)
        let ids = Set(fences.map(\.id))
        state.withLock { state in
            state.listed = circles.map { Fence(id: $0.id, name: $0.name, isInside: inside.contains($0.id) ? true : nil) }
            state.told = state.told.filter { ids.contains($0.key) }
        }
    }

    /// Forgets a fence that is no longer watched.
    package func forget(id: String) {
        state.withLock { state in
            state.told[id] = nil
            state.listed.removeAll { $0.id == id }
        }
    }

    /// Notes what is told of a fence by an event; nil for an event that changes nothing.
    package func note(id: String, name: String, isInside: Bool?) {
        state.withLock { state in
            let isListed = state.listed.contains { $0.id == id }
            guard isListed || state.told[id] != nil || state.told.count < KnownFences.most else { return }
            state.told[id] = Fence(id: id, name: name, isInside: isInside ?? state.told[id]?.isInside)
        }
    }
}
