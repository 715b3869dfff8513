import Synchronization
import WaypostSystem

/// The heartbeat of one run of a live source: whether it still shows signs of life.
///
/// A sign of life is an event that was taken to the end (by the manager and all its consumers), or a look at a receiver that has nothing to
/// say: an attempt to reach it that has come to an end, a line that was found silent. So a receiver that is absent, a silent sky or a dead
/// network never count against the source; a thread that hangs, or a telling that never returns, does.
///
/// A source that waits without looking (a FIFO, a recording that pauses) has none, and nothing is due from it.
public final class SourceHeartbeat: Sendable {
    private static let watched = Mutex<[ObjectIdentifier: SourceHeartbeat]>([:])

    /// What messages call the source.
    public let name: String
    private let patienceMilliseconds: Int64
    private let lastSign = Atomic<Int64>(0)

    /// A watch that has not begun.
    ///
    /// - Parameters:
    ///   - name: the source, in what is told of it.
    ///   - patience: the longest time between two signs of life of a source that is well.
    public init(name: String, patience: Duration) {
        self.name = name
        patienceMilliseconds = Int64(patience / .milliseconds(1))
    }

    /// How long a device or a server of this machine may take: restarts of a user's program are a minute apart, drivers wait for half of one.
    public static let localPatience = Duration.seconds(150)
    /// How long an attempt to reach a server on the network may take: name servers that do not answer, then two minutes an address.
    public static let networkPatience = Duration.seconds(600)

    /// How all the live sources of this process fare.
    public enum Standing: Sendable, Equatable {
        /// None runs, so nothing is due.
        case nothingDue
        /// One at least gives signs of life.
        case alive
        /// None does, and their names.
        case overdue([String])
    }

    /// How all the live sources of this process fare at a moment of the monotonic clock, in milliseconds.
    ///
    /// One that is well suffices: a stand-in that hangs is no reason to end the source that works.
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

    /// The run has ended, or is not waited for any more.
    func end() {
        SourceHeartbeat.watched.withLock { $0[ObjectIdentifier(self)] = nil }
    }

    /// A sign of life, now.
    func noteSign() { lastSign.store(MonotonicClock.milliseconds, ordering: .relaxed) }
}
