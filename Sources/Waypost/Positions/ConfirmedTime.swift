/// What time it is, as far as that is certain enough to delete something.
///
/// A receiver that has just woken, or whose week counter ran over, gives dates that are years off; a board without a clock boots in 1970. So a
/// date counts only when ``fixesNeeded`` consecutive fixes agree: their times went on as fast as the machine's own clock did. From then on
/// the machine's clock carries it, and a later date that disagrees counts only when it is confirmed in the same way.
/// - Concurrency: a value; one step per fix.
public struct ConfirmedTime: Sendable, Hashable {
    /// So many consecutive fixes confirm a date.
    public static let fixesNeeded = 5
    /// They are spread over so long at least, milliseconds.
    public static let spanNeededMilliseconds: Int64 = 4_000
    /// So far the times of fixes may stray from the machine's clock, milliseconds: receivers deliver late, machines are busy.
    public static let toleranceMilliseconds: UInt64 = 2_000

    /// A moment in both times.
    private struct Anchor: Hashable {
        var time: UTCTime
        var clockMilliseconds: Int64

        func expected(at clock: Int64) -> UTCTime { time.advanced(byMilliseconds: clock - clockMilliseconds) }
    }

    private var confirmed: Anchor?
    private var candidate: Anchor?
    private var agreeingCount = 0

    /// Nothing is known yet.
    public init() {}

    /// Takes the time of a measured fix.
    ///
    /// - Parameter clock: a clock of the machine that never jumps and also runs while it sleeps (CLOCK_BOOTTIME), milliseconds.
    public mutating func process(_ time: UTCTime, at clock: Int64) {
        guard let first = candidate,
            (first.expected(at: clock).millisecondsSince1970 &- time.millisecondsSince1970).magnitude
                <= ConfirmedTime.toleranceMilliseconds
        else {
            candidate = Anchor(time: time, clockMilliseconds: clock)
            agreeingCount = 1
            return
        }
        agreeingCount += 1
        if agreeingCount >= ConfirmedTime.fixesNeeded, clock - first.clockMilliseconds >= ConfirmedTime.spanNeededMilliseconds {
            confirmed = Anchor(time: time, clockMilliseconds: clock)
            // The tolerance is for jitter, not for drift over months.
            candidate = confirmed
        }
    }

    /// Takes the machine's wall clock when something keeps it right (NTP).
    public mutating func trust(_ time: UTCTime, at clock: Int64) {
        confirmed = Anchor(time: time, clockMilliseconds: clock)
    }

    /// The time at that moment of the machine's clock; nil while no date is confirmed.
    public func time(at clock: Int64) -> UTCTime? { confirmed?.expected(at: clock) }
}
