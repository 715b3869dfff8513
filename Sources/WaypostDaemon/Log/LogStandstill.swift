import Waypost
import WaypostRecording

/// Whether positions come of which none is logged: what nobody wants is a problem once it has lasted.
///
/// - Concurrency: a value; one step per position.
struct LogStandstill: Sendable {
    private var reason: TrackSegmenter.Reason?
    private var sinceMilliseconds: Int64 = 0
    private var count = 0

    /// So long, milliseconds, and so many positions; at the start of a receiver the first few have no date.
    static let patience: Int64 = 10_000
    static let minimumCount = 3
    /// In a tunnel there is dead reckoning alone.
    static let patienceWithoutSatellites: Int64 = 60_000

    /// Takes that a position was logged, or left out because the log says enough already, or that none comes.
    mutating func end() { (reason, count) = (nil, 0) }

    /// Takes that a position was left out.
    mutating func note(_ position: Position, leftOutAs reason: TrackSegmenter.Reason, now: Int64) {
        // Whoever simulates knows that it is not logged.
        if reason == .notMeasured, position.status == .simulated { return }
        if self.reason == nil { sinceMilliseconds = now }
        self.reason = reason
        count += 1
    }

    /// What is wrong, for people; nil when nothing is.
    func words(now: Int64) -> String? {
        guard let reason else { return nil }
        let patience = reason == .notMeasured ? LogStandstill.patienceWithoutSatellites : LogStandstill.patience
        guard count >= LogStandstill.minimumCount, now - sinceMilliseconds >= patience else { return nil }
        return "positions come, but none has been logged for \(spanText(seconds: (now - sinceMilliseconds) / 1_000)): \(reason.words)"
    }
}
