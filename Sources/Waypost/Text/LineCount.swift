/// Counts the lines of a text that comes in pieces; CR, LF or both end one.
///
/// - Cost: a few instructions per eight bytes.
struct LineCount {
    private var lineFeeds = 0
    private var returns = 0

    /// The line that the next byte is on, counted from 1.
    var current: Int { 1 + max(lineFeeds, returns) }

    /// Adds a piece.
    mutating func add(_ bytes: Span<UInt8>) {
        let raw = bytes.bytes
        var place = 0
        while place &+ 8 <= bytes.count {
            // An eight-bit lane counts up to 255 of its bytes.
            let end = min(bytes.count &- 7, place &+ 255 * 8)
            var feeds: UInt64 = 0
            var ends: UInt64 = 0
            while place < end {
                let word = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
                feeds &+= LineCount.ones(where: word ^ 0x0A0A_0A0A_0A0A_0A0A)
                ends &+= LineCount.ones(where: word ^ 0x0D0D_0D0D_0D0D_0D0D)
                place &+= 8
            }
            lineFeeds &+= LineCount.sum(feeds)
            returns &+= LineCount.sum(ends)
        }
        while place < bytes.count {
            if bytes[unchecked: place] == 0x0A { lineFeeds &+= 1 }  // The line above is the check.
            if bytes[unchecked: place] == 0x0D { returns &+= 1 }
            place &+= 1
        }
    }

    /// The line of a byte in the next piece.
    func line(at offset: Int, in bytes: Span<UInt8>) -> Int {
        var count = self
        count.add(bytes.extracting(0..<offset))
        return count.current
    }

    /// A 1 in each of the eight bytes that is zero, a 0 in the others.
    @inline(__always)
    private static func ones(where word: UInt64) -> UInt64 {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        return ~((word & low) &+ low | word | low) >> 7
    }

    /// The sum of eight bytes.
    private static func sum(_ lanes: UInt64) -> Int {
        var rest = lanes
        var sum = 0
        while rest != 0 {
            sum += Int(rest & 0xFF)
            rest >>= 8
        }
        return sum
    }
}
