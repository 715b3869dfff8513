// Numbers: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
//
// What a `Double` can hold exactly on the way (a mantissa below 2^53, a power of ten up to 10^22) is one multiplication or division of
// exact values, which IEEE 754 rounds correctly; the rest goes through the standard library.
//
// - Source: W. D. Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990 (the fast path).
extension JSONScanner {
    /// The number that begins here.
    mutating func number(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if isNegative { advance() }

        var mantissa: UInt64 = 0
        var isMantissaExact = true
        var exponent = 0
        let whole = digits(in: bytes, into: &mantissa, exact: &isMantissaExact)
        guard whole > 0 else { throw numberError(in: bytes) }
        guard whole == 1 || bytes[offset - whole] != UInt8(ascii: "0") else { throw error(.invalidNumber, at: start, in: bytes) }

        var isInteger = true
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isInteger = false
            advance()
            let decimals = digits(in: bytes, into: &mantissa, exact: &isMantissaExact)
            guard decimals > 0 else { throw numberError(in: bytes) }
            exponent = -decimals
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            advance()
            exponent += try writtenExponent(in: bytes)
        }

        if isInteger, isMantissaExact, let integer = JSONScanner.integer(mantissa, isNegative: isNegative) { return .integer(integer) }
        if isMantissaExact, mantissa <= 1 << 53, abs(exponent) <= 22 {
            let power = JSONScanner.powersOfTen[abs(exponent)]
            let magnitude = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
            return .number(isNegative ? -magnitude : magnitude)
        }
        let text = bytes.extracting(start..<offset).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        guard let value = Double(text), value.isFinite else { throw error(.numberOutOfRange, at: start, in: bytes) }
        return .number(value)
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    private static func integer(_ magnitude: UInt64, isNegative: Bool) -> Int64? {
        guard isNegative else { return Int64(exactly: magnitude) }
        // Minus zero stays a floating-point number, the only kind that can tell it from zero.
        guard magnitude > 0, magnitude <= Int64.min.magnitude else { return nil }
        return Int64(truncatingIfNeeded: 0 &- magnitude)
    }

    /// Reads digits on top of a mantissa; returns how many there were.
    private mutating func digits(in bytes: Span<UInt8>, into mantissa: inout UInt64, exact: inout Bool) -> Int {
        let start = offset
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            let (tens, tensOverflow) = mantissa.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = tens.addingReportingOverflow(UInt64(digit))
            if tensOverflow || sumOverflow { exact = false }
            mantissa = sum
            advance()
        }
        return offset - start
    }

    /// The number after the `e`; anything of more than eight digits is as good as infinite.
    private mutating func writtenExponent(in bytes: Span<UInt8>) throws(JSONError) -> Int {
        var isNegative = false
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
            isNegative = bytes[offset] == UInt8(ascii: "-")
            advance()
        }
        var value = 0
        let start = offset
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            value = min(value * 10 + Int(digit), 99_999_999)
            advance()
        }
        guard offset > start else { throw numberError(in: bytes) }
        return isNegative ? -value : value
    }

    private func numberError(in bytes: Span<UInt8>) -> JSONError {
        error(offset < bytes.count ? .invalidNumber : .unexpectedEnd, in: bytes)
    }
}
