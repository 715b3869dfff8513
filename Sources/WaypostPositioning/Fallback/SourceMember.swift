import Waypost

/// The state of one member of a ``FallbackSource``.
public struct SourceMember: Sendable, Hashable {
    /// What it does at the moment.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum State: Sendable, Hashable {
        /// It does not run because it is not needed.
        case standby
        /// It runs and has not delivered anything yet.
        case starting
        /// It delivers data, but no fix.
        case searching
        /// It delivers fixes.
        case fix
        /// It has reported why it delivers nothing.
        case lost(LossReason)
        /// It has ended and is not started again.
        case ended

        /// Why it delivers nothing, if it has reported that.
        package var loss: LossReason? { if case .lost(let reason) = self { reason } else { nil } }
    }

    /// The member's name, which its positions carry.
    public var name: String
    /// What it does.
    public var state: State
    /// Whether its positions are the ones that are delivered.
    public var isActive: Bool
    /// How the other side describes itself, while it is connected.
    public var peer: String?

    /// Why it delivers nothing; nil when it does, or has not reported a reason.
    public var loss: LossReason? { state.loss }

    /// A member in the given state.
    public init(name: String, state: State = .standby, isActive: Bool = false, peer: String? = nil) {
        self.name = name
        self.state = state
        self.isActive = isActive
        self.peer = peer
    }
}

/// A change of the member from which a ``FallbackSource`` takes its positions.
public struct SourceSwitch: Sendable, Hashable {
    /// The reason for a switch.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// The old member delivers nothing.
        case silent
        /// The old member has reported why it delivers nothing.
        case lost(LossReason)
        /// The old member delivers data without a fix, and the new one has a fix.
        case noFix
        /// The old member has ended.
        case ended
        /// The new member is better, and has had fixes without a break for long enough.
        case recovered

        /// A few words for people; they are about the member that is left, unless they say otherwise.
        public var description: String {
            switch self {
            case .silent: "silent"
            case .lost(let reason): "\(reason)"
            case .noFix: "no fix, which the other one has"
            case .ended: "ended"
            case .recovered: "the better one has a lasting fix again"
            }
        }
    }

    /// The name of the old member.
    public var from: String
    /// The name of the new member.
    public var to: String
    /// The reason.
    public var reason: Reason
    /// What is known of the new member's rhythm, by which its silence is judged; equal switches may differ in it.
    var rhythm = SilenceRule()

    /// A switch between members of these names.
    public init(from: String, to: String, reason: Reason) {
        self.from = from
        self.to = to
        self.reason = reason
    }

    /// Whether the names and the reason are the same.
    public static func == (one: SourceSwitch, other: SourceSwitch) -> Bool {
        one.from == other.from && one.to == other.to && one.reason == other.reason
    }

    /// Hashes the names and the reason.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(from)
        hasher.combine(to)
        hasher.combine(reason)
    }
}
