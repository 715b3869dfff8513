/// Lets so many through at once and so many a second after that; counts the others.
///
/// - Concurrency: a value; times are milliseconds of one monotonic clock, given by the caller.
public struct RateLimit: Sendable {
    /// How many may come at once.
    public let burst: Double
    /// How many may come in a second, in the long run.
    public let perSecond: Double
    /// How many were kept back since ``takeHeldBack()``.
    public private(set) var heldBack = 0

    private var room: Double
    private var last: Int64?

    /// A limit that nothing has come to yet.
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

    /// How many were kept back since the last time.
    public mutating func takeHeldBack() -> Int {
        defer { heldBack = 0 }
        return heldBack
    }
}
