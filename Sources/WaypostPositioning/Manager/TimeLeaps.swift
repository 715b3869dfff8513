import Waypost

/// Distinguishes a step of the receiver's date from a time without fixes: after a step the fixes go on as before.
///
/// A recording that is played faster than it was made has no such steps: there only the times of the fixes say how much time passed between
/// them. So fixes that come at less than half of their own pace are believed.
/// - Concurrency: a value; moments are milliseconds of a clock that keeps running during suspend, given by the caller.
struct TimeLeaps: Sendable {
    private var last: (time: Int64, moment: Int64)?
    private var isLive = true

    /// How far the receiver's time has jumped ahead with this fix, in milliseconds, to the second; nil when that much time may have passed.
    mutating func leapMilliseconds(to time: UTCTime?, at moment: Int64) -> Int64? {
        guard let time = time?.millisecondsSince1970 else { return nil }
        defer { last = (time, moment) }
        guard let last else { return nil }
        let (step, passed) = (time - last.time, moment - last.moment)
        if step <= 2 * passed + SilenceRule.leastMilliseconds {
            isLive = step <= 2 * passed
            return nil
        }
        return isLive ? (step - passed + 500) / 1_000 * 1_000 : nil
    }
}
