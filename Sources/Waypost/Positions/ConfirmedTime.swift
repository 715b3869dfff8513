/// The current time, as far as it is certain.
///
/// A receiver that has just woken, or whose week counter rolled over, reports dates that are years off; a board without a clock boots in 1970.
/// So a date counts only when ``fixesNeeded`` consecutive fixes agree: their times advanced as fast as the machine's own clock. From then on
/// the machine's clock carries the date forward.
///
/// A date that fixes have agreed with for ``settlingMilliseconds`` is settled. A date that contradicts a settled one is doubted until it has
/// lasted for ``doubtMilliseconds``, or another source agrees with it. A date later than a confirmed one that was not yet settled counts at
/// once, but takes as long to settle as a doubted one. Only a settled date that nothing contradicts is good enough to delete data by.
/// - Concurrency: a value; one step per fix.
package struct ConfirmedTime: Sendable, Hashable {
    /// How many consecutive fixes confirm a date.
    package static let fixesNeeded = 5
    /// The time that these fixes must span, in milliseconds.
    package static let spanNeededMilliseconds: Int64 = 4_000
    /// How far the times of fixes may differ from the machine's clock, milliseconds: receivers are late, machines are busy.
    package static let toleranceMilliseconds: UInt64 = 2_000
    /// How long fixes must agree before a date is settled, in milliseconds.
    package static let settlingMilliseconds: Int64 = 60_000
    /// The largest correction of a settled date that raises no doubt, in milliseconds: receivers learn of leap seconds late.
    package static let correctionMilliseconds: UInt64 = 60_000
    /// How long a date that contradicts a settled one must last before it is believed, in milliseconds.
    package static let doubtMilliseconds: Int64 = 3_600_000

    /// One moment on both clocks.
    package struct Anchor: Sendable, Hashable {
        /// The UTC time.
        package var time: UTCTime
        /// The reading of the machine's clock, in milliseconds.
        package var clockMilliseconds: Int64

        /// Creates an anchor from a UTC time and the clock reading at that moment.
        package init(time: UTCTime, clockMilliseconds: Int64) {
            self.time = time
            self.clockMilliseconds = clockMilliseconds
        }

        /// The UTC time at a reading of the machine's clock.
        package func time(at clock: Int64) -> UTCTime { time.advanced(byMilliseconds: clock &- clockMilliseconds) }

        /// How far a time is from the one expected at that clock reading, in milliseconds.
        package func distance(to time: UTCTime, at clock: Int64) -> UInt64 {
            (self.time(at: clock).millisecondsSince1970 &- time.millisecondsSince1970).magnitude
        }
    }

    /// A run of consecutive fixes that agree.
    private struct Run: Hashable {
        /// When the run began, by the machine's clock.
        let start: Int64
        /// The source of the first fix.
        let source: String?
        var last: Anchor
        /// What the next fix must agree with.
        var anchor: Anchor
        var count = 1
        /// How many of the fixes come from another source.
        var otherCount = 0

        var span: Int64 { last.clockMilliseconds &- start }
        var isConfirmed: Bool { count >= ConfirmedTime.fixesNeeded && span >= ConfirmedTime.spanNeededMilliseconds }
    }

    private var run: Run?
    private var confirmed: Anchor?
    private var isSettled = false
    /// Whether the confirmed date is later than the one confirmed before it: it takes longer until anything may be deleted by it.
    private var isContested = false

    /// Starts with nothing known, or with a date that was settled before.
    ///
    /// - Parameter settled: the settled date, by the same clock.
    package init(settled: Anchor? = nil) {
        confirmed = settled
        isSettled = settled != nil
    }

    /// Processes the time of a measured fix.
    ///
    /// - Parameters:
    ///   - time: the time of the fix.
    ///   - source: where the fix comes from; nil when unknown.
    ///   - clock: the machine's clock that never jumps and also runs during sleep (CLOCK_BOOTTIME), in milliseconds.
    package mutating func process(_ time: UTCTime, from source: String? = nil, at clock: Int64) {
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

    /// Accepts the machine's wall clock when something keeps it right (NTP).
    package mutating func trust(_ time: UTCTime, at clock: Int64) {
        confirmed = Anchor(time: time, clockMilliseconds: clock)
        isSettled = true
    }

    /// The time at a reading of the machine's clock; nil while no date is confirmed.
    package func time(at clock: Int64) -> UTCTime? { confirmed?.time(at: clock) }

    /// The same for actions that cannot be undone: nil also while the date is not settled, or the last fix contradicts it.
    package func certainTime(at clock: Int64) -> UTCTime? { run.map(contradicts) ?? false ? nil : settled?.time(at: clock) }

    /// The settled date, which another run of the program can use as long as the machine's clock keeps running.
    package var settled: Anchor? { isSettled ? confirmed : nil }

    /// The date on which fixes agree although it contradicts a settled one; nil when there is none.
    package var doubted: Anchor? { run.flatMap { isSettled && $0.isConfirmed && contradicts($0) ? $0.last : nil } }

    private func contradicts(_ run: Run) -> Bool {
        confirmed.map { $0.distance(to: run.last.time, at: run.last.clockMilliseconds) > ConfirmedTime.correctionMilliseconds } ?? false
    }
}
