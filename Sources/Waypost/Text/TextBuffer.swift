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
        appendBackwards { digits in
            digits.write(number.magnitude, minimumDigits: 1)
            if number < 0 { digits.write(UInt8(ascii: "-")) }
        }
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
                    append(scaled: UInt64(scaled), decimals: decimals, trimsZeros: true, isNegative: value.sign == .minus)
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
        append(scaled: magnitude, decimals: decimals, trimsZeros: trimsZeros, isNegative: value < 0 && magnitude != 0)
    }

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
    private static let integerPowersOfTen: [UInt64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    private mutating func append(scaled: UInt64, decimals: Int, trimsZeros: Bool, isNegative: Bool) {
        var (whole, part) = (scaled, UInt64(0))
        var partDigits = 0
        if decimals > 0 {
            (whole, part) = scaled.quotientAndRemainder(dividingBy: TextBuffer.integerPowersOfTen[decimals])
            partDigits = decimals
            if trimsZeros {
                if part == 0 { partDigits = 0 }
                while partDigits > 0, part % 10 == 0 {
                    part /= 10
                    partDigits -= 1
                }
            }
        }
        appendBackwards { digits in
            if partDigits > 0 {
                digits.write(part, minimumDigits: partDigits)
                digits.write(UInt8(ascii: "."))
            }
            digits.write(whole, minimumDigits: 1)
            if isNegative { digits.write(UInt8(ascii: "-")) }
        }
    }

    /// Appends what the closure writes, last byte first; at most ``BackwardDigits/room`` bytes.
    @inline(__always)
    private mutating func appendBackwards(_ write: (inout BackwardDigits) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: BackwardDigits.room) { room in
            var digits = BackwardDigits(room)
            write(&digits)
            bytes.append(contentsOf: digits.written)
        }
    }

    /// Appends a moment as RFC 3339 UTC: `2026-11-21T11:33:28.250Z`.
    ///
    /// - Parameter trimsMilliseconds: leave `.000` out when the moment is a whole second.
    public mutating func append(_ time: UTCTime, trimsMilliseconds: Bool = false) {
        let calendar = time.calendar
        let seconds = calendar.millisecondOfDay / 1_000
        let milliseconds = calendar.millisecondOfDay % 1_000
        appendBackwards { digits in
            digits.write(UInt8(ascii: "Z"))
            if !(trimsMilliseconds && milliseconds == 0) {
                digits.write(UInt64(milliseconds), minimumDigits: 3)
                digits.write(UInt8(ascii: "."))
            }
            digits.write(UInt64(seconds % 60), minimumDigits: 2)
            digits.write(UInt8(ascii: ":"))
            digits.write(UInt64(seconds / 60 % 60), minimumDigits: 2)
            digits.write(UInt8(ascii: ":"))
            digits.write(UInt64(seconds / 3_600), minimumDigits: 2)
            digits.write(UInt8(ascii: "T"))
            digits.write(UInt64(calendar.day), minimumDigits: 2)
            digits.write(UInt8(ascii: "-"))
            digits.write(UInt64(calendar.month), minimumDigits: 2)
            digits.write(UInt8(ascii: "-"))
            digits.write(UInt64(max(calendar.year, 0)), minimumDigits: 4)
        }
    }
}

/// Writes digits into a small room from its end towards its start, which is the order in which division gives them.
private struct BackwardDigits {
    /// Room for the longest: an integer of 20 digits with sign, or a time of 24 characters.
    static let room = 32

    private let room: UnsafeMutableBufferPointer<UInt8>
    private var start: Int

    init(_ room: UnsafeMutableBufferPointer<UInt8>) {
        self.room = room
        start = room.count
    }

    /// What was written, in reading order.
    var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: room[start...]) }

    /// Writes one byte before what is there.
    @inline(__always)
    mutating func write(_ byte: UInt8) {
        start -= 1
        room[start] = byte
    }

    /// Writes a number before what is there, zero-padded on the left.
    @inline(__always)
    mutating func write(_ number: UInt64, minimumDigits: Int) {
        let end = start
        var rest = number
        while rest > 0 {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            write(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        }
        while end - start < minimumDigits { write(UInt8(ascii: "0")) }
    }
}
