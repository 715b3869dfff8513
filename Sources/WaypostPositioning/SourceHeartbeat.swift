import Synchronization
import WaypostSystem

/// The heartbeat of one run of a live source: whether it still shows signs of life.
///
/// A sign of life is an event that was processed completely (by the manager and all its consumers), or a check of a receiver that has
/// nothing to report: an attempt to reach it that has ended, a line that was found silent. So an absent receiver, a silent sky or a dead
/// network never counts against the source; a thread that hangs, or a delivery that never returns, does.
///
/// A source that waits without checking (a FIFO, a paused recording) has no heartbeat, and no sign of life is expected from it.
public final class SourceHeartbeat: Sendable {
    private static let watched = Mutex<[ObjectIdentifier: SourceHeartbeat]>([:])

    /// The name of the source in messages.
    public let name: String
    private let patienceMilliseconds: Int64
    private let lastSign = Atomic<Int64>(0)

    /// A watch that has not begun yet.
    ///
    /// - Parameters:
    ///   - name: the source's name in messages.
    ///   - patience: the longest time between two signs of life of a healthy source.
    public init(name: String, patience: Duration) {
        self.name = name
        patienceMilliseconds = Int64(patience / .milliseconds(1))
    }

    /// How long a device or a server on this machine may take: restarts of a user's program are a minute apart, drivers wait for half a minute.
    public static let localPatience = Duration.seconds(150)
    /// How long an attempt to reach a server on the network may take: name servers that do not answer, then two minutes per address.
    public static let networkPatience = Duration.seconds(600)

    /// The state of all live sources of this process.
    public enum Standing: Sendable, Equatable {
        /// None runs, so no sign of life is due.
        case nothingDue
        /// At least one shows signs of life.
        case alive
        /// None shows signs of life; their names.
        case overdue([String])
    }

    /// The state of all live sources of this process at a moment of the monotonic clock, in milliseconds.
    ///
    /// One healthy source is enough: a stand-in that hangs is no reason to end the source that works.
    public static func standing(at now: Int64 = MonotonicClock.milliseconds) -> Standing {
        let heartbeats = watched.withLock { Array($0.values) }
        if heartbeats.isEmpty { return .nothingDue }
        let overdue = heartbeats.filter { $0.isOverdue(at: now) }
        return overdue.count < heartbeats.count ? .alive : .overdue(overdue.map(\.name).sorted())
    }

    /// Whether the last sign of life is too long ago.
    func isOverdue(at now: Int64) -> Bool { now - lastSign.load(ordering: .relaxed) > patienceMilliseconds }

    /// The run begins.
    func begin() {
        noteSign()
        SourceHeartbeat.watched.withLock { $0[ObjectIdentifier(self)] = self }
    }

    /// The run has ended, or is no longer waited for.
    func end() {
        SourceHeartbeat.watched.withLock { $0[ObjectIdentifier(self)] = nil }
    }

    /// A sign of life, now.
    func noteSign() { lastSign.store(MonotonicClock.milliseconds, ordering: .relaxed) }
}
