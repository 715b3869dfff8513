/// How one member of a ``FallbackSource`` fares.
public struct SourceMember: Sendable, Hashable {
    /// What it does just now.
    public enum State: Sendable, Hashable {
        /// It does not run: nobody needs it.
        case standby
        /// It runs and has not delivered anything yet.
        case starting
        /// It delivers data, but no fix.
        case searching
        /// It delivers fixes.
        case fix
        /// It has said why it delivers nothing.
        case lost(LossReason)
        /// It has ended and is not started again.
        case ended
    }

    /// The member's name, which its positions carry.
    public var name: String
    /// What it does.
    public var state: State
    /// Whether its positions are the ones that are delivered.
    public var isActive: Bool
    /// What the other side says it is, while it is connected.
    public var peer: String?

    /// Why it delivers nothing; nil when it does, or has not said.
    public var loss: LossReason? { if case .lost(let reason) = state { reason } else { nil } }

    /// A member in that state.
    public init(name: String, state: State = .standby, isActive: Bool = false, peer: String? = nil) {
        self.name = name
        self.state = state
        self.isActive = isActive
        self.peer = peer
    }
}

/// A ``FallbackSource`` takes its positions from another member.
public struct SourceSwitch: Sendable, Hashable {
    /// Why.
    public enum Reason: Sendable, Hashable {
        /// The member that is left delivers nothing.
        case silent
        /// The member that is left has said why it delivers nothing.
        case lost(LossReason)
        /// The member that is left delivers data without a fix, and the other one has a fix.
        case noFix
        /// The member that is left has ended.
        case ended
        /// The other one is better, and has had a fix without a break for long enough.
        case recovered
    }

    /// The member that is left.
    public var from: String
    /// The member that is taken.
    public var to: String
    /// Why.
    public var reason: Reason

    /// A switch between members of those names.
    public init(from: String, to: String, reason: Reason) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}
