/// A decimal number being converted from digits to the nearest `Double`.
///
/// The digits form an integer of up to 64 bits; the value is that integer times a power of ten. It is rounded once: by one multiplication
/// or division of exact doubles where both fit, otherwise by dividing 128-bit by 64-bit integers. Only numbers with more digits than that, or
/// with an exponent, go through the standard library.
///
/// - Source: W. D. Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990 (the fast path).
struct DecimalNumber {
    /// The digits so far as an integer, without leading zeros.
    private(set) var mantissa: UInt64 = 0
    /// The power of ten by which the integer is multiplied.
    var exponent = 0
    /// Whether all digits fitted.
    private(set) var isExact = true

    /// Takes one digit, 0...9.
    @inline(__always)
    mutating func append(digit: UInt8) {
        // No overflow is possible below: 10 * (10^18 - 1) + 9 has 19 digits.
        if mantissa < 1_000_000_000_000_000_000 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
        } else {
            appendSlowly(digit)
        }
    }

    private mutating func appendSlowly(_ digit: UInt8) {
        let (tens, tensOverflow) = mantissa.multipliedReportingOverflow(by: 10)
        let (sum, sumOverflow) = tens.addingReportingOverflow(UInt64(digit))
        if tensOverflow || sumOverflow { isExact = false } else { mantissa = sum }
    }

    /// The nearest `Double`, or nil when the digits are not enough; then use ``value(reading:)``.
    @inline(__always)
    var magnitude: Double? {
        guard isExact else { return nil }
        if mantissa <= 1 << 53, -22...22 ~= exponent {
            let power = DecimalNumber.powersOfTen[abs(exponent)]
            return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        }
        return -19...(-1) ~= exponent ? quotient : nil
    }

    /// The mantissa over a power of ten that fits 64 bits, rounded to the nearest `Double`, ties to even.
    private var quotient: Double {
        let divisor = DecimalNumber.integerPowersOfTen[-exponent]
        let mantissaShift = mantissa.leadingZeroBitCount
        let divisorShift = divisor.leadingZeroBitCount
        // With both shifted to their top bit, half the one divided by the other is between 1/4 and 1: the quotient has 62 to 64 bits.
        let numerator = mantissa << mantissaShift
        let (quotient, remainder) = (divisor << divisorShift).dividingFullWidth((numerator >> 1, numerator << 63))
        // The remainder only matters to a tie: it sets the last bit, which is far below the 53 that are kept.
        let sticky = remainder == 0 ? quotient : quotient | 1
        return Double(sign: .plus, exponent: divisorShift - mantissaShift - 63, significand: Double(sticky))
    }

    /// The number in a text of digits, point and exponent, or nil when it is not one or is beyond the range of `Double`.
    static func value(reading text: Span<UInt8>) -> Double? {
        let string = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        guard let value = Double(string), value.isFinite else { return nil }
        return value
    }

    fileprivate static let powersOfTen: InlineArray<23, Double> = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
    private static let integerPowersOfTen: InlineArray<20, UInt64> = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
        1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000,
        100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]
}

// MARK: - XML Schema

extension Double {
    /// The number in a text of XML Schema's `decimal` or `double`, or nil when it is not one or not finite.
    ///
    /// ```
    /// space* (+|-)? (digits (. digits?)? | . digits) ((e|E) (+|-)? digits)? space*
    /// ```
    /// A negative zero loses its sign. `INF` and `NaN` are nil: neither is a measurement.
    /// - Cost: one pass without an allocation up to 19 digits.
    init?(xmlDecimal bytes: Span<UInt8>) {
        let range = bytes.trimmingXMLSpace
        var offset = range.lowerBound
        let end = range.upperBound
        guard offset < end else { return nil }
        let first = bytes[unchecked: offset]  // Within the range, as everything below.
        let isNegative = first == UInt8(ascii: "-")
        if isNegative || first == UInt8(ascii: "+") { offset += 1 }

        if let (value, decimals) = PackedDigits.decimal(at: offset, count: end - offset, in: bytes) {
            let magnitude = Double(value) / DecimalNumber.powersOfTen[decimals]  // Both are exact: at most 15 digits.
            self = isNegative ? 0 - magnitude : magnitude
            return
        }
        var number = DecimalNumber()
        let wholeStart = offset
        while offset < end, case let digit = bytes[unchecked: offset] &- UInt8(ascii: "0"), digit < 10 {
            number.append(digit: digit)
            offset += 1
        }
        var digitCount = offset - wholeStart
        if offset < end, bytes[unchecked: offset] == UInt8(ascii: ".") {
            offset += 1
            let start = offset
            while offset < end, case let digit = bytes[unchecked: offset] &- UInt8(ascii: "0"), digit < 10 {
                number.append(digit: digit)
                offset += 1
            }
            digitCount += offset - start
            number.exponent = start - offset
        }
        guard digitCount > 0 else { return nil }
        if offset < end {
            guard let exponent = Double.writtenExponent(bytes.extracting(offset..<end)) else { return nil }
            number.exponent += exponent
        }
        if let magnitude = number.magnitude {
            // No minus sign here: it would turn 0 into -0.
            self = isNegative ? 0 - magnitude : magnitude
        } else {
            guard let value = DecimalNumber.value(reading: bytes.extracting(wholeStart..<end)) else { return nil }
            self = isNegative ? 0 - value : value
        }
    }

    /// The exponent in an `e`, an optional sign and digits up to the end of the text; more than eight digits count as infinite.
    private static func writtenExponent(_ bytes: Span<UInt8>) -> Int? {
        guard bytes[0] | 0x20 == UInt8(ascii: "e"), bytes.count > 1 else { return nil }
        let hasSign = bytes[1] == UInt8(ascii: "-") || bytes[1] == UInt8(ascii: "+")
        let start = hasSign ? 2 : 1
        guard start < bytes.count else { return nil }
        var value = 0
        for offset in start..<bytes.count {
            let digit = bytes[offset] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = min(value * 10 + Int(digit), 99_999_999)
        }
        return bytes[1] == UInt8(ascii: "-") ? -value : value
    }
}

extension Span<UInt8> {
    /// The range without XML white space at either end.
    @inline(__always)
    var trimmingXMLSpace: Range<Int> {
        var start = 0
        var end = count
        while start < end, self[unchecked: start].isXMLSpace { start += 1 }
        while end > start, self[unchecked: end - 1].isXMLSpace { end -= 1 }
        return start..<end
    }
}

extension UInt8 {
    /// Whether the byte is XML white space: space, tab, CR or LF.
    @inline(__always)
    var isXMLSpace: Bool {
        self <= 0x20 && (self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09)
    }
}
