import Synchronization

/// The connection of a consumer to a manager, which lasts until it is detached or dropped.
///
/// - Concurrency: from anywhere, also from the consumer.
public final class PositioningAttachment: Sendable {
    /// The manager's side of it.
    final class Member: Sendable {
        let consumer: any PositioningConsumer
        private let state = Atomic(true)

        init(_ consumer: any PositioningConsumer) {
            self.consumer = consumer
        }

        var isAttached: Bool { state.load(ordering: .acquiring) }

        /// Whether it was attached before.
        func detach() -> Bool { state.exchange(false, ordering: .acquiringAndReleasing) }
    }

    private let member: Member
    private let changed: @Sendable () -> Void

    init(_ member: Member, changed: @escaping @Sendable () -> Void) {
        self.member = member
        self.changed = changed
    }

    deinit { detach() }

    /// Removes the consumer for good; an update that it is just processing is its last.
    public func detach() {
        if member.detach() { changed() }
    }
}
