/// One listener's updates, with a bounded buffer that drops the oldest and counts it.
///
/// The listener, and with it its need for positions, ends when nothing references this sequence or one of its iterators any more.
public struct PositioningUpdates: AsyncSequence, Sendable {
    /// Notifies the manager when nobody listens any more.
    final class Membership: Sendable {
        private let end: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        deinit { end() }
    }

    let queue: UpdateQueue
    let membership: Membership

    /// How many updates were dropped because this listener was slow.
    public var droppedCount: Int { queue.droppedCount }

    /// The updates as they come; they end with the manager, its source or its stop.
    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue, membership: membership) }

    /// All updates since the last time, at once: for listeners that sleep, or draw.
    public var batches: PositioningBatches { PositioningBatches(updates: self) }

    /// Returns the updates one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: UpdateQueue
        private let membership: Membership

        fileprivate init(queue: UpdateQueue, membership: Membership) {
            self.queue = queue
            self.membership = membership
        }

        /// Waits for the next update; nil at the end.
        public mutating func next() async -> PositioningUpdate? { await queue.next() }
    }
}

/// One listener's updates in batches: all that were waiting, oldest first; never empty.
public struct PositioningBatches: AsyncSequence, Sendable {
    fileprivate let updates: PositioningUpdates

    /// The batches as they come.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: updates) }

    /// Returns the updates batch by batch.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let updates: PositioningUpdates

        /// Waits for updates and returns all there are; nil at the end.
        public mutating func next() async -> [PositioningUpdate]? { await updates.queue.nextBatch() }
    }
}
