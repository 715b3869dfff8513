/// Decides when a position counts as lost: when no valid fix has come for as long as `SilenceRule` allows.
///
/// Each loss is reported once. The rule runs on the time of the fixes, so that a recording played at full speed loses its position where the
/// live device did. For a live source, the owner also watches a real clock and calls ``lose()`` after ``timeoutMilliseconds``.
public struct PositionLossRule: Sendable {
    /// Whether the position is lost now.
    public private(set) var isLost = false
    private var lastFix: UTCTime?
    private var silence = SilenceRule()

    /// Starts with nothing known and nothing lost.
    public init() {}

    /// How long this receiver may go without a fix before the position is lost, in milliseconds.
    public var timeoutMilliseconds: Int64 { silence.limitMilliseconds }

    /// Processes a fix; true if the position was lost since the last one and this was not reported yet.
    public mutating func addFix(at time: UTCTime?) -> Bool {
        let wasLost = !isLost && isTimeout(at: time)
        silence.addReport(at: time)
        // Of a fix without a time nothing is known but that it came: the next one's time does not tell how long after it.
        lastFix = time
        isLost = false
        return wasLost
    }

    /// Processes a report without a fix; true if the position has just been lost.
    ///
    /// It shows the receiver's rhythm as a fix does: one that reports each second is not a slow one because its fixes are far apart.
    public mutating func addNoFix(at time: UTCTime?) -> Bool {
        if time == nil { silence.pause() } else { silence.addReport(at: time) }
        return isTimeout(at: time) && lose()
    }

    /// Marks the position as lost for another reason; true unless it was lost already.
    public mutating func lose() -> Bool {
        defer { isLost = true }
        return !isLost
    }

    /// Begins anew: nothing is lost, and no fix is known.
    public mutating func begin() { (isLost, lastFix) = (false, nil) }

    /// Notes that the receiver sleeps as planned, so that the time until the next report does not count as a loss.
    public mutating func pause() {
        lastFix = nil
        silence.pause()
    }

    /// Judges by another receiver's rhythm from now on, as far as that is known.
    package mutating func follow(_ rhythm: SilenceRule) { silence.adopt(rhythm) }

    private func isTimeout(at time: UTCTime?) -> Bool {
        guard let time, let lastFix else { return false }
        return time.millisecondsSince1970 - lastFix.millisecondsSince1970 > timeoutMilliseconds
    }
}
