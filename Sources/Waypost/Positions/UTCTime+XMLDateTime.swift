// XML Schema's `dateTime` as it occurs in files: RFC 3339, and what people write instead.
//
// ```
// YYYY-MM-DD (T|t| ) hh:mm [:ss [(.|,)f...]] [Z|z | (+|-)hh[[:]mm]]
// 0          10      11    16
// ```
//
// Leniencies beyond RFC 3339: surrounding white space, no zone (then it is UTC), a space for the `T`, no seconds, a comma for the point,
// 24:00 for the end of the day, a zone without colon or minutes.
extension UTCTime {
    /// The moment in an XML Schema `dateTime` text, or nil when the text is anything else.
    ///
    /// Any number of decimals, cut to the millisecond. A date alone is not a moment.
    init?(xmlDateTime bytes: Span<UInt8>) {
        let text = bytes.extracting(bytes.trimmingXMLSpace)
        if let time = UTCTime(rfc3339: text) { self = time } else if let time = UTCTime(lenient: text) { self = time } else { return nil }
    }

    private init?(lenient text: Span<UInt8>) {
        guard text.count >= 16, let year = UTCTime.digits(4, at: 0, in: text), let month = UTCTime.digits(2, at: 5, in: text),
            let day = UTCTime.digits(2, at: 8, in: text), let hour = UTCTime.digits(2, at: 11, in: text), hour <= 24,
            let minute = UTCTime.digits(2, at: 14, in: text), minute <= 59, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":"),
            let midnight = UTCTime(year: year, month: month, day: day)
        else { return nil }

        var index = 16
        var second = 0
        var millisecond = 0
        if index < text.count, text[index] == UInt8(ascii: ":") {
            guard let digits = UTCTime.digits(2, at: index + 1, in: text), digits <= 60 else { return nil }
            second = digits
            index += 3
            if index < text.count, text[index] == UInt8(ascii: ".") || text[index] == UInt8(ascii: ",") {
                index += 1
                var weight = 100
                while index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit < 10 {
                    millisecond += weight * Int(digit)
                    weight /= 10
                    index += 1
                }
            }
        }
        guard hour < 24 || minute + second + millisecond == 0,
            let offset = UTCTime.lenientOffsetMinutes(text.extracting(index..<text.count))
        else { return nil }
        let seconds = Int64(hour * 3_600 + (minute - offset) * 60 + second)
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        self = midnight.advanced(byMilliseconds: seconds * 1_000 + Int64(millisecond))
        guard hasFourDigitYear else { return nil }
    }

    /// The minutes that local time is ahead of UTC; an empty zone is UTC.
    private static func lenientOffsetMinutes(_ zone: Span<UInt8>) -> Int? {
        if zone.isEmpty { return 0 }
        if zone.count == 1 { return zone[0] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
        guard zone[0] == UInt8(ascii: "+") || zone[0] == UInt8(ascii: "-"), let hours = digits(2, at: 1, in: zone), hours <= 23 else {
            return nil
        }
        var minutes = 0
        if zone.count > 3 {
            let start = zone[3] == UInt8(ascii: ":") ? 4 : 3
            guard zone.count == start + 2, let digits = digits(2, at: start, in: zone), digits <= 59 else { return nil }
            minutes = digits
        }
        return zone[0] == UInt8(ascii: "-") ? -(hours * 60 + minutes) : hours * 60 + minutes
    }
}
