/// Decides when a position counts as lost: when no valid fix has come for as long as `SilenceRule` allows.
///
/// Each loss is reported once. The rule runs on the time of the fixes, so that a recording played at full speed loses its position where the
/// live device did. For a live source, the owner also watches a real clock and calls ``lose()`` after ``timeoutMilliseconds``.
public struct PositionLossRule: Sendable {
    /// Whether the position is lost now.
    public private(set) var isLost = false
    private var lastFix: (time: UTCTime?, moment: Int64?)
    private var silence = SilenceRule()

    /// Starts with nothing known and nothing lost.
    public init() {}

    /// How long this receiver may go without a fix before the position is lost, in milliseconds.
    public var timeoutMilliseconds: Int64 { silence.limitMilliseconds }

    /// Processes a fix; true if the position was lost since the last one and this was not reported yet.
    public mutating func addFix(at time: UTCTime?) -> Bool { addFix(at: time, moment: nil) }

    /// Processes a live fix at this moment of its ``FixTimeline``.
    ///
    /// Between two live fixes passed what both their times and their moments say: the times alone may have jumped, and the moments make up for
    /// steps that were not believed at once.
    package mutating func addFix(at time: UTCTime?, moment: Int64?) -> Bool {
        let wasLost = !isLost && isTimeout(at: time, moment: moment)
        if let known = time?.millisecondsSince1970 ?? moment { silence.addReport(atMilliseconds: known) }
        // Of a fix without a time nothing is known but that it came: the next one's time does not tell how long after it.
        lastFix = (time, moment)
        isLost = false
        return wasLost
    }

    /// Processes a report without a fix; true if the position has just been lost.
    ///
    /// It shows the receiver's rhythm as a fix does: one that reports each second is not a slow one because its fixes are far apart.
    public mutating func addNoFix(at time: UTCTime?) -> Bool { addNoFix(at: time, moment: nil) }

    /// Processes a live report without a fix at this moment of the ``FixTimeline`` of its source.
    package mutating func addNoFix(at time: UTCTime?, moment: Int64?) -> Bool {
        if time == nil { silence.pause() } else { silence.addReport(at: time) }
        return isTimeout(at: time, moment: moment) && lose()
    }

    /// Marks the position as lost for another reason; true unless it was lost already.
    public mutating func lose() -> Bool {
        defer { isLost = true }
        return !isLost
    }

    /// Begins anew: nothing is lost, and no fix is known.
    public mutating func begin() { (isLost, lastFix) = (false, (nil, nil)) }

    /// Notes that the receiver sleeps as planned, so that the time until the next report does not count as a loss.
    public mutating func pause() {
        lastFix = (nil, nil)
        silence.pause()
    }

    /// Judges by another receiver's rhythm from now on, as far as that is known.
    package mutating func follow(_ rhythm: SilenceRule) { silence.adopt(rhythm) }

    private func isTimeout(at time: UTCTime?, moment: Int64?) -> Bool {
        guard let time, let last = lastFix.time else { return false }
        let passed = time.millisecondsSince1970 - last.millisecondsSince1970
        let passedByMoments = moment.flatMap { moment in lastFix.moment.map { moment - $0 } }
        return min(passed, passedByMoments ?? passed) > timeoutMilliseconds
    }
}
