/// Turns the points of a recording into the steps of a replay, each with its moment on the replay's own time line.
///
/// ```swift
/// var schedule = ReplaySchedule(style: .interpolated, interval: .seconds(1))
/// for point in recording {
///     schedule.add(point, beginsSegment: false)
///     while let step = schedule.next() { play(step) }
/// }
/// schedule.finish()
/// while let step = schedule.next() { play(step) }
/// ```
/// The rules, for recordings as they are:
/// - The time line begins at 0 with the first point and never goes back. It follows the recording's times, with these exceptions.
/// - A point without a time comes one interval after the previous one.
/// - A point whose time is not after that of the previous one in its segment is left out and counted.
/// - Where a segment begins, where two points are further apart in time than the recording's rhythm (``RecordingRhythm``) or
///   ``longestStep`` allows, and at ``addLoss()``, the position is lost in between; nothing is interpolated there.
/// - A pause of more than ``longestPause`` between two points, and a segment that begins earlier than the previous one ended,
///   take one interval, so that nobody waits a night for the next morning's track.
/// - A point without an accuracy gets ``assumedAccuracyMetres``, marked as assumed.
/// - Cost: constant memory, however long the recording and its gaps.
public struct ReplaySchedule: Sendable {
    /// How the points of a recording become positions.
    public enum Style: String, Sendable, Hashable, CaseIterable {
        /// Each point at its own time.
        case actual
        /// One position per interval, on the straight line between the points before and after it.
        case interpolated
        /// One point per interval in the recording's order, whatever their times.
        case fixed
    }

    /// One step of a replay.
    public enum Step: Sendable, Equatable {
        /// A position, this many milliseconds after the start; `recordedTime` is the moment's time in the recording.
        ///
        /// The position's own `time` is not set, because only the player knows when it began.
        case position(Position, atMilliseconds: Int64, recordedTime: UTCTime?)
        /// The recording has no position from here on.
        case lost(atMilliseconds: Int64)
    }

    /// The allowed intervals: a tenth of a second to a day.
    public static let intervals: ClosedRange<Duration> = .milliseconds(100)...(.seconds(86_400))
    /// How many times faster than its own times a recording can be played; 0 plays it as fast as it is consumed.
    public static let speeds = 0.001...1e6
    /// The longest step between two connected points; after a longer one the log begins a new segment too.
    public static let longestStep: Duration = .seconds(600)
    /// The longest pause that is kept.
    public static let longestPause: Duration = .seconds(3_600)
    /// The accuracy of points that have none, in metres (68 %).
    public static let assumedAccuracyMetres = 5.0

    /// How points become positions.
    public private(set) var style: Style
    /// The interval between positions in the styles that have one, and between points without times.
    public private(set) var interval: Duration
    /// Points that were left out because their time was not after the previous one.
    public private(set) var disorderedCount = 0
    /// Points that had no time.
    public private(set) var untimedCount = 0
    /// Points that were added.
    public private(set) var pointCount = 0

    private struct Knot {
        var position: Position
        var offset: Int64
        /// The moment's time in the recording; after a point without a time, extrapolated from the last point with one.
        var recordedTime: UTCTime?
        var hasOwnTime: Bool
    }

    /// The time line's unit is the millisecond.
    private var intervalMilliseconds: Int64
    private var rhythm = RecordingRhythm(longestMilliseconds: longestStep.milliseconds)
    private var last: Knot?
    /// The end of the line from ``last``, in the interpolated style.
    private var target: Knot?
    /// When the next position between ``last`` and ``target`` is due.
    private var nextTick: Int64 = 0
    private var isLossNoted = false
    /// The moments of the last position that was returned, and of the one before; negative when there is none.
    private var toldOffset: Int64 = -1
    private var toldBefore: Int64 = -1
    private var ready: [Step] = []

    /// Creates a replay before its first point.
    ///
    /// - Parameters:
    ///   - style: how points become positions.
    ///   - interval: in whole milliseconds, one of ``intervals``; others are moved into that range.
    public init(style: Style = .actual, interval: Duration = .seconds(1)) {
        self.style = style
        self.interval = ReplaySchedule.interval(interval)
        intervalMilliseconds = self.interval.milliseconds
    }

    /// The nearest valid interval.
    public static func interval(_ duration: Duration) -> Duration { min(max(duration, intervals.lowerBound), intervals.upperBound) }

    /// Why a recording cannot be played like that, for people; nil when it can.
    ///
    /// - Parameters:
    ///   - speed: how many times as fast; 0 is as fast as it is consumed.
    ///   - interval: the time between positions.
    public static func problem(speed: Double, interval: Duration) -> String? {
        if !canPlay(at: speed) { return "the speed is \(speed) times; it must be 0 (at once), or from 0.001 to 1000000" }
        if !intervals.contains(interval) { return "the interval is \(interval / .seconds(1)) s; it must be from 0.1 to 86400 s" }
        return nil
    }

    /// Whether a recording can be played at that speed; 0 is as fast as it is consumed.
    public static func canPlay(at speed: Double) -> Bool { speed == 0 || speeds.contains(speed) }

    // MARK: - In

    /// Learns the recording's rhythm from a point that will be added later, as far ahead as is convenient.
    public mutating func foresee(_ point: Position, beginsSegment: Bool = false) {
        rhythm.learn(point.time, beginsSegment: beginsSegment)
    }

    /// Adds the next point; fetch all steps with ``next()`` before adding another one.
    public mutating func add(_ point: Position, beginsSegment: Bool = false) {
        pointCount += 1
        if point.time == nil { untimedCount += 1 }
        guard let last else {
            begin(Knot(position: point.forReplay, offset: 0, recordedTime: point.time, hasOwnTime: point.time != nil))
            return
        }
        var isConnected = !beginsSegment && !isLossNoted
        var step = intervalMilliseconds
        if let time = point.time, let before = last.recordedTime {
            let recordedStep = time.millisecondsSince1970 &- before.millisecondsSince1970
            if recordedStep <= 0, isConnected, last.hasOwnTime {
                disorderedCount += 1
                return
            }
            if recordedStep <= 0 || rhythm.isLoss(stepMilliseconds: recordedStep) { isConnected = false }
            if (1...ReplaySchedule.longestPause.milliseconds).contains(recordedStep) { step = recordedStep }
        }
        if style == .fixed { step = intervalMilliseconds }
        var recordedTime = point.time
        if recordedTime == nil { recordedTime = last.recordedTime?.advanced(byMilliseconds: step) }
        let knot = Knot(
            position: point.forReplay, offset: last.offset + step, recordedTime: recordedTime, hasOwnTime: point.time != nil)
        if isConnected { connect(knot) } else { restart(knot, after: last.offset) }
    }

    /// Notes that the recording had no position here.
    public mutating func addLoss() {
        isLossNoted = true
    }

    /// Notes that no point follows.
    public mutating func finish() {
        guard style == .interpolated, let last, toldOffset < last.offset else { return }
        deliver(last.position, at: last.offset, recordedTime: last.recordedTime)
    }

    // MARK: - Out

    /// The next step, or nil when another point is needed.
    public mutating func next() -> Step? {
        if !ready.isEmpty { return ready.removeFirst() }
        guard let from = last, let to = target else { return nil }
        guard style == .interpolated else {
            // Since a change of the style.
            (last, target) = (to, nil)
            deliver(to.position, at: to.offset, recordedTime: to.recordedTime)
            return ready.removeFirst()
        }
        guard nextTick < to.offset else {
            last = to
            target = nil
            return nil
        }
        let fraction = Double(nextTick - from.offset) / Double(to.offset - from.offset)
        let recordedTime = from.recordedTime?.advanced(byMilliseconds: nextTick - from.offset)
        let position = from.position.interpolated(
            to: to.position, fraction: fraction, spanSeconds: Double(to.offset - from.offset) / 1_000)
        deliver(position, at: nextTick, recordedTime: recordedTime)
        nextTick += intervalMilliseconds
        return ready.removeFirst()
    }

    // MARK: - While it is played

    /// Goes on in another style, or with another interval.
    ///
    /// The times that are already played stay. The step that was returned last, and is not played yet, is due again under the new rules: one
    /// interval after the position before it, where the style has intervals.
    /// - Parameters:
    ///   - style: how points become positions from now on.
    ///   - interval: in whole milliseconds, one of ``intervals``; others are moved into that range.
    ///   - step: the step that was returned last and is not played yet.
    /// - Returns: the step to play in its place; nil when ``next()`` has it.
    public mutating func change(to style: Style, interval: Duration, takingBack step: Step) -> Step? {
        let wasInterpolated = self.style == .interpolated
        self.style = style
        self.interval = ReplaySchedule.interval(interval)
        intervalMilliseconds = self.interval.milliseconds
        guard case .position(let position, let moment, let time) = step, toldBefore >= 0, var last else {
            nextTick = toldOffset + intervalMilliseconds
            return step
        }
        if wasInterpolated, target != nil {
            toldOffset = toldBefore
            nextTick = max(toldBefore + intervalMilliseconds, last.offset)
            return nil
        }
        guard !wasInterpolated, style == .fixed else {
            nextTick = moment + intervalMilliseconds
            return step
        }
        last.offset = toldBefore + intervalMilliseconds
        self.last = last
        toldOffset = last.offset
        return .position(position, atMilliseconds: last.offset, recordedTime: time)
    }

    // MARK: - Parts

    private mutating func begin(_ knot: Knot) {
        isLossNoted = false
        last = knot
        deliver(knot.position, at: knot.offset, recordedTime: knot.recordedTime)
        nextTick = knot.offset + intervalMilliseconds
    }

    private mutating func restart(_ knot: Knot, after offset: Int64) {
        finish()
        ready.append(.lost(atMilliseconds: offset))
        begin(knot)
    }

    private mutating func connect(_ knot: Knot) {
        if style == .interpolated {
            target = knot
        } else {
            last = knot
            deliver(knot.position, at: knot.offset, recordedTime: knot.recordedTime)
        }
    }

    private mutating func deliver(_ position: Position, at offset: Int64, recordedTime: UTCTime?) {
        (toldBefore, toldOffset) = (toldOffset, offset)
        ready.append(.position(position, atMilliseconds: offset, recordedTime: recordedTime))
    }
}
