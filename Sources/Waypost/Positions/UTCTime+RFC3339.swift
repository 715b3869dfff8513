// RFC 3339 times from outside: `2026-11-21T11:33:28Z`, `2026-11-21t12:33:28.250001+01:00`
//
// ```
// YYYY-MM-DD T hh:mm:ss [.f...] (Z | (+|-)hh:mm)
// 0          10 11      19
// ```
extension UTCTime {
    /// The moment in an RFC 3339 text, or nil when the text is anything else.
    ///
    /// Any number of decimals, cut to the millisecond; `T` and `Z` in either case. A leap second (`:60`, only at the end of a UTC
    /// day) is the first second of the next day, as on the Unix time line.
    /// - Source: RFC 3339, section 5.6.
    public init?(rfc3339 bytes: Span<UInt8>) {
        guard bytes.count >= 20, let year = UTCTime.digits(4, at: 0, in: bytes), let month = UTCTime.digits(2, at: 5, in: bytes),
            let day = UTCTime.digits(2, at: 8, in: bytes), let hour = UTCTime.digits(2, at: 11, in: bytes), hour <= 23,
            let minute = UTCTime.digits(2, at: 14, in: bytes), minute <= 59, let second = UTCTime.digits(2, at: 17, in: bytes),
            second <= 60, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] | 0x20 == UInt8(ascii: "t"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":")
        else { return nil }

        var index = 19
        var millisecond = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            let start = index
            var weight = 100
            while index < bytes.count, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
                millisecond += weight * Int(digit)
                weight /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        guard let offset = UTCTime.offsetMinutes(at: index, in: bytes),
            let midnight = UTCTime(year: year, month: month, day: day)
        else { return nil }

        let seconds = Int64(hour * 3_600 + (minute - offset) * 60 + second)
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        self = midnight.advanced(byMilliseconds: seconds * 1_000 + Int64(millisecond))
        guard hasFourDigitYear else { return nil }
    }

    /// The moment in an RFC 3339 text, or nil when the text is anything else.
    public init?(rfc3339 text: String) {
        self.init(rfc3339: Array(text.utf8).span)
    }

    /// The offset that must follow the seconds to the end of the text: `Z` or the minutes that local time is ahead of UTC.
    private static func offsetMinutes(at index: Int, in bytes: Span<UInt8>) -> Int? {
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): return index + 1 == bytes.count ? 0 : nil
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard index + 6 == bytes.count, let hours = digits(2, at: index + 1, in: bytes), hours <= 23,
                bytes[index + 3] == UInt8(ascii: ":"), let minutes = digits(2, at: index + 4, in: bytes), minutes <= 59
            else { return nil }
            return bytes[index] == UInt8(ascii: "-") ? -(hours * 60 + minutes) : hours * 60 + minutes
        default: return nil
        }
    }

    /// That many digits as a number, or nil when one of them is not a digit.
    @inline(__always)
    static func digits(_ count: Int, at start: Int, in bytes: Span<UInt8>) -> Int? {
        var value = 0
        guard start >= 0, start + count <= bytes.count else { return nil }
        for index in start..<start + count {
            let digit = bytes[unchecked: index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}
