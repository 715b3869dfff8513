/// How many messages may arrive: a number at once, and a number per second.
struct MessageAllowance: Sendable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var lastUse = MonotonicClock.milliseconds

    /// An unused allowance.
    init(burst: Double, perSecond: Double) {
        (self.burst, self.perSecond, left) = (burst, perSecond, burst)
    }

    /// Whether more messages arrived than allowed.
    var isOver: Bool { left < 0 }

    /// Counts one message.
    mutating func use() {
        let now = MonotonicClock.milliseconds
        left = min(burst, left + Double(now - lastUse) / 1_000 * perSecond) - 1
        lastUse = now
    }
}
