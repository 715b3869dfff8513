/// Where the comma-separated fields of one sentence lie in its bytes, and how to read them.
///
/// Field 0 is the address (`GNRMC`). Readers return nil for an empty or missing field and for a malformed one; the last also sets
/// ``hasMalformed``. The bytes are those of one line: offsets have 16 bits.
struct NMEAFields {
    /// Fields beyond this number are cut off; the longest standard sentence has 26, proprietary ones up to 50.
    static let limit = 62

    /// Where each field starts, and after the last one where the next would start.
    ///
    /// An array and not an `InlineArray`: reading one field of a value passed `inout` copied all of them.
    private var starts = [UInt16](repeating: 0, count: limit + 1)
    /// The number of fields, including the address.
    private(set) var count = 0
    /// Whether a reader met a field that is neither empty nor readable.
    private(set) var hasMalformed = false

    /// Forgets the last sentence and finds the fields of the one whose address starts at `start`.
    ///
    /// - Returns: where the sentence ends - at its `*`, at a `$` or line end, or at the end of the bytes - and the checksum of what precedes it.
    @inline(__always)
    mutating func scan(_ bytes: Span<UInt8>, from start: Int) -> (end: Int, checksum: UInt8) {
        var starts = self.starts.mutableSpan
        var found = 0
        var checksum: UInt8 = 0
        var offset = start
        starts[0] = UInt16(truncatingIfNeeded: start)
        // Sixteen bytes in one step while no sentence ends in them.
        var sum: UInt64 = 0
        while offset &+ 16 <= bytes.count {
            let first = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self).littleEndian
            let second = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ 8, as: UInt64.self).littleEndian
            let ends = NMEAFields.belowPlus(first) | NMEAFields.belowPlus(second)
            if ends != 0 { break }
            found = NMEAFields.note(commasOf: first, at: offset, &starts, found)
            found = NMEAFields.note(commasOf: second, at: offset &+ 8, &starts, found)
            sum ^= first ^ second
            offset &+= 16
        }
        words: while offset &+ 8 <= bytes.count {
            let word = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self).littleEndian
            // Eight bytes in one step: the top bits of those below the plus sign, which include all that can end a sentence; and of the
            // commas, which add no bit to seven that are set.
            var marks = NMEAFields.belowPlus(word)
            while marks != 0 {
                let shift = UInt64(truncatingIfNeeded: marks.trailingZeroBitCount) & ~7
                marks &= marks &- 1
                if NMEAFields.endsSentence(UInt8(truncatingIfNeeded: word >> shift)) {
                    let rest = word & (1 &<< shift &- 1)
                    found = NMEAFields.note(commasOf: rest, at: offset, &starts, found)
                    sum ^= rest
                    offset &+= Int(shift >> 3)
                    break words
                }
            }
            found = NMEAFields.note(commasOf: word, at: offset, &starts, found)
            sum ^= word
            offset &+= 8
        }
        checksum = NMEAFields.folded(sum)
        while offset < bytes.count {
            let byte = bytes[unchecked: offset]  // The line above is the check.
            // One comparison for most bytes: digits, letters, point and minus lie above the comma.
            if byte <= UInt8(ascii: ",") {
                if byte == UInt8(ascii: ",") {
                    if found < NMEAFields.limit {
                        found += 1
                        starts[found] = UInt16(truncatingIfNeeded: offset + 1)
                    }
                } else if NMEAFields.endsSentence(byte) {
                    break
                }
            }
            checksum ^= byte
            offset += 1
        }
        if found < NMEAFields.limit {
            found += 1
            starts[found] = UInt16(truncatingIfNeeded: offset + 1)
        }
        count = found
        hasMalformed = false
        return (offset, checksum)
    }

    private static let topBits: UInt64 = 0x8080_8080_8080_8080
    private static let lowBits: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    private static let plusSigns: UInt64 = 0x2B2B_2B2B_2B2B_2B2B
    private static let commas: UInt64 = 0x2C2C_2C2C_2C2C_2C2C

    /// The top bits of the bytes below the plus sign.
    @inline(__always)
    private static func belowPlus(_ word: UInt64) -> UInt64 { ~((word | topBits) &- plusSigns) & ~word & topBits }

    /// Notes the field after each comma of a word of the sentence; returns how many fields were found so far.
    @inline(__always)
    private static func note(commasOf word: UInt64, at offset: Int, _ starts: inout MutableSpan<UInt16>, _ count: Int) -> Int {
        let others = word ^ commas
        // Seven bits that are not all zero carry into the eighth, but never into the next byte.
        var marks = ~(((others & lowBits) &+ lowBits) | others | lowBits)
        var found = count
        if count <= limit &- 8 {
            // There is room for all of them.
            let next = offset &+ 1
            while marks != 0 {
                found &+= 1
                starts[unchecked: found] = UInt16(truncatingIfNeeded: next &+ marks.trailingZeroBitCount >> 3)
                marks &= marks &- 1
            }
            return found
        }
        while marks != 0, found < limit {
            found &+= 1
            let next = offset &+ marks.trailingZeroBitCount >> 3 &+ 1
            starts[unchecked: found] = UInt16(truncatingIfNeeded: next)  // At most the limit.
            marks &= marks &- 1
        }
        return found
    }

    /// All eight bytes of a word, combined like the checksum.
    @inline(__always)
    private static func folded(_ word: UInt64) -> UInt8 {
        var word = word
        word ^= word >> 32
        word ^= word >> 16
        word ^= word >> 8
        return UInt8(truncatingIfNeeded: word)
    }

    @inline(__always)
    private static func endsSentence(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
    }

    @inline(__always)
    private func bounds(_ index: Int) -> Range<Int> {
        guard index < count else { return 0..<0 }
        return Int(starts[index])..<Int(starts[index + 1]) - 1
    }

    /// Whether the field is missing or has no characters.
    func isEmpty(_ index: Int) -> Bool { bounds(index).isEmpty }

    /// The byte range of a field; empty when it is missing.
    func range(_ index: Int) -> Range<Int> { bounds(index) }

    /// The only character of the field, or nil when it does not have exactly one.
    func character(_ index: Int, in bytes: Span<UInt8>) -> UInt8? {
        let range = bounds(index)
        return range.count == 1 ? bytes[range.lowerBound] : nil
    }

    /// An unsigned decimal integer of at most nine digits.
    mutating func integer(_ index: Int, in bytes: Span<UInt8>) -> Int? {
        let range = bounds(index)
        if range.isEmpty { return nil }
        if range.count <= 9, let value = digits(range, in: bytes) { return value }
        hasMalformed = true
        return nil
    }

    /// A decimal number with an optional sign and fraction, such as `-12.345`.
    mutating func decimal(_ index: Int, in bytes: Span<UInt8>) -> Double? {
        let range = bounds(index)
        if range.isEmpty { return nil }
        if let value = NMEAFields.decimal(range, in: bytes) { return value }
        hasMalformed = true
        return nil
    }

    /// A decimal number within the range; others are malformed.
    mutating func decimal(_ index: Int, in bytes: Span<UInt8>, within range: ClosedRange<Double>) -> Double? {
        guard let value = decimal(index, in: bytes) else { return nil }
        if range.contains(value) { return value }
        hasMalformed = true
        return nil
    }

    /// A decimal number that cannot be negative: a deviation, a dilution, a speed.
    mutating func magnitude(_ index: Int, in bytes: Span<UInt8>) -> Double? {
        decimal(index, in: bytes, within: 0...Double.greatestFiniteMagnitude)
    }

    /// A dilution of precision; 0 and the values that mean "none" (99.9, 99.99, 127) are nil.
    mutating func dilution(_ index: Int, in bytes: Span<UInt8>) -> Double? {
        magnitude(index, in: bytes).flatMap { $0 > 0 && $0 < 99 ? $0 : nil }
    }

    /// Speed in metres per second, to a tenth of a millimetre, from a field in knots.
    mutating func metresPerSecond(knots index: Int, in bytes: Span<UInt8>) -> Double? {
        magnitude(index, in: bytes).map { ($0 * (1_852.0 / 3_600)).roundedSpeed }
    }

    /// A direction in degrees, 0..<360; 360 is read as 0.
    mutating func course(_ index: Int, in bytes: Span<UInt8>) -> Double? {
        decimal(index, in: bytes, within: 0...360).map { $0 == 360 ? 0 : $0 }
    }

    /// A UTC time of day `hhmmss[.s...]` in milliseconds since midnight, cut to the millisecond; second 60 is a leap second.
    mutating func millisecondOfDay(_ index: Int, in bytes: Span<UInt8>) -> Int? {
        let range = bounds(index)
        if range.isEmpty { return nil }
        if let value = NMEAFields.millisecondOfDay(range, in: bytes) { return value }
        hasMalformed = true
        return nil
    }

    /// A place from four fields: `ddmm.mmmm`, `N` or `S`, `dddmm.mmmm`, `E` or `W`, the first at `index`.
    mutating func coordinate(at index: Int, in bytes: Span<UInt8>) -> Coordinate? {
        if isEmpty(index), isEmpty(index + 2) { return nil }
        if let latitude = angle(index, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"), in: bytes),
            let longitude = angle(index + 2, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"), in: bytes),
            let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        {
            return coordinate
        }
        hasMalformed = true
        return nil
    }

    // MARK: - Reading bytes

    private func digits(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        guard range.count == 2 else { return NMEAFields.number(at: range.lowerBound, count: range.count, in: bytes) }
        // The usual case: satellites and their directions.
        let tens = bytes[range.lowerBound] &- UInt8(ascii: "0")
        let ones = bytes[range.lowerBound &+ 1] &- UInt8(ascii: "0")
        return tens < 10 && ones < 10 ? Int(tens &* 10 &+ ones) : nil
    }

    /// That many digits as a number, of which the first eleven count; nil when there is anything else.
    @inline(__always)
    private static func number(at offset: Int, count: Int, in bytes: Span<UInt8>) -> Int? {
        if count > 8 { return longNumber(at: offset, count: count, in: bytes) }
        return number(PackedDigits.word(at: offset, in: bytes), count: count)
    }

    @inline(__always)
    private static func number(_ word: UInt64, count: Int) -> Int? {
        if count == 0 { return 0 }
        return PackedDigits.value(word, count: count).map { Int(truncatingIfNeeded: $0) }
    }

    @inline(never)
    private static func longNumber(at offset: Int, count: Int, in bytes: Span<UInt8>) -> Int? {
        var value = 0
        for place in 0..<count {
            let digit = bytes[offset + place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            if place < mostDigits { value = value * 10 + Int(digit) }
        }
        return value
    }

    /// The most digits of a number that count.
    private static let mostDigits = 11

    /// Digits with at most one point, as an integer and the number of decimals: at most 7 digits before the point; after it, only the first
    /// 11 count (a hundredth of a nanometre of latitude), so that the integer cannot overflow.
    @inline(__always)
    private static func mantissa(_ range: Range<Int>, in bytes: Span<UInt8>) -> (value: Int, decimals: Int)? {
        let count = range.count
        if let (value, decimals) = PackedDigits.decimal(at: range.lowerBound, count: count, in: bytes) {
            return (Int(truncatingIfNeeded: value), decimals)
        }
        return otherMantissa(range, in: bytes)
    }

    /// A number without a point or with many digits, or an invalid one.
    @inline(never)
    private static func otherMantissa(_ range: Range<Int>, in bytes: Span<UInt8>) -> (value: Int, decimals: Int)? {
        let count = range.count
        let word = PackedDigits.word(at: range.lowerBound, in: bytes)
        let whole = min(PackedDigits.count(before: UInt8(ascii: "."), in: word), count)
        guard whole <= 7, let high = number(word, count: whole) else { return nil }
        if whole == count { return whole > 0 ? (high, 0) : nil }
        let behind = count &- whole &- 1
        guard count > 1, let part = number(at: range.lowerBound &+ whole &+ 1, count: behind, in: bytes) else { return nil }
        let decimals = min(behind, mostDigits)
        return (high &* integerPowersOfTen[decimals] &+ part, decimals)
    }

    private static func decimal(_ range: Range<Int>, in bytes: Span<UInt8>) -> Double? {
        let first = bytes[range.lowerBound]
        let hasSign = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        guard let (value, decimals) = mantissa(hasSign ? range.lowerBound + 1..<range.upperBound : range, in: bytes) else { return nil }
        let magnitude = Double(value) / powersOfTen[decimals]
        // No minus sign here: it would turn 0 into -0.
        return first == UInt8(ascii: "-") ? 0 - magnitude : magnitude
    }

    /// Degrees from `dddmm.mmmm` and its hemisphere, to 1e-10 (0.01 mm): receivers are no more precise, and minutes divided by 60 never end.
    private func angle(_ index: Int, positive: UInt8, negative: UInt8, in bytes: Span<UInt8>) -> Double? {
        guard let hemisphere = character(index + 1, in: bytes), hemisphere == positive || hemisphere == negative,
            let (value, decimals) = NMEAFields.mantissa(bounds(index), in: bytes)
        else { return nil }
        let scale = NMEAFields.integerPowersOfTen[decimals]
        let (degrees, minutes) = value.quotientAndRemainder(dividingBy: 100 * scale)
        guard minutes < 60 * scale, degrees <= 180 else { return nil }
        let ten = 1e10
        let scaled = Double(degrees * 60 * scale + minutes) / Double(60 * scale) * ten
        // At most 1.8e12; the quotient is the nearest double to the decimal number.
        let magnitude = Double(Int64(scaled + 0.5)) / ten
        return hemisphere == negative ? 0 - magnitude : magnitude
    }

    private static func millisecondOfDay(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        guard range.count >= 6, let value = number(at: range.lowerBound, count: 6, in: bytes) else { return nil }
        let (hours, rest) = value.quotientAndRemainder(dividingBy: 10_000)
        let (minutes, seconds) = rest.quotientAndRemainder(dividingBy: 100)
        guard hours < 24, minutes < 60, seconds <= 60 else { return nil }
        let whole = ((hours &* 60 &+ minutes) &* 60 &+ seconds) &* 1_000
        if range.count == 6 { return whole }
        let decimals = range.count &- 7
        guard bytes[range.lowerBound + 6] == UInt8(ascii: "."),
            let part = number(at: range.lowerBound &+ 7, count: decimals, in: bytes)
        else { return nil }
        if decimals <= 3 { return whole &+ part &* integerPowersOfTen[3 &- decimals] }
        return whole &+ part / integerPowersOfTen[min(decimals, mostDigits) &- 3]
    }

    private static let integerPowersOfTen: InlineArray<12, Int> = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
    ]
    private static let powersOfTen: InlineArray<12, Double> = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11]
}
