/// Decides when a position counts as lost: no valid fix for as long as ``SilenceRule`` says.
///
/// One loss is reported once. The rule runs on the time of the fixes, so that a recording at full speed loses its position where the live
/// device did; a live source's owner adds what only a clock on the wall side can know, by ``lose()`` after ``timeoutMilliseconds``.
public struct PositionLossRule: Sendable {
    /// Whether the position is lost now.
    public private(set) var isLost = false
    private var lastFix: UTCTime?
    private var silence = SilenceRule()

    /// Nothing known yet, nothing lost.
    public init() {}

    /// How long without a fix is a loss for this receiver, in milliseconds.
    public var timeoutMilliseconds: Int64 { silence.limitMilliseconds }

    /// Takes a fix; true if the position was lost since the last one and this was not reported yet.
    public mutating func addFix(at time: UTCTime?) -> Bool {
        let wasLost = !isLost && isTimeout(at: time)
        silence.addReport(at: time)
        lastFix = time ?? lastFix
        isLost = false
        return wasLost
    }

    /// Takes a report without a fix; true when the position is lost from now on.
    public mutating func addNoFix(at time: UTCTime?) -> Bool { isTimeout(at: time) && lose() }

    /// Takes that the position is lost for another reason; true unless it was lost already.
    public mutating func lose() -> Bool {
        defer { isLost = true }
        return !isLost
    }

    /// Takes that the receiver sleeps as planned: the time until the next report does not count as a loss.
    public mutating func pause() {
        lastFix = nil
        silence.pause()
    }

    private func isTimeout(at time: UTCTime?) -> Bool {
        guard let time, let lastFix else { return false }
        return time.millisecondsSince1970 - lastFix.millisecondsSince1970 > timeoutMilliseconds
    }
}
