import Synchronization
import Waypost
import WaypostControl
import WaypostSystem

/// Whether all is well, for those who may not know everything: it changes at most once in a quarter of an hour.
///
/// The moment at which a tracker begins to miss something is often that of a tunnel, of a garage, or of the edge of a network.
/// - Concurrency: from anywhere.
final class CoarseHealth: Sendable {
    private let last = Mutex<(quarter: Int64, health: StatusReport.Health)?>(nil)
    private let now: @Sendable () -> Int64

    private static let quarterMilliseconds: Int64 = 900_000

    /// - Parameter now: the milliseconds of a clock that never goes back.
    init(now: @escaping @Sendable () -> Int64 = { BootClock.milliseconds }) {
        self.now = now
    }

    /// What is told: the first answer of this quarter of an hour.
    func health(whenItIs health: StatusReport.Health) -> StatusReport.Health {
        let quarter = now() / CoarseHealth.quarterMilliseconds
        return last.withLock { last in
            if let last, last.quarter == quarter { return last.health }
            last = (quarter, health)
            return health
        }
    }
}
