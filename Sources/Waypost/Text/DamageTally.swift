/// How often one kind of damage occurred in an input, and where it first did.
public struct DamageTally: Sendable, Hashable {
    /// How many times.
    public internal(set) var count = 0
    /// The line of the first occurrence, counted from 1; 0 when there was none.
    public internal(set) var firstLine = 0

    /// Creates a tally without damage.
    public init() {}
}

extension DamageTally {
    /// Counts more occurrences, found on that line.
    mutating func note(line: Int, count more: Int = 1) {
        if count == 0 { firstLine = line }
        count += more
    }
}
