import Synchronization
import Waypost

/// A need of positions, which lasts until it is released or deallocated.
///
/// - Concurrency: from anywhere; a change takes effect soon after.
public final class PositioningHold: Sendable {
    /// What it is for, as `status` shows it.
    public let reason: String
    private let state: State
    private let changed: @Sendable () -> Void

    /// The manager's side of it.
    final class State: Sendable {
        let reason: String
        private let content: Mutex<(need: PositioningNeed?, isReleased: Bool)>

        init(_ need: PositioningNeed?, reason: String) {
            content = Mutex((need, false))
            self.reason = reason
        }

        var need: PositioningNeed? { content.withLock { $0.need } }
        var isReleased: Bool { content.withLock { $0.isReleased } }

        /// Whether that is a change.
        func set(_ need: PositioningNeed?) -> Bool {
            content.withLock { content in
                guard !content.isReleased, content.need != need else { return false }
                content.need = need
                return true
            }
        }

        /// Whether it was not released before.
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

    /// Ends the need for good.
    public func release() {
        if state.release() { changed() }
    }
}

/// Whether who tells an update looks at the holds afterwards: consumers change theirs at every fix, and need no task of their own for it.
final class HoldChanges: Sendable {
    private let isTelling = Atomic(false)
    private let isPending = Atomic(false)

    /// Consumers are told something from now on.
    func begin() { isTelling.store(true, ordering: .sequentiallyConsistent) }

    /// They were told; whether they changed a hold.
    func end() -> Bool {
        isTelling.store(false, ordering: .sequentiallyConsistent)
        return isPending.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// A hold has changed; whether whoever is telling will see to it.
    func leaveToTeller() -> Bool {
        guard Turnstile.isCalled else { return false }
        isPending.store(true, ordering: .sequentiallyConsistent)
        return isTelling.load(ordering: .sequentiallyConsistent)
    }
}

/// A need as `status` shows it.
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
