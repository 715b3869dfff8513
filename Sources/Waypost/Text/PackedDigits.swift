/// Up to eight decimal digits in one word, read and written all at once.
///
/// The first digit is in the lowest byte, as in the memory of a little-endian machine.
/// - Source: D. Lemire, "Quickly parsing eight digits", 2018; P. Khuong, "How to print integers really fast", 2017.
enum PackedDigits {
    private static let zeros: UInt64 = 0x3030_3030_3030_3030

    /// Eight bytes of a text from a place on, which is not negative; bytes after its end are 0.
    @inline(__always)
    static func word(at offset: Int, in bytes: Span<UInt8>) -> UInt64 {
        guard offset <= bytes.count &- 8 else { return lastWord(at: offset, in: bytes) }
        return bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self).littleEndian
    }

    /// The word at a place with fewer than eight bytes after it, from loads that overlap instead of byte after byte.
    private static func lastWord(at offset: Int, in bytes: Span<UInt8>) -> UInt64 {
        let raw = bytes.bytes
        let count = bytes.count
        if count >= 8 {
            // The last eight bytes, without those before the place; a shift by 64 or more leaves 0.
            return raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 8, as: UInt64.self).littleEndian
                >> (8 &* (offset &- count &+ 8))
        }
        let left = count &- offset
        if left >= 4 {
            let low = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self).littleEndian
            let high = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self).littleEndian
            return UInt64(low) | UInt64(high) << (8 &* (left &- 4))
        }
        guard left > 0 else { return 0 }
        // Of one to three bytes the first, the middle and the last are all, some of them the same.
        let middle = left &>> 1
        return UInt64(bytes[offset]) | UInt64(bytes[offset &+ middle]) << (8 &* middle) | UInt64(bytes[count &- 1]) << (8 &* (left &- 1))
    }

    /// How many bytes of a word precede its first byte with that value; 8 when there is none.
    @inline(__always)
    static func count(before byte: UInt8, in word: UInt64) -> Int {
        let others = word ^ (UInt64(byte) &* 0x0101_0101_0101_0101)
        // Borrowing from the next higher byte makes marks above the first one, never below.
        return ((others &- 0x0101_0101_0101_0101) & ~others & 0x8080_8080_8080_8080).trailingZeroBitCount >> 3
    }

    /// A word without one of its first eight bytes.
    @inline(__always)
    static func removing(_ place: Int, from word: UInt64) -> UInt64 {
        let before = 1 &<< UInt64(truncatingIfNeeded: 8 &* place) &- 1
        return word & before | word &>> 8 & ~before
    }

    /// The number that the first 1 to 8 characters of a word form; nil when one of them is not a digit.
    @inline(__always)
    static func value(_ characters: UInt64, count: Int) -> UInt64? {
        // As if zeros preceded it: the last digit goes to the highest byte.
        let digits = (characters ^ zeros) &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
        guard (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080 == 0 else { return nil }
        let pairs = (digits &* 2_561) &>> 8
        let fours = ((pairs & 0x00FF_00FF_00FF_00FF) &* 6_553_601) &>> 16
        return ((fours & 0x0000_FFFF_0000_FFFF) &* 42_949_672_960_001) &>> 32
    }

    /// Digits with a point before, between or after them, as an integer and the number of digits after the point.
    ///
    /// Nil for anything else, for no point, and for more than seven digits before it or eight after it.
    @inline(__always)
    static func decimal(at offset: Int, count: Int, in bytes: Span<UInt8>) -> (value: UInt64, decimals: Int)? {
        let word = word(at: offset, in: bytes)
        let whole = self.count(before: UInt8(ascii: "."), in: word)
        guard count > 1, whole < min(8, count) else { return nil }
        let decimals = count &- whole &- 1
        if count <= 8 {
            // Without the point, all of it is one number.
            guard let digits = value(removing(whole, from: word), count: count &- 1) else { return nil }
            return (digits, decimals)
        }
        guard whole > 0, decimals <= 8, let high = value(word, count: whole),
            let low = value(self.word(at: offset &+ whole &+ 1, in: bytes), count: decimals)
        else { return nil }
        return (high &* powersOfTen[decimals] &+ low, decimals)
    }

    private static let powersOfTen: InlineArray<9, UInt64> = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

    /// The eight digits of a number below 10^8, each as a byte of 0...9.
    @inline(__always)
    static func digits(of number: UInt64) -> UInt64 {
        let high = number / 10_000
        let fours = high | (number &- high &* 10_000) &<< 32
        let hundreds = ((fours &* 10_486) &>> 20) & 0x0000_007F_0000_007F
        let pairs = hundreds | (fours &- hundreds &* 100) &<< 16
        let tens = ((pairs &* 103) &>> 10) & 0x000F_000F_000F_000F
        return tens | (pairs &- tens &* 10) &<< 8
    }

    /// The characters of digits.
    @inline(__always)
    static func characters(of digits: UInt64) -> UInt64 { digits | zeros }
}
