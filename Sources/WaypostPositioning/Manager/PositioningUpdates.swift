import Synchronization

/// One listener's updates, with a bounded buffer that drops the oldest and counts it.
public struct PositioningUpdates: AsyncSequence, Sendable {
    final class Drops: Sendable {
        let count = Atomic(0)
    }

    private let stream: AsyncStream<PositioningUpdate>
    private let drops: Drops

    init(stream: AsyncStream<PositioningUpdate>, drops: Drops) {
        self.stream = stream
        self.drops = drops
    }

    /// How many updates were dropped because this listener was slow.
    public var droppedCount: Int { drops.count.load(ordering: .relaxed) }

    /// The updates as they come; they end when the manager is gone.
    public func makeAsyncIterator() -> AsyncStream<PositioningUpdate>.Iterator { stream.makeAsyncIterator() }
}
