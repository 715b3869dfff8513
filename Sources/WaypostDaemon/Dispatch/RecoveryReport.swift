import WaypostDispatch
import WaypostSystem

/// What became of a damaged or lost outbox, told in the log once, and by `status` until its destinations have what was left; a loss for an hour at least.
struct RecoveryReport {
    private var recovery: OutboxRecovery?
    private var toldAt: Int64 = 0
    private var isOver = false

    private static let memory: Int64 = 3_600_000

    /// What is wrong, for people.
    var problem: String? {
        guard let recovery, !isOver || recovery.lostCount != 0 && MonotonicClock.milliseconds - toldAt < RecoveryReport.memory else {
            return nil
        }
        return recovery.words
    }

    /// Takes how it is now; the line to log, if there is a new one.
    ///
    /// - Parameter isOver: whether the destinations have what was left for them.
    mutating func note(_ new: OutboxRecovery?, isOver: Bool) -> String? {
        self.isOver = isOver
        guard new != recovery else { return nil }
        (recovery, toldAt) = (new, MonotonicClock.milliseconds)
        return new?.words
    }
}
