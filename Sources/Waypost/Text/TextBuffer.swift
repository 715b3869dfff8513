/// UTF-8 text that is built piece by piece, without going through `String` where that would cost.
///
/// - Cost: no allocation per piece once the buffer has grown; keep one and call ``removeAll()`` between records.
public struct TextBuffer: Sendable {
    /// The text so far, UTF-8.
    public private(set) var bytes: [UInt8]

    /// An empty buffer with room for that many bytes.
    public init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// The number of bytes so far.
    @inlinable public var count: Int { bytes.count }

    /// The text as a `String`.
    public var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Empties the buffer and keeps its room.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Cuts the text back to its first `count` bytes.
    public mutating func truncate(to count: Int) {
        bytes.removeLast(bytes.count - count)
    }

    /// Appends one byte of UTF-8.
    public mutating func append(byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends bytes of UTF-8.
    public mutating func append(contentsOf slice: some Sequence<UInt8>) {
        bytes.append(contentsOf: slice)
    }

    /// Appends a literal.
    public mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a string.
    public mutating func append(string: String) {
        bytes.append(contentsOf: string.utf8)
    }

    /// Appends an integer in decimal.
    public mutating func append(integer value: some BinaryInteger) {
        let number = Int64(clamping: value)
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        append(magnitude: number.magnitude, minimumDigits: 1)
    }

    /// Appends a number as the shortest decimal that reads back as the same `Double`.
    ///
    /// - Range: finite values; others are a programmer error.
    public mutating func append(shortest value: Double) {
        precondition(value.isFinite, "only finite numbers have a decimal form")
        // A value that came from up to seven decimals needs no search: k / 10^n is the correctly rounded quotient of two exact
        // doubles, so the text k * 10^-n reads back as that same double.
        let magnitude = abs(value)
        if magnitude < 9e8 {
            for (decimals, scale) in TextBuffer.shortScales {
                let scaled = (magnitude * scale).rounded()
                if scaled / scale == magnitude {
                    if value.sign == .minus { bytes.append(UInt8(ascii: "-")) }
                    append(scaled: UInt64(scaled), decimals: decimals, trimsZeros: true)
                    return
                }
            }
        }
        append(string: value.description)
    }

    private static let shortScales: [(Int, Double)] = [(3, 1e3), (7, 1e7)]

    /// Appends a number rounded to a fixed number of decimals, half away from zero; a negative zero loses its sign.
    ///
    /// - Range: finite, |value| * 10^decimals below 9e18, 0...9 decimals; others are a programmer error.
    public mutating func append(_ value: Double, decimals: Int, trimsZeros: Bool = false) {
        let scaled = (abs(value) * TextBuffer.powersOfTen[decimals]).rounded()
        precondition(scaled < 9e18, "number out of range")
        let magnitude = UInt64(scaled)
        if value < 0, magnitude != 0 { bytes.append(UInt8(ascii: "-")) }
        append(scaled: magnitude, decimals: decimals, trimsZeros: trimsZeros)
    }

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
    private static let integerPowersOfTen: [UInt64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    private mutating func append(scaled: UInt64, decimals: Int, trimsZeros: Bool) {
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: TextBuffer.integerPowersOfTen[decimals])
        append(magnitude: whole, minimumDigits: 1)
        guard decimals > 0, !(trimsZeros && part == 0) else { return }
        var rest = part
        var digits = decimals
        if trimsZeros {
            while rest % 10 == 0 {
                rest /= 10
                digits -= 1
            }
        }
        bytes.append(UInt8(ascii: "."))
        append(magnitude: rest, minimumDigits: digits)
    }

    /// Appends digits, zero-padded on the left.
    mutating func append(magnitude: UInt64, minimumDigits: Int) {
        var digits = 1
        var bound: UInt64 = 10
        while digits < 20, magnitude >= bound {
            digits += 1
            let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
            if overflow { break }
            bound = next
        }
        digits = max(digits, minimumDigits)
        let start = bytes.count
        for _ in 0..<digits { bytes.append(UInt8(ascii: "0")) }
        var rest = magnitude
        var place = start + digits
        while rest > 0 {
            place -= 1
            bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Appends a moment as RFC 3339 UTC: `2026-11-21T11:33:28.250Z`.
    ///
    /// - Parameter trimsMilliseconds: leave `.000` out when the moment is a whole second.
    public mutating func append(_ time: UTCTime, trimsMilliseconds: Bool = false) {
        let calendar = time.calendar
        append(magnitude: UInt64(max(calendar.year, 0)), minimumDigits: 4)
        bytes.append(UInt8(ascii: "-"))
        append(magnitude: UInt64(calendar.month), minimumDigits: 2)
        bytes.append(UInt8(ascii: "-"))
        append(magnitude: UInt64(calendar.day), minimumDigits: 2)
        bytes.append(UInt8(ascii: "T"))
        let seconds = calendar.millisecondOfDay / 1_000
        append(magnitude: UInt64(seconds / 3_600), minimumDigits: 2)
        bytes.append(UInt8(ascii: ":"))
        append(magnitude: UInt64(seconds / 60 % 60), minimumDigits: 2)
        bytes.append(UInt8(ascii: ":"))
        append(magnitude: UInt64(seconds % 60), minimumDigits: 2)
        let milliseconds = calendar.millisecondOfDay % 1_000
        if !(trimsMilliseconds && milliseconds == 0) {
            bytes.append(UInt8(ascii: "."))
            append(magnitude: UInt64(milliseconds), minimumDigits: 3)
        }
        bytes.append(UInt8(ascii: "Z"))
    }
}
