import Waypost

/// Decides which of several sources is used: an ordered list, the best first.
///
/// - The active source is left after 5 seconds (or three of its periods, if longer) of silence, for the best other source that has a fix, or
///   else data. When none has either, it stays active: a switch would gain nothing.
/// - An active source that delivers data but no fix is left after `firstFix` before its first fix, and after the limit of silence later, but
///   only for a source that has had a fix for `lead`. So it stays active in a tunnel, where no source has a fix, and at its end, where it
///   matters little which source gets a fix first.
/// - Sources before the active one always run beside it; the first whose fixes span `health` without a break becomes active again, with its
///   newest fix; `lead` is enough while the active one has no fix. A break is a report without a fix, a loss, or a silence by the first rule.
/// - Sources after it run only when it is in trouble: from when it reports a loss, or has half a limit of silence left, until it has been
///   healthy for `health`.
/// - A source whose device another one uses, or that running would use up, does not run beside others. It is tried when the active source
///   is left because of its silence and no other has anything to offer.
///
/// - Concurrency: a value with one mutating step; all times are milliseconds of one monotonic clock, given by the caller.
public struct FallbackRule: Sendable {
    /// The times of the rule, in milliseconds.
    public struct Times: Sendable {
        /// The shortest time without data that counts as silence.
        public var silence: Int64 = 5_000
        /// How long a source that delivers data may need for its first fix.
        public var firstFix: Int64 = 60_000
        /// How long another source must have a fix before it replaces one that delivers data without a fix.
        public var lead: Int64 = 2_000
        /// How long a better source must have fixes without a break before it is used again.
        public var health: Int64 = 10_000

        /// The defaults.
        public init() {}
    }

    /// A report or an action of a member.
    public enum Report: Sendable, Equatable {
        /// A fix with this time.
        case fix(UTCTime?)
        /// Data without a fix, with this time.
        case noFix(UTCTime?)
        /// It reports that no positions can be expected.
        case lost(LossReason)
        /// It continues after a slow reader has held it up: its silence until now does not count.
        case resumed
        /// It has ended.
        case ended
    }

    /// An input to the rule.
    public enum Input: Sendable, Equatable {
        /// A running member reports.
        case report(Int, Report)
        /// Time has passed.
        case tick
    }

    /// What to do, in this order.
    public enum Decision: Sendable, Equatable {
        /// The member must end.
        case stop(Int)
        /// The member must run, from the beginning.
        case start(Int)
        /// The member is the active one from now on.
        case use(Int, SourceSwitch.Reason)
    }

    /// How each member can be shared; set it before a step when it has changed.
    public var sharing: [SourceSharing]
    /// The active member.
    public private(set) var active: Int

    private let times: Times
    private var members: [FallbackMember]
    private var needsOthers = false

    /// A rule for as many members as there are entries.
    ///
    /// - Parameters:
    ///   - sharing: how each member can be shared.
    ///   - times: the times of the rule.
    ///   - first: the member that the first step starts as the active one, with those before it beside it.
    public init(sharing: [SourceSharing], times: Times = Times(), startingWith first: Int = 0) {
        precondition(!sharing.isEmpty, "a fallback needs a source")
        precondition(sharing.indices.contains(first), "the first source is one of them")
        active = first
        self.sharing = sharing
        self.times = times
        members = sharing.map { _ in FallbackMember(leastSilence: times.silence) }
    }

    /// Processes an input and returns what to do.
    public mutating func step(_ input: Input, at now: Int64) -> [Decision] { step(input, at: now, decides: true) }

    /// Processes an input and returns what to do; nothing when more must be known before anything is decided.
    mutating func step(_ input: Input, at now: Int64, decides: Bool) -> [Decision] {
        if case .report(let index, let report) = input, members[index].isRunning { members[index].note(report, at: now) }
        guard decides else { return [] }
        var decisions: [Decision] = []
        if let (next, reason) = change(at: now) {
            active = next
            decisions.append(.use(next, reason))
        }
        noteTrouble(at: now)
        return run(at: now) + decisions
    }

    /// The next moment at which a step without news may lead to a decision; nil when all have ended.
    public func deadline(after now: Int64) -> Int64? {
        let current = members[active]
        guard current.isRunning else { return nil }
        let silence = current.quietSince + current.silenceLimit
        let noFix = current.fixlessSince + noFixLimit(current)
        let moments = [silence, noFix, silence - current.silenceLimit / 2, noFix - current.silenceLimit / 2]
        return moments.filter { $0 > now }.min() ?? now + times.silence
    }

    /// Whether no member is left.
    public var hasEnded: Bool { members.allSatisfy(\.hasEnded) }

    /// What is known of a member's rhythm.
    func rhythm(of index: Int) -> SilenceRule { members[index].silence }

    /// The state of a member, for people.
    public func state(of index: Int, at now: Int64) -> SourceMember.State { members[index].state(at: now) }

    // MARK: The active member

    private func change(at now: Int64) -> (Int, SourceSwitch.Reason)? {
        let current = members[active]
        if current.hasEnded {
            let next = best(at: now) ?? members.indices.first { !members[$0].hasEnded }
            return next.map { ($0, .ended) }
        }
        guard current.isRunning else { return nil }
        if current.isSilent(at: now) {
            let next = best(at: now) ?? nextUntried()
            if let next { return (next, current.loss.map { .lost($0) } ?? .silent) }
        } else if now - current.fixlessSince >= noFixLimit(current) {
            let next = others.first { members[$0].hasFix(for: times.lead, at: now) }
            if let next { return (next, .noFix) }
        }
        let span = current.hasFix(at: now) ? times.health : times.lead
        return members.indices.prefix(upTo: active).first { members[$0].isHealthy(for: span, at: now) }.map { ($0, .recovered) }
    }

    private var others: [Int] { members.indices.filter { $0 != active } }

    /// The best other member that has something to offer.
    private func best(at now: Int64) -> Int? {
        others.first { members[$0].hasFix(at: now) } ?? others.first { members[$0].hasData(at: now) }
    }

    /// The next member, in order, that could not run beside the active one.
    private func nextUntried() -> Int? {
        let turn = Array(members.indices.suffix(from: active + 1)) + Array(members.indices.prefix(upTo: active))
        return turn.first { !members[$0].hasEnded && !members[$0].isRunning }
    }

    private func noFixLimit(_ member: FallbackMember) -> Int64 { member.hasHadFix ? member.silenceLimit : times.firstFix }

    // MARK: The running members

    private mutating func noteTrouble(at now: Int64) {
        let current = members[active]
        let headStart = current.silenceLimit / 2
        let isTroubled =
            current.isRunning
            && (current.loss != nil || now - current.quietSince >= current.silenceLimit - headStart
                || now - current.fixlessSince >= noFixLimit(current) - headStart)
        if isTroubled { needsOthers = true } else if current.isHealthy(for: times.health, at: now) { needsOthers = false }
    }

    private mutating func run(at now: Int64) -> [Decision] {
        var wanted: [Int] = []
        var devices: Set<String> = []
        let candidates = needsOthers ? members.indices : members.indices.prefix(through: active)
        for index in [active] + candidates.filter({ $0 != active }) where !members[index].hasEnded {
            switch sharing[index] {
            case .free: wanted.append(index)
            case .device(let path): if devices.insert(path).inserted { wanted.append(index) }
            case .alone: if index == active { wanted.append(index) }
            }
        }
        var decisions: [Decision] = []
        for index in members.indices where members[index].isRunning && !wanted.contains(index) {
            members[index].stop()
            decisions.append(.stop(index))
        }
        for index in wanted where !members[index].isRunning {
            members[index].start(at: now)
            decisions.append(.start(index))
        }
        return decisions
    }
}
