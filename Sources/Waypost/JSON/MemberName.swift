/// The name of a member of an object, packed into two words, so that it is compared with a literal in two steps.
///
/// Names of more than 16 bytes are all the same, and equal to no literal.
struct MemberName: Equatable, ExpressibleByStringLiteral {
    private let first: UInt64
    private let second: UInt64

    /// More than any name that is read has: `accuracy_from` has 13.
    private static let mostBytes = 16

    /// A name in the text, without escapes.
    init(_ bytes: Span<UInt8>) {
        guard bytes.count <= MemberName.mostBytes else {
            (first, second) = (.max, .max)
            return
        }
        var (first, second): (UInt64, UInt64) = (0, 0)
        for index in 0..<min(8, bytes.count) { first |= UInt64(bytes[index]) &<< UInt64(8 &* index) }
        if bytes.count > 8 {
            for index in 8..<bytes.count { second |= UInt64(bytes[index]) &<< UInt64(8 &* (index &- 8)) }
        }
        (self.first, self.second) = (first, second)
    }

    /// A name in memory.
    init(_ name: String) {
        let bytes = Array(name.utf8)
        self.init(bytes.span)
    }

    /// A literal of at most 16 bytes; the compiler computes the words.
    @inline(__always)
    init(stringLiteral name: StaticString) {
        var (first, second): (UInt64, UInt64) = (0, 0)
        let count = name.utf8CodeUnitCount
        for index in 0..<8 where index < count { first |= UInt64(name.utf8Start[index]) &<< UInt64(8 &* index) }
        for index in 8..<16 where index < count { second |= UInt64(name.utf8Start[index]) &<< UInt64(8 &* (index &- 8)) }
        (self.first, self.second) = (first, second)
    }
}
