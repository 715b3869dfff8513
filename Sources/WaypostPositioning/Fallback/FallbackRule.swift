import Waypost

/// Decides which of several sources is used: an ordered list, the best first.
///
/// - The one in use is left after 5 seconds (or three of its periods, if longer) of silence, for the best other that has a fix, or
///   failing that data. When none has, it is kept: there is nothing to gain.
/// - One that delivers data but no fix is left after `firstFix` before its first fix, and after the limit of silence later, and only for
///   one that has had a fix for `lead`. So it is kept in a tunnel, where none has, and at its end, where it matters little which one finds
///   the sky first.
/// - Those before the one in use always run beside it; the first that has had a fix without a break for `health` is taken back.
/// - Those after it run only when it is in trouble, from when it tells a loss or is half a limit of silence short of being left, and on
///   until it has been healthy for `health`.
/// - One whose device another one uses, or that running would use up, does not run beside. It is tried when the one in use is left
///   for its silence and no other has anything to offer.
///
/// - Concurrency: a value with one mutating step; all times are milliseconds of one monotonic clock, given by the caller.
public struct FallbackRule: Sendable {
    /// The times that the rule goes by, in milliseconds.
    public struct Times: Sendable {
        /// How long without data is silence, at least.
        public var silence: Int64 = 5_000
        /// How long a source that delivers data may take to its first fix.
        public var firstFix: Int64 = 60_000
        /// How long another source must have a fix before one that delivers data without is left for it.
        public var lead: Int64 = 2_000
        /// How long a better source must have a fix without a break before it is taken back.
        public var health: Int64 = 10_000

        /// The defaults.
        public init() {}
    }

    /// What a member has said or done.
    public enum Report: Sendable, Equatable {
        /// A fix of that moment.
        case fix(UTCTime?)
        /// Data without a fix, of that moment.
        case noFix(UTCTime?)
        /// It tells that nothing can be expected.
        case lost(LossReason)
        /// It goes on after a slow reader has held it up: its silence until now does not count.
        case resumed
        /// It has ended.
        case ended
    }

    /// What happens to the rule.
    public enum Input: Sendable, Equatable {
        /// A running member reports.
        case report(Int, Report)
        /// Time has passed.
        case tick
    }

    /// What is to be done, in this order.
    public enum Decision: Sendable, Equatable {
        /// The member must end.
        case stop(Int)
        /// The member must run, from the beginning.
        case start(Int)
        /// The member is the one in use from now on.
        case use(Int, SourceSwitch.Reason)
    }

    /// How each member can be shared; set it before a step when it has changed.
    public var sharing: [SourceSharing]
    /// The member in use.
    public private(set) var active = 0

    private let times: Times
    private var members: [FallbackMember]
    private var needsOthers = false

    /// A rule for as many members as there are entries; the first step starts the first.
    public init(sharing: [SourceSharing], times: Times = Times()) {
        precondition(!sharing.isEmpty, "a fallback needs a source")
        self.sharing = sharing
        self.times = times
        members = sharing.map { _ in FallbackMember(leastSilence: times.silence) }
    }

    /// Takes what has happened and says what to do.
    public mutating func step(_ input: Input, at now: Int64) -> [Decision] {
        if case .report(let index, let report) = input, members[index].isRunning { members[index].note(report, at: now) }
        var decisions: [Decision] = []
        if let (next, reason) = change(at: now) {
            active = next
            decisions.append(.use(next, reason))
        }
        noteTrouble(at: now)
        return run(at: now) + decisions
    }

    /// The next moment at which a step without news may decide something; nil when all have ended.
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

    /// What the member does, for people.
    public func state(of index: Int, at now: Int64) -> SourceMember.State { members[index].state(at: now) }

    // MARK: Which one

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
            let next = others.first { members[$0].isHealthy(for: times.lead, at: now) }
            if let next { return (next, .noFix) }
        }
        return members.indices.prefix(upTo: active).first { members[$0].isHealthy(for: times.health, at: now) }.map { ($0, .recovered) }
    }

    private var others: [Int] { members.indices.filter { $0 != active } }

    /// The best other one that has something to offer.
    private func best(at now: Int64) -> Int? {
        others.first { members[$0].hasFix(at: now) } ?? others.first { members[$0].hasData(at: now) }
    }

    /// The next one in turn that could not run beside the one in use.
    private func nextUntried() -> Int? {
        let turn = Array(members.indices.suffix(from: active + 1)) + Array(members.indices.prefix(upTo: active))
        return turn.first { !members[$0].hasEnded && !members[$0].isRunning }
    }

    private func noFixLimit(_ member: FallbackMember) -> Int64 { member.hasHadFix ? member.silenceLimit : times.firstFix }

    // MARK: Which ones run

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
