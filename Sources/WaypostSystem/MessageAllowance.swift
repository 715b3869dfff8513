/// How many messages may come: so many at once, and so many a second.
struct MessageAllowance: Sendable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var lastUse = MonotonicClock.milliseconds

    /// An allowance of which nothing is used.
    init(burst: Double, perSecond: Double) {
        (self.burst, self.perSecond, left) = (burst, perSecond, burst)
    }

    /// Whether more came.
    var isOver: Bool { left < 0 }

    /// Takes that one came.
    mutating func use() {
        let now = MonotonicClock.milliseconds
        left = min(burst, left + Double(now - lastUse) / 1_000 * perSecond) - 1
        lastUse = now
    }
}
