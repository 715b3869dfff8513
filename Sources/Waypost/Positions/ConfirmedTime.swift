/// The current time, as far as it is certain.
///
/// A receiver that has just woken, or whose week counter ran over, gives dates that are years off; a board without a clock boots in 1970. So a
/// date counts only when ``fixesNeeded`` consecutive fixes agree: their times went on as fast as the machine's own clock did. From then on
/// the machine's clock carries it.
///
/// A date that was agreed with for ``settlingMilliseconds`` is settled: one that contradicts it is doubted until it has held for
/// ``doubtMilliseconds``, or another source agrees with it. One that is later than a date that was confirmed before, though not yet settled,
/// counts at once and settles as late as a doubted one. Only a settled date that nothing contradicts is good enough to delete something.
/// - Concurrency: a value; one step per fix.
public struct ConfirmedTime: Sendable, Hashable {
    /// How many consecutive fixes confirm a date.
    public static let fixesNeeded = 5
    /// The time that these fixes must span, milliseconds.
    public static let spanNeededMilliseconds: Int64 = 4_000
    /// How far the times of fixes may differ from the machine's clock, milliseconds: receivers are late, machines are busy.
    public static let toleranceMilliseconds: UInt64 = 2_000
    /// How long fixes must agree until a date is settled, milliseconds.
    public static let settlingMilliseconds: Int64 = 60_000
    /// A settled date is corrected by up to this much without a doubt, milliseconds: receivers learn of leap seconds late.
    public static let correctionMilliseconds: UInt64 = 60_000
    /// How long a date that contradicts a settled one must last until it is believed, milliseconds.
    public static let doubtMilliseconds: Int64 = 3_600_000

    /// A moment in both times.
    public struct Anchor: Sendable, Hashable {
        /// What time it was.
        public var time: UTCTime
        /// The reading of the machine's clock, milliseconds.
        public var clockMilliseconds: Int64

        /// A moment in both times.
        public init(time: UTCTime, clockMilliseconds: Int64) {
            self.time = time
            self.clockMilliseconds = clockMilliseconds
        }

        /// What time it is when the machine's clock says that.
        public func time(at clock: Int64) -> UTCTime { time.advanced(byMilliseconds: clock &- clockMilliseconds) }

        /// How far a moment is from the line through this one, milliseconds.
        public func distance(to time: UTCTime, at clock: Int64) -> UInt64 {
            (self.time(at: clock).millisecondsSince1970 &- time.millisecondsSince1970).magnitude
        }
    }

    /// Consecutive fixes that agree.
    private struct Run: Hashable {
        /// When it began, by the machine's clock.
        let start: Int64
        /// Who began it.
        let source: String?
        var last: Anchor
        /// What its next fix has to agree with.
        var anchor: Anchor
        var count = 1
        /// How many of its fixes are from elsewhere.
        var otherCount = 0

        var span: Int64 { last.clockMilliseconds &- start }
        var isConfirmed: Bool { count >= ConfirmedTime.fixesNeeded && span >= ConfirmedTime.spanNeededMilliseconds }
    }

    private var run: Run?
    private var confirmed: Anchor?
    private var isSettled = false
    /// Whether what is confirmed is later than what was confirmed before it: nothing may be deleted by it for long.
    private var isContested = false

    /// Nothing is known yet, or what was settled before.
    ///
    /// - Parameter settled: by the same clock.
    public init(settled: Anchor? = nil) {
        confirmed = settled
        isSettled = settled != nil
    }

    /// Takes the time of a measured fix.
    ///
    /// - Parameters:
    ///   - time: the time of the fix.
    ///   - source: where the fix is from; nil when nobody knows.
    ///   - clock: a clock of the machine that never jumps and also runs while it sleeps (CLOCK_BOOTTIME), milliseconds.
    public mutating func process(_ time: UTCTime, from source: String? = nil, at clock: Int64) {
        let fix = Anchor(time: time, clockMilliseconds: clock)
        guard var run = self.run, run.anchor.distance(to: time, at: clock) <= ConfirmedTime.toleranceMilliseconds else {
            self.run = Run(start: clock, source: source, last: fix, anchor: fix)
            return
        }
        run.count += 1
        if source != run.source { run.otherCount += 1 }
        run.last = fix
        // The tolerance is for jitter, not for drift over months.
        if run.isConfirmed { run.anchor = fix }
        self.run = run
        guard run.isConfirmed else { return }
        let isBelieved = run.span >= ConfirmedTime.doubtMilliseconds || run.otherCount >= ConfirmedTime.fixesNeeded
        if contradicts(run) {
            guard isBelieved || !isSettled else { return }
            isContested = !isSettled && confirmed.map { $0.time(at: clock) < time } ?? false
        }
        if isBelieved || !isContested && run.span >= ConfirmedTime.settlingMilliseconds { isSettled = true }
        confirmed = fix
    }

    /// Takes the machine's wall clock when something keeps it right (NTP).
    public mutating func trust(_ time: UTCTime, at clock: Int64) {
        confirmed = Anchor(time: time, clockMilliseconds: clock)
        isSettled = true
    }

    /// The time at that moment of the machine's clock; nil while no date is confirmed.
    public func time(at clock: Int64) -> UTCTime? { confirmed?.time(at: clock) }

    /// The same, for what cannot be undone: nil also while the date is not settled, or the last fix contradicts it.
    public func certainTime(at clock: Int64) -> UTCTime? { run.map(contradicts) ?? false ? nil : settled?.time(at: clock) }

    /// A settled date: what another run of the program needs to know, as long as the machine's clock goes on.
    public var settled: Anchor? { isSettled ? confirmed : nil }

    /// The date that fixes agree on although it contradicts a settled one; nil when none is doubted.
    public var doubted: Anchor? { run.flatMap { isSettled && $0.isConfirmed && contradicts($0) ? $0.last : nil } }

    private func contradicts(_ run: Run) -> Bool {
        confirmed.map { $0.distance(to: run.last.time, at: run.last.clockMilliseconds) > ConfirmedTime.correctionMilliseconds } ?? false
    }
}
