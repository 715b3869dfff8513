/// Which positions a log may hold; each type gets its own GPX file.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LogType: String, Sendable, Hashable, CaseIterable {
    /// Every position as the source reported it, including dead-reckoned, simulated and manual fixes.
    case source
    /// Measured fixes.
    case raw
    /// The best position available: matched to a road where possible, else raw.
    case current
    /// Positions matched to roads.
    case matched
}
