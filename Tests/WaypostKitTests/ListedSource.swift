import Synchronization
import Waypost
import WaypostPositioning

/// A recording in memory, as fast as it is taken.
struct ListedSource: PositionSource {
    let name = "list"
    let sharing = SourceSharing.alone
    let tellsLosses = true
    private let events: [PositionSourceEvent]

    init(_ positions: [Position]) {
        self.init(events: positions.map(PositionSourceEvent.position))
    }

    init(events: [PositionSourceEvent]) {
        self.events = events
    }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        for event in events where !Task.isCancelled { await output(event) }
        await output(.finished)
    }
}

/// Waits with its first event until it is opened.
final class GatedSource: PositionSource {
    let name = "gate"
    let sharing = SourceSharing.alone
    private let base: ListedSource
    private let isOpen = Mutex(false)

    init(_ base: ListedSource) {
        self.base = base
    }

    func open() { isOpen.withLock { $0 = true } }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        while !isOpen.withLock({ $0 }), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))  // Cancelled: the loop ends.
        }
        try await base.run(output)
    }
}
