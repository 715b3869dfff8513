// Numbers: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
//
// ``DecimalNumber`` rounds them.
extension JSONScanner {
    /// The number that begins here.
    mutating func number(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if isNegative { advance() }

        var number = DecimalNumber()
        let whole = digits(in: bytes, into: &number)
        guard whole > 0 else { throw numberError(in: bytes) }
        guard whole == 1 || bytes[offset - whole] != UInt8(ascii: "0") else { throw error(.invalidNumber, at: start, in: bytes) }

        var isInteger = true
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isInteger = false
            advance()
            let decimals = digits(in: bytes, into: &number)
            guard decimals > 0 else { throw numberError(in: bytes) }
            number.exponent = -decimals
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            advance()
            number.exponent += try writtenExponent(in: bytes)
        }

        if isInteger, number.isExact, let integer = JSONScanner.integer(number.mantissa, isNegative: isNegative) {
            return .integer(integer)
        }
        if let magnitude = number.magnitude { return .number(isNegative ? -magnitude : magnitude) }
        guard let value = DecimalNumber.value(reading: bytes.extracting(start..<offset)) else {
            throw error(.numberOutOfRange, at: start, in: bytes)
        }
        return .number(value)
    }

    private static func integer(_ magnitude: UInt64, isNegative: Bool) -> Int64? {
        guard isNegative else { return Int64(exactly: magnitude) }
        // Minus zero stays a floating-point number, because integers cannot represent it.
        guard magnitude > 0, magnitude <= Int64.min.magnitude else { return nil }
        return Int64(truncatingIfNeeded: 0 &- magnitude)
    }

    /// Reads digits; returns how many there were.
    private mutating func digits(in bytes: Span<UInt8>, into number: inout DecimalNumber) -> Int {
        let start = offset
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            number.append(digit: digit)
            advance()
        }
        return offset - start
    }

    /// The number after the `e`; more than eight digits count as infinite.
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
