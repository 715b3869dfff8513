/// Decides when a position counts as lost: no valid fix for 5 seconds or three periods of the receiver, whichever is longer.
///
/// One loss is reported once. The rule runs on the time of the fixes, so that a recording at full speed loses its position where the live
/// device did; a live source's owner adds what only a clock on the wall side can know, by ``lose()`` after ``timeoutMilliseconds``.
public struct PositionLossRule: Sendable {
    /// The shortest time without a fix that is a loss, in milliseconds.
    public static let shortestMilliseconds: Int64 = 5_000
    /// That many periods of the receiver without a fix are a loss.
    public static let periods: Int64 = 3
    /// How many intervals between fixes the period is learned from: the shortest of them.
    static let intervalsToLearn = 8

    /// Whether the position is lost now.
    public private(set) var isLost = false
    private var lastFix: UTCTime?
    private var intervals: [Int64] = []
    private var next = 0

    /// Nothing known yet, nothing lost.
    public init() {}

    /// How long without a fix is a loss for this receiver, in milliseconds.
    public var timeoutMilliseconds: Int64 {
        max(PositionLossRule.shortestMilliseconds, PositionLossRule.periods * (intervals.min() ?? 0))
    }

    /// Takes a fix; true when the position was lost between the last one and this one without anybody having said so.
    public mutating func addFix(at time: UTCTime?) -> Bool {
        var wasLost = false
        if let time, let last = lastFix, time > last {
            let interval = time.millisecondsSince1970 - last.millisecondsSince1970
            wasLost = !isLost && interval > timeoutMilliseconds
            if !isLost, !wasLost { learn(interval) }
        }
        lastFix = time ?? lastFix
        isLost = false
        return wasLost
    }

    /// Takes a report without a fix; true when the position is lost from now on.
    public mutating func addNoFix(at time: UTCTime?) -> Bool {
        guard let time, let last = lastFix, time.millisecondsSince1970 - last.millisecondsSince1970 > timeoutMilliseconds else {
            return false
        }
        return lose()
    }

    /// The position is lost for a reason that the fixes do not show; true unless it was lost already.
    public mutating func lose() -> Bool {
        defer { isLost = true }
        return !isLost
    }

    private mutating func learn(_ interval: Int64) {
        if intervals.count < PositionLossRule.intervalsToLearn {
            intervals.append(interval)
        } else {
            intervals[next] = interval
            next = (next + 1) % PositionLossRule.intervalsToLearn
        }
    }
}
