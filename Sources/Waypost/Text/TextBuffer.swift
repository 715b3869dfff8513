/// UTF-8 text built piece by piece, without going through `String` where that would be slow.
///
/// - Cost: no allocation per piece once the buffer has grown; keep one and call ``removeAll()`` between records.
public struct TextBuffer: Sendable {
    /// The text, and spare room after it.
    private var room: [UInt8]
    /// The number of bytes so far.
    public private(set) var count = 0

    /// Creates an empty buffer with room for that many bytes.
    public init(capacity: Int = 256) {
        room = capacity > 0 ? [UInt8](repeating: 0, count: capacity) : []
    }

    /// The text so far, UTF-8.
    ///
    /// - Cost: a copy; ``withBytes(_:)`` makes none.
    public var bytes: [UInt8] { Array(room[..<count]) }

    /// The last byte; nil when there is none.
    var last: UInt8? { count > 0 ? room[count - 1] : nil }

    /// Passes the text so far to the closure.
    public func withBytes<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(room.span.extracting(0..<count))
    }

    /// The text as a `String`.
    public var string: String { String(decoding: room[..<count], as: UTF8.self) }

    /// Empties the buffer and keeps its room.
    public mutating func removeAll() {
        count = 0
    }

    /// Cuts the text back to its first `count` bytes.
    public mutating func truncate(to count: Int) {
        precondition((0...self.count).contains(count), "a text can only be cut back")
        self.count = count
    }

    /// Appends one byte of UTF-8.
    @inline(__always)
    public mutating func append(byte: UInt8) {
        write(atMost: 1) { place in
            place[0] = byte
            return 1
        }
    }

    /// Appends bytes of UTF-8.
    public mutating func append(contentsOf slice: some Sequence<UInt8>) {
        let isDone: Void? = slice.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
        if isDone == nil { for byte in slice { append(byte: byte) } }
    }

    /// Appends a literal.
    @inline(__always)
    public mutating func append(_ literal: StaticString) {
        append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends a string.
    public mutating func append(string: String) {
        append(contentsOf: string.utf8)
    }

    @inline(__always)
    private mutating func append(_ piece: UnsafeRawBufferPointer) {
        guard let start = piece.baseAddress else { return }
        write(atMost: piece.count) { place in
            UnsafeMutableRawPointer(place).copyMemory(from: start, byteCount: piece.count)
            return piece.count
        }
    }

    /// Appends what the closure writes, at most that many bytes; the closure returns how many it has written.
    @inline(__always)
    mutating func write(atMost most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        if room.count - count < most { grow(by: most) }
        let start = count
        count += room.withUnsafeMutableBufferPointer { buffer in
            // There is room, so there is a first byte, unless nothing is to be written.
            buffer.baseAddress.map { body($0 + start) } ?? 0
        }
    }

    @inline(never)
    private mutating func grow(by least: Int) {
        room.append(contentsOf: repeatElement(0, count: max(least, room.count, 64)))
    }
}

// MARK: - Numbers

extension TextBuffer {
    /// Room for the longest number: an integer of 20 digits with sign and point, or a time of 24 characters.
    private static let longestNumber = 32

    /// Appends an integer in decimal.
    public mutating func append(integer value: some BinaryInteger) {
        let number = Int64(clamping: value)
        write(atMost: TextBuffer.longestNumber) { place in
            var digits = DigitWriter(place)
            if number < 0 { digits.write(UInt8(ascii: "-")) }
            digits.write(number.magnitude)
            return digits.count
        }
    }

    /// Appends a number as the shortest decimal that reads back as the same `Double`.
    ///
    /// - Range: finite values; others are a programmer error.
    public mutating func append(shortest value: Double) {
        precondition(value.isFinite, "only finite numbers have a decimal form")
        // A value that came from up to ten decimals needs no search: k / 10^n is the correctly rounded quotient of two exact
        // doubles (k is far below 2^53), so the text k * 10^-n reads back as that same double.
        let magnitude = abs(value)
        if magnitude < 9e8 {
            // Large ones first with three decimals: a seventh would be finer than the distance between two doubles.
            if magnitude >= 1e6, append(exactly: value, decimals: 3) { return }
            if append(exactly: value, decimals: 7) { return }
            if magnitude < 1e5, append(exactly: value, decimals: 10) { return }
        }
        append(string: value.description)
    }

    /// Appends a measured number with at most six decimals, trailing zeros left out.
    public mutating func append(measured value: Double) { append(value, decimals: 6, trimsZeros: true) }

    /// A number as ``append(measured:)`` writes it; nil when it is not finite.
    public static func measured(_ value: Double) -> Double? {
        guard value.isFinite else { return nil }
        guard abs(value) * powersOfTen[6] < 9e18 else { return value }
        let magnitude = Double(scaled(value, decimals: 6)) / powersOfTen[6]
        return value < 0 && magnitude != 0 ? -magnitude : magnitude
    }

    /// Appends a number that has at most that many decimals; false when it has more.
    @inline(__always)
    private mutating func append(exactly value: Double, decimals: Int) -> Bool {
        let scaled = TextBuffer.scaled(value, decimals: decimals)
        guard Double(scaled) / TextBuffer.powersOfTen[decimals] == abs(value) else { return false }
        append(scaled: scaled, decimals: decimals, trimsZeros: true, isNegative: value.sign == .minus)
        return true
    }

    /// Appends a number rounded to a fixed number of decimals, half away from zero; a negative zero loses its sign.
    ///
    /// A number too large for this, |value| * 10^decimals from 9e18 on, is written in full: such numbers come from outside, and are
    /// meaningless in any form.
    /// - Range: finite, 0...9 decimals; others are a programmer error.
    public mutating func append(_ value: Double, decimals: Int, trimsZeros: Bool = false) {
        guard abs(value) * TextBuffer.powersOfTen[decimals] < 9e18 else { return append(shortest: value) }
        let magnitude = TextBuffer.scaled(value, decimals: decimals)
        append(scaled: magnitude, decimals: decimals, trimsZeros: trimsZeros, isNegative: value < 0 && magnitude != 0)
    }

    private static let powersOfTen: InlineArray<11, Double> = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10]
    private static let integerPowersOfTen: InlineArray<11, UInt64> = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    ]

    /// The magnitude of a number in units of its last decimal, rounded half away from zero.
    @inline(__always)
    static func scaled(_ value: Double, decimals: Int) -> UInt64 {
        let scaled = abs(value) * powersOfTen[decimals]
        precondition(scaled < 9e18, "number out of range")
        // Not rounded(), which is a function call on processors not known to have the instruction; the difference is exact. Signed, because
        // the processor has no conversion to unsigned.
        let whole = Int64(scaled)
        return UInt64(bitPattern: scaled - Double(whole) >= 0.5 ? whole &+ 1 : whole)
    }

    /// Appends a number given in units of its last decimal.
    mutating func append(scaled: UInt64, decimals: Int, trimsZeros: Bool, isNegative: Bool) {
        write(atMost: TextBuffer.longestNumber) { place in
            TextBuffer.write(scaled: scaled, decimals: decimals, trimsZeros: trimsZeros, isNegative: isNegative, to: place)
        }
    }

    /// Appends a number with the texts before and after it in one step; rounded like ``append(_:decimals:trimsZeros:)``.
    ///
    /// - Range: finite, |value| below 1e9, 0...9 decimals; others are a programmer error.
    @inline(__always)
    mutating func append(_ open: StaticString, _ value: Double, decimals: Int, trimsZeros: Bool, _ close: StaticString) {
        append(
            open, scaled: TextBuffer.scaled(value, decimals: decimals), decimals: decimals, trimsZeros: trimsZeros, isNegative: value < 0,
            close)
    }

    /// Appends a number given in units of its last decimal, with the texts before and after it, in one step.
    @inline(__always)
    mutating func append(
        _ open: StaticString, scaled: UInt64, decimals: Int, trimsZeros: Bool, isNegative: Bool, _ close: StaticString
    ) {
        let (before, behind) = (open.utf8CodeUnitCount, close.utf8CodeUnitCount)
        write(atMost: before + TextBuffer.longestNumber + behind) { place in
            UnsafeMutableRawPointer(place).copyMemory(from: open.utf8Start, byteCount: before)
            let digits = TextBuffer.write(
                scaled: scaled, decimals: decimals, trimsZeros: trimsZeros, isNegative: isNegative && scaled != 0, to: place + before)
            UnsafeMutableRawPointer(place + before + digits).copyMemory(from: close.utf8Start, byteCount: behind)
            return before + digits + behind
        }
    }

    /// Writes a number given in units of its last decimal to a place with room for it; returns its length in bytes.
    @inline(never)
    private static func write(
        scaled: UInt64, decimals: Int, trimsZeros: Bool, isNegative: Bool, to place: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var digits = DigitWriter(place)
        if isNegative { digits.write(UInt8(ascii: "-")) }
        guard decimals > 0 else {
            digits.write(scaled)
            return digits.count
        }
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: TextBuffer.integerPowersOfTen[decimals])
        digits.write(whole)
        if part > 0 || !trimsZeros { digits.write(fraction: part, decimals: decimals, trimsZeros: trimsZeros) }
        return digits.count
    }

    /// Appends a moment as RFC 3339 UTC: `2026-11-21T11:33:28.250Z`.
    ///
    /// - Parameters:
    ///   - time: the moment.
    ///   - trimsMilliseconds: whether to leave out `.000` for a whole second.
    public mutating func append(_ time: UTCTime, trimsMilliseconds: Bool = false) {
        let calendar = time.calendar
        let (seconds, milliseconds) = calendar.millisecondOfDay.quotientAndRemainder(dividingBy: 1_000)
        write(atMost: TextBuffer.longestNumber) { place in
            var digits = DigitWriter(place)
            digits.write(UInt64(max(calendar.year, 0)), digits: calendar.year > 9_999 ? 5 : 4)
            digits.write(UInt8(ascii: "-"))
            digits.write(UInt64(calendar.month), digits: 2)
            digits.write(UInt8(ascii: "-"))
            digits.write(UInt64(calendar.day), digits: 2)
            digits.write(UInt8(ascii: "T"))
            digits.write(UInt64(seconds / 3_600), digits: 2)
            digits.write(UInt8(ascii: ":"))
            digits.write(UInt64(seconds / 60 % 60), digits: 2)
            digits.write(UInt8(ascii: ":"))
            digits.write(UInt64(seconds % 60), digits: 2)
            if !(trimsMilliseconds && milliseconds == 0) {
                digits.write(UInt8(ascii: "."))
                digits.write(UInt64(milliseconds), digits: 3)
            }
            digits.write(UInt8(ascii: "Z"))
            return digits.count
        }
    }
}

/// Writes digits to a place with enough room, in reading order.
private struct DigitWriter {
    private let place: UnsafeMutablePointer<UInt8>
    /// How many bytes were written.
    private(set) var count = 0

    @inline(__always)
    init(_ place: UnsafeMutablePointer<UInt8>) {
        self.place = place
    }

    /// Writes one byte.
    @inline(__always)
    mutating func write(_ byte: UInt8) {
        place[count] = byte
        count &+= 1
    }

    /// Writes a number without leading zeros.
    @inline(__always)
    mutating func write(_ number: UInt64) {
        if number < 100 { return writeShort(Int(truncatingIfNeeded: number)) }
        if number < 10_000 {
            let hundreds = Int(truncatingIfNeeded: number / 100)
            writeShort(hundreds)
            write(pair: Int(truncatingIfNeeded: number) &- hundreds &* 100)
        } else if number < 100_000_000 {
            let packed = PackedDigits.digits(of: number)
            let first = packed.trailingZeroBitCount & ~7
            write(eight: PackedDigits.characters(of: packed) &>> UInt64(truncatingIfNeeded: first), count: 8 &- first >> 3)
        } else {
            writeLong(number)
        }
    }

    /// Writes a number of one or two digits.
    @inline(__always)
    private mutating func writeShort(_ number: Int) {
        if number < 10 { write(UInt8(truncatingIfNeeded: number) &+ UInt8(ascii: "0")) } else { write(pair: number) }
    }

    /// Writes two digits.
    @inline(__always)
    private mutating func write(pair number: Int) {
        let pair = UnsafeRawPointer(DigitWriter.pairs.utf8Start).loadUnaligned(fromByteOffset: 2 &* number, as: UInt16.self)
        UnsafeMutableRawPointer(place + count).storeBytes(of: pair, as: UInt16.self)
        count &+= 2
    }

    private mutating func writeLong(_ number: UInt64) {
        var digits = 9
        var limit: UInt64 = 1_000_000_000
        // 10^20 does not fit 64 bits, so numbers of 20 digits are what is left.
        while digits < 20, number >= limit {
            digits &+= 1
            limit = digits < 20 ? limit &* 10 : .max
        }
        write(number, digits: digits)
    }

    /// Writes a point and the digits after it; trailing zeros are left out on request.
    @inline(__always)
    mutating func write(fraction: UInt64, decimals: Int, trimsZeros: Bool) {
        write(UInt8(ascii: "."))
        if decimals <= 4 {
            let start = count
            let digits = Int(truncatingIfNeeded: fraction &* DigitWriter.fillers[decimals &+ 4])
            let first = digits / 100
            let second = digits &- first &* 100
            write(pair: first)
            write(pair: second)
            count = start &+ decimals
            if trimsZeros { while place[count &- 1] == UInt8(ascii: "0") { count &-= 1 } }
            return
        }
        // With nine or ten decimals, the first ones go separately.
        var (rest, decimals) = (fraction, decimals)
        if decimals > 8 {
            let first = rest / 100_000_000
            rest = rest &- first &* 100_000_000
            let last = UInt8(truncatingIfNeeded: first % 10)
            if decimals == 10 { write(UInt8(truncatingIfNeeded: first / 10) &+ UInt8(ascii: "0")) }
            if decimals == 9 || last > 0 || rest > 0 || !trimsZeros { write(last &+ UInt8(ascii: "0")) }
            decimals = 8
            if trimsZeros, rest == 0 { return }
        }
        let packed = PackedDigits.digits(of: rest &* DigitWriter.fillers[decimals])
        let count = trimsZeros ? 8 &- packed.leadingZeroBitCount >> 3 : decimals
        write(eight: PackedDigits.characters(of: packed), count: count)
    }

    /// Writes eight characters, of which `count` are valid; the next write replaces the others.
    @inline(__always)
    private mutating func write(eight characters: UInt64, count: Int) {
        UnsafeMutableRawPointer(place + self.count).storeBytes(of: characters.littleEndian, as: UInt64.self)
        self.count &+= count
    }

    /// The factor that extends a number of that many digits to eight.
    private static let fillers: InlineArray<9, UInt64> = [100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1]

    /// Writes the last digits of a number, with leading zeros.
    @inline(__always)
    mutating func write(_ number: UInt64, digits: Int) {
        var rest = number
        var index = count &+ digits
        let first = count
        count = index
        while index &- first > 1 {
            index &-= 2
            let quotient = rest / 100
            let pair = Int(truncatingIfNeeded: rest &- quotient &* 100) &* 2
            place[index] = DigitWriter.pairs.utf8Start[pair]
            place[index &+ 1] = DigitWriter.pairs.utf8Start[pair &+ 1]
            rest = quotient
        }
        if index > first { place[first] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0") }
    }

    /// The numbers from 00 to 99 in a row.
    private static let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
}
