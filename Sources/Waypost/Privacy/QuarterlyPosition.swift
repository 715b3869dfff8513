/// What those are told who may only know roughly where the device is, and when: it changes when a quarter of an hour begins, and never in between.
///
/// ``PositionReduction`` says what is told of a position. When it is told must not reveal more: the moment at which a fix comes back is the end of
/// a tunnel, that at which it goes is the edge of a privacy zone. So the last position of a quarter of an hour is told when the next one begins, and
/// where positions are withheld at that moment, nothing is told during all of it.
///
/// - The time is that of the positions, also of recorded ones; between them, and when none come, it goes on with a clock.
/// - Only a device of which nothing was ever known tells its first position at once.
/// - A receiver whose date runs ahead changes it no more than four times in an hour of the clock.
///
/// - Concurrency: a value; its owner passes the milliseconds of a clock that goes on at all times.
package struct QuarterlyPosition: Sendable {
    private var reduction = PositionReduction()
    /// What was shared last.
    private var shared: PositionReduction.Told?
    private var isShown = true
    /// Whether nothing is told for the rest of this quarter of an hour.
    package private(set) var isHeldBack = false
    /// The last position of this quarter of an hour.
    private var next: Position?
    private var isNextShown = true
    /// The quarter of an hour that has begun last.
    private var quarter: Int64
    /// A time of the positions, and the clock's at that moment.
    private var anchor: (time: Int64, clock: Int64)
    private var knowsNothing = true
    /// The clock's readings at the last changes, while positions are live.
    private var changes: [Int64] = []
    private var isLive = false

    private static let mostChanges = 4
    /// In what time there may be so many, in milliseconds: less than an hour, as no quarter is to be missed for a clock that drifts.
    private static let changesMilliseconds: Int64 = 55 * 60_000

    /// Starts with nothing told, or with what was told before a restart.
    ///
    /// - Parameters:
    ///   - position: what was told before.
    ///   - time: about the time, until a position has one.
    ///   - clock: the clock.
    package init(resuming position: Position? = nil, at time: UTCTime, clock: Int64) {
        anchor = (time.millisecondsSince1970, clock)
        quarter = PositionReduction.quarter(of: time)
        guard let position else { return }
        reduction = PositionReduction(resuming: position, waits: false)
        (shared, knowsNothing) = (reduction.lastTold, false)
    }

    /// What is told now, unless ``look(clock:)`` was not called for long; nil for nothing.
    package var told: PositionReduction.Told? { isShown && !isHeldBack ? shared : nil }

    /// Notes a position.
    package mutating func process(_ position: Position, clock: Int64) {
        look(clock: clock)
        isNextShown = true
        guard let time = position.time else { return }
        anchor = (time.millisecondsSince1970, clock)
        isLive = position.moment.milliseconds != nil
        let now = PositionReduction.quarter(of: time)
        if now < quarter {
            // The date was wrong, also that of the last position.
            reduction.goBack(to: now)
            next = nil
        }
        if now != quarter { begin(now, clock) }
        if knowsNothing {
            knowsNothing = false
            shared = reduction.process(position)
        }
        next = position
    }

    /// Notes that no position may be told from now on, until the next one comes.
    package mutating func withhold(clock: Int64) {
        look(clock: clock)
        (isNextShown, knowsNothing) = (false, false)
    }

    /// Tells nothing until the next quarter of an hour begins: the end of what was hidden by somebody's will is nobody's business.
    package mutating func holdBack(clock: Int64) {
        look(clock: clock)
        isHeldBack = true
    }

    /// Notes how late it is; to be called before ``told`` is asked for.
    package mutating func look(clock: Int64) {
        let now = PositionReduction.quarter(of: time(at: clock))
        if now > quarter { begin(now, clock) }
    }

    /// When the clock shows the beginning of the next quarter of an hour; nil when nothing will change then.
    package func nextChange(clock: Int64) -> Int64? {
        guard next != nil || isShown != isNextShown || isHeldBack else { return nil }
        let start = PositionReduction.start(ofQuarter: quarter + 1).millisecondsSince1970
        return max(clock, anchor.clock + start - anchor.time, earliestChange)
    }

    /// When the next change may be at the earliest, by the clock.
    private var earliestChange: Int64 {
        changes.count == Self.mostChanges && isLive ? changes[0] + Self.changesMilliseconds : .min
    }

    /// Forgets where the device was in a stretch of time; returns whether what is told was of it.
    package mutating func forget(_ stretch: Range<UTCTime>) -> Bool {
        knowsNothing = false
        if let time = next?.time, stretch.contains(time) { next = nil }
        guard let time = shared?.position.time, PositionReduction.span(ofQuarterAt: time).overlaps(stretch) else { return false }
        (reduction, shared) = (PositionReduction(), nil)
        return true
    }

    private func time(at clock: Int64) -> UTCTime { UTCTime(millisecondsSince1970: anchor.time + clock - anchor.clock) }

    private mutating func begin(_ now: Int64, _ clock: Int64) {
        guard clock >= earliestChange else { return }
        quarter = now
        if let next {
            changes = changes.suffix(Self.mostChanges - 1) + [clock]
            shared = reduction.process(next)
            self.next = nil
        }
        isShown = isNextShown
        isHeldBack = false
    }
}
