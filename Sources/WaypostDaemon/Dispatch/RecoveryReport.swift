import WaypostDispatch
import WaypostSystem

/// The fate of a damaged or lost outbox.
///
/// It is reported once in the log, and by `status` until its destinations have what was left; a loss for an hour at least.
struct RecoveryReport {
    private var recovery: OutboxRecovery?
    private var toldAt: Int64 = 0
    private var isOver = false

    private static let memory: Int64 = 3_600_000

    /// The problem, in words for people.
    var problem: String? {
        guard let recovery, !isOver || recovery.lostCount != 0 && MonotonicClock.milliseconds - toldAt < RecoveryReport.memory else {
            return nil
        }
        return recovery.words
    }

    /// Notes the newest state; returns the line to log, if there is a new one.
    ///
    /// - Parameters:
    ///   - isOver: whether the destinations have what was left for them.
    ///   - age: how long ago the damage was found, in an earlier run perhaps, milliseconds.
    mutating func note(_ new: OutboxRecovery?, isOver: Bool, age: Int64) -> String? {
        var new = new
        new?.foundAt = nil
        self.isOver = isOver
        defer { toldAt = min(toldAt, MonotonicClock.milliseconds - age) }
        guard new != recovery else { return nil }
        (recovery, toldAt) = (new, MonotonicClock.milliseconds)
        return new?.words
    }
}
