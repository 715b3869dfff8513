import Waypost

/// How long the last fix has been the last one, whatever else has come since.
///
/// While an update is delivered no other can come: a slow consumer is not a silent source. So the time that deliveries take does not
/// count, up to a minute in all; with a consumer that takes longer, the fix grows old.
/// - Concurrency: a value; times are milliseconds of one monotonic clock, given by the caller.
struct FixFreshness: Sendable {
    /// The time a fix may take from the receiver to here, in milliseconds; its own time says whether it was late.
    static let deliveryMilliseconds: Int64 = 500
    private static let mostTellingMilliseconds: Int64 = 60_000

    private var fixAt: Int64 = 0
    private var tellingMilliseconds: Int64 = 0
    private var hasHeard = false

    /// A new fix, or the start of a time in which one is expected.
    mutating func renew(at now: Int64) {
        self = FixFreshness()
        fixAt = now
    }

    /// The source has reported something other than a new fix.
    mutating func noteOther() { hasHeard = true }

    /// Delivering an update took this long.
    mutating func noteTelling(from start: Int64, to end: Int64) {
        tellingMilliseconds = min(tellingMilliseconds + max(0, end - start), FixFreshness.mostTellingMilliseconds)
    }

    /// How many milliseconds are left until the next fix is overdue.
    ///
    /// - Parameter limit: how long without a fix is a loss, in milliseconds.
    func milliseconds(until limit: Int64, at now: Int64) -> Int64 {
        fixAt + tellingMilliseconds + limit + FixFreshness.deliveryMilliseconds - now
    }

    /// The kind of loss when no fix comes.
    var reason: LossReason { hasHeard ? .noFix : .silent }
}
