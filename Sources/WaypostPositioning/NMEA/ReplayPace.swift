import Waypost
import WaypostSystem

/// When the epochs of a recording are due.
struct ReplayPace {
    /// A step in the recording's times that counts as a new start rather than a pause: an hour, or any step back.
    static let longestPauseMilliseconds: Int64 = 3_600_000

    private(set) var speed: Double
    private var start: (recorded: Int64, monotonic: Int64)?
    private var last: Int64 = 0

    /// - Parameter speed: times as fast as recorded; 0 never waits.
    init(speed: Double) {
        self.speed = speed
    }

    /// Postpones everything that follows.
    mutating func delay(byMilliseconds delay: Int64) { start?.monotonic += delay }

    /// Goes on at another speed.
    mutating func change(to speed: Double, now: Int64 = MonotonicClock.milliseconds) {
        guard speed != self.speed else { return }
        if let start {
            let reached = self.speed > 0 ? start.recorded + Int64(Double(now - start.monotonic) * self.speed) : last
            self.start = (reached, now)
        }
        self.speed = speed
    }

    /// How long to wait before a moment of the recording is due, in milliseconds.
    mutating func waitMilliseconds(until moment: Int64?, now: Int64 = MonotonicClock.milliseconds) -> Int64 {
        guard let recorded = moment else { return 0 }
        defer { last = recorded }
        guard speed > 0 else { return 0 }
        guard let start, recorded >= last, recorded - last <= ReplayPace.longestPauseMilliseconds else {
            start = (recorded, now)
            return 0
        }
        return max(0, start.monotonic + Int64(Double(recorded - start.recorded) / speed) - now)
    }
}
