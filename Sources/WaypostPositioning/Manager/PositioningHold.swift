import Synchronization
import Waypost

/// A need for positions, which lasts until it is released or deallocated.
///
/// - Concurrency: from anywhere; a change takes effect soon after.
public final class PositioningHold: Sendable {
    /// The purpose, as `status` shows it.
    public let reason: String
    private let state: State
    private let changed: @Sendable () -> Void

    /// The manager's side of the hold.
    final class State: Sendable {
        let reason: String
        private let content: Mutex<(need: PositioningNeed?, isReleased: Bool)>
        private let isOnRoads = Atomic(false)

        init(_ need: PositioningNeed?, reason: String) {
            content = Mutex((need, false))
            self.reason = reason
        }

        var need: PositioningNeed? { content.withLock { $0.need } }

        /// Whether positions on roads are needed while positions are.
        var needsMatches: Bool {
            get { isOnRoads.load(ordering: .relaxed) }
            set { isOnRoads.store(newValue, ordering: .relaxed) }
        }

        var isReleased: Bool { content.withLock { $0.isReleased } }

        /// Sets the need; returns whether it has changed.
        func set(_ need: PositioningNeed?) -> Bool {
            content.withLock { content in
                guard !content.isReleased, content.need != need else { return false }
                content.need = need
                return true
            }
        }

        /// Releases the hold; returns whether it was still held.
        func release() -> Bool {
            content.withLock { content in
                defer { content = (nil, true) }
                return !content.isReleased
            }
        }
    }

    init(_ state: State, changed: @escaping @Sendable () -> Void) {
        reason = state.reason
        self.state = state
        self.changed = changed
    }

    deinit { release() }

    /// What is needed; nil for nothing at the moment.
    public var need: PositioningNeed? {
        get { state.need }
        set { if state.set(newValue) { changed() } }
    }

    /// Whether positions on roads are needed, too, from the next fix on; this alone keeps no positions coming.
    public var needsMatches: Bool {
        get { state.needsMatches }
        set { state.needsMatches = newValue }
    }

    /// Ends the need for good.
    public func release() {
        if state.release() { changed() }
    }
}

/// Whether the task that delivers an update checks the holds afterwards: consumers change theirs at every fix, which needs no extra task.
final class HoldChanges: Sendable {
    private let isTelling = Atomic(false)
    private let isPending = Atomic(false)

    /// A delivery to consumers begins.
    func begin() { isTelling.store(true, ordering: .sequentiallyConsistent) }

    /// The delivery has ended; returns whether a consumer changed a hold.
    func end() -> Bool {
        isTelling.store(false, ordering: .sequentiallyConsistent)
        return isPending.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// A hold has changed; returns whether the delivering task will handle it.
    func leaveToTeller() -> Bool {
        guard Turnstile.isCalled else { return false }
        isPending.store(true, ordering: .sequentiallyConsistent)
        return isTelling.load(ordering: .sequentiallyConsistent)
    }
}

/// A need, as `status` shows it.
public struct PositioningClient: Sendable, Hashable {
    /// Who or what needs it.
    public let reason: String
    /// What is needed.
    public let need: PositioningNeed

    /// A client from its parts.
    public init(reason: String, need: PositioningNeed) {
        self.reason = reason
        self.need = need
    }
}
