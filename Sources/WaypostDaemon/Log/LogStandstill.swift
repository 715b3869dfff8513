import Waypost
import WaypostRecording

/// Whether positions arrive but none is logged, which is a problem once it has lasted a while.
///
/// - Concurrency: a value; one step per position.
struct LogStandstill: Sendable {
    private var reason: TrackSegmenter.Reason?
    private var sinceMilliseconds: Int64 = 0
    private var count = 0

    /// How long, in milliseconds, and for how many positions; when a receiver starts, the first few have no date.
    static let patience: Int64 = 10_000
    static let minimumCount = 3
    /// In a tunnel there is only dead reckoning.
    static let patienceWithoutSatellites: Int64 = 60_000

    /// Notes that a position was logged, or left out as too close to the last one, or that none arrives.
    mutating func end() { (reason, count) = (nil, 0) }

    /// Notes that a position was left out.
    mutating func note(_ position: Position, leftOutAs reason: TrackSegmenter.Reason, now: Int64) {
        // A user who simulates knows that it is not logged.
        if reason == .notMeasured, position.status == .simulated { return }
        if self.reason == nil { sinceMilliseconds = now }
        self.reason = reason
        count += 1
    }

    /// The problem, in words for people; nil when there is none.
    func words(now: Int64) -> String? {
        guard let reason else { return nil }
        let patience = reason == .notMeasured ? LogStandstill.patienceWithoutSatellites : LogStandstill.patience
        guard count >= LogStandstill.minimumCount, now - sinceMilliseconds >= patience else { return nil }
        return "positions come, but none has been logged for \(spanText(seconds: (now - sinceMilliseconds) / 1_000)): \(reason.words)"
    }
}
