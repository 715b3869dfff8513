/// Lets a burst through at once and a fixed rate after that; counts the rest.
///
/// - Concurrency: a value; times are milliseconds of one monotonic clock, passed by the caller.
public struct RateLimit: Sendable {
    /// How many may pass at once.
    public let burst: Double
    /// How many may pass per second, in the long run.
    public let perSecond: Double
    /// How many were held back since ``takeHeldBack()``.
    public private(set) var heldBack = 0

    private var room: Double
    private var last: Int64?

    /// An unused limit.
    public init(burst: Double, perSecond: Double) {
        self.burst = burst
        self.perSecond = perSecond
        room = burst
    }

    /// Whether the next one passes.
    public mutating func passes(at now: Int64) -> Bool {
        if let last { room = min(burst, room + Double(now - last) / 1_000 * perSecond) }
        last = now
        guard room >= 1 else {
            heldBack += 1
            return false
        }
        room -= 1
        return true
    }

    /// Returns how many were held back since the last call.
    public mutating func takeHeldBack() -> Int {
        defer { heldBack = 0 }
        return heldBack
    }
}
