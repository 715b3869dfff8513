/// Which positions a log may hold; each type becomes a GPX file of its own.
public enum LogType: String, Sendable, Hashable, CaseIterable {
    /// Everything as the source gave it, dead-reckoned, simulated and manual fixes included.
    case source
    /// Measured fixes.
    case raw
    /// The best position available: matched to a road where possible, else raw.
    case current
    /// Positions matched to roads.
    case matched
}
