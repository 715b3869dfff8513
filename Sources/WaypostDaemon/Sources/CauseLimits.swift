import WaypostSystem

/// Lets a few lines of each cause through at once and then one a minute.
struct CauseLimits {
    /// How many lines of a cause may be written at once.
    static let linesAtOnce = 20.0
    private static let linesPerSecond = 1.0 / 60

    private var limits: [String: RateLimit] = [:]

    /// Whether a line of that cause may be written now: how many were left out before it; nil when it may not.
    mutating func passes(_ cause: String, at now: Int64) -> Int? {
        var limit = limits[cause] ?? RateLimit(burst: CauseLimits.linesAtOnce, perSecond: CauseLimits.linesPerSecond)
        defer { limits[cause] = limit }
        return limit.passes(at: now) ? limit.takeHeldBack() : nil
    }
}
