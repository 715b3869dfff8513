import Waypost

/// How long the last fix has been the last one, whatever else has come since.
///
/// While an update is delivered no other can come: a slow consumer is not a silent source. So the time that deliveries take does not
/// count, up to a minute in all; with a consumer that takes longer, the fix grows old. Nor is a source silent because this process was stopped
/// or held up: what has come meanwhile is read before the fix is called overdue.
/// - Concurrency: a value; times are milliseconds of one monotonic clock, given by the caller.
struct FixFreshness: Sendable {
    /// The time a fix may take from the receiver to here, in milliseconds; its own time says whether it was late.
    static let deliveryMilliseconds: Int64 = 500
    /// How long before the end of that time what has come is read once more, in milliseconds.
    static let lookMilliseconds: Int64 = 300
    /// The same after this process was stopped or held up: there may be much, on a machine that is busy.
    private static let longestLookMilliseconds: Int64 = 1_500
    private static let mostTellingMilliseconds: Int64 = 60_000

    private var fixAt: Int64 = 0
    private var tellingMilliseconds: Int64 = 0
    private var hasHeard = false
    /// Whether the fix itself is still being delivered.
    private var isTelling = false
    /// When the fix was last found to be overdue.
    private var lookAt: Int64?

    /// A new fix, or the start of a time in which one is expected.
    mutating func renew(at now: Int64) {
        self = FixFreshness()
        fixAt = now
        isTelling = true
    }

    /// The source has reported something other than a new fix.
    mutating func noteOther() { hasHeard = true }

    /// Delivering an update took this long.
    mutating func noteTelling(from start: Int64, to end: Int64) {
        tellingMilliseconds = min(tellingMilliseconds + max(0, end - start), FixFreshness.mostTellingMilliseconds)
        // What came behind the fix could not be read before.
        if isTelling { lookAt = nil }
        isTelling = false
    }

    /// How many milliseconds are left until the next fix is overdue, if nothing comes in a last look.
    ///
    /// - Parameter limit: how long without a fix is a loss, in milliseconds.
    func milliseconds(until limit: Int64, at now: Int64) -> Int64 {
        fixAt + tellingMilliseconds + limit + FixFreshness.deliveryMilliseconds - FixFreshness.lookMilliseconds - now
    }

    /// How long an overdue fix may still be on its way, because nothing was read until just now; nil when what has come is read.
    ///
    /// - Parameter lateness: for how long it has been overdue, in milliseconds.
    mutating func millisecondsToLook(at now: Int64, lateness: Int64) -> Int64? {
        defer { lookAt = now }
        if let lookAt, now - lookAt < 2 * FixFreshness.longestLookMilliseconds { return nil }
        return lateness < FixFreshness.lookMilliseconds ? FixFreshness.lookMilliseconds : FixFreshness.longestLookMilliseconds
    }

    /// The kind of loss when no fix comes.
    var reason: LossReason { hasHeard ? .noFix : .silent }
}
