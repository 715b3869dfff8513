import Waypost

/// Names that are used once, on any device and in any run.
public enum UniqueName {
    /// The prefix followed by random hexadecimal digits: unique for ever without coordination, provided there are enough of them.
    ///
    /// - Parameters:
    ///   - prefix: how the name begins.
    ///   - time: becomes the first 48 bits, when it is known: growing names are neighbours in an index (as those of RFC 9562,
    ///     section 5.7), and many at a time change few pages.
    ///   - digitCount: at most 32, of which each has 4 bits.
    public static func make(_ prefix: StaticString, at time: UTCTime? = nil, digitCount: Int = 32) -> String {
        var bits = UInt128.random(in: .min ... .max)
        if let time { bits = bits >> 48 | UInt128(truncatingIfNeeded: time.millisecondsSince1970) << 80 }
        let start = prefix.utf8CodeUnitCount
        return String(unsafeUninitializedCapacity: start + digitCount) { text in
            prefix.withUTF8Buffer { for (index, byte) in $0.enumerated() { text.initializeElement(at: index, to: byte) } }
            for index in 0..<digitCount {
                let digit = UInt8(truncatingIfNeeded: bits >> 124)
                text.initializeElement(at: start + index, to: digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
                bits <<= 4
            }
            return start + digitCount
        }
    }
}
