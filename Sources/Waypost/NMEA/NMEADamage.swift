/// What can be wrong with NMEA input.
public enum NMEADamage: Int, Sendable, CaseIterable {
    /// The checksum does not match: the line was changed in transit.
    case badChecksum
    /// The sentence ends before its checksum, or is too short for its type.
    case cut
    /// More than 1024 characters without a line end.
    case overlong
    /// Bytes that belong to no sentence: binary protocols, half lines, line noise.
    case noise
    /// A sentence with the right checksum that contains an unreadable value (a latitude of 91 degrees).
    case unreadableValue
}

extension NMEADamage {
    /// The name of the damage in messages.
    fileprivate var words: String {
        switch self {
        case .badChecksum: "sentences with a wrong checksum"
        case .cut: "cut sentences"
        case .overlong: "lines over \(NMEAFramer.longestLine) characters"
        case .noise: "lines with bytes that are not NMEA"
        case .unreadableValue: "sentences with a value that cannot be read"
        }
    }
}

/// How often each kind of damage occurred, and where first.
public struct NMEACounters: Sendable, Equatable {
    /// One kind's count.
    public typealias Tally = DamageTally

    /// Sentences of a known type with a good frame and all their fields; noise hardly ever looks like one.
    public internal(set) var sentences = 0
    /// Lines so far, empty ones included.
    public internal(set) var lines = 0
    private var tallies = [Tally](repeating: Tally(), count: NMEADamage.allCases.count)

    /// Creates counters at zero.
    public init() {}

    /// The count for one kind of damage.
    public subscript(damage: NMEADamage) -> Tally { tallies[damage.rawValue] }

    /// Whether anything was damaged.
    public var hasDamage: Bool { tallies.contains { $0.count > 0 } }

    /// One line for people per kind of damage found: what, how often, where first.
    public var summary: [String] {
        NMEADamage.allCases.compactMap { damage in
            let tally = self[damage]
            guard tally.count > 0 else { return nil }
            return "\(damage.words): \(tally.count), first at line \(tally.firstLine)"
        }
    }

    mutating func add(_ damage: NMEADamage) {
        tallies[damage.rawValue].count += 1
        if tallies[damage.rawValue].count == 1 { tallies[damage.rawValue].firstLine = lines }
    }
}
