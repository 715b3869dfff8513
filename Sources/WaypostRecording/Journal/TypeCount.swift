/// How many of something the tracks of each log type have: positions, or segments.
///
/// People and programs are told one number, ``largest``: a position that is in three tracks, raw, current and matched, is one position.
public struct TypeCount: Sendable, Hashable {
    /// A count for each bit of ``LogTypes``.
    private var counts = SIMD8<Int>()

    /// Nothing yet.
    public init() {}

    /// The count of the type that has the most: the one that leaves out the least.
    public var largest: Int { counts.max() }

    /// Counts one more for each of these types.
    public mutating func add(_ types: LogTypes) { forEach(of: types) { $0 &+= 1 } }

    private mutating func forEach(of types: LogTypes, _ change: (inout Int) -> Void) {
        for bit in 0..<8 where types.rawValue & (1 << UInt8(bit)) != 0 { change(&counts[bit]) }
    }
}
