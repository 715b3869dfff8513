/// When the clocks of a place change each year: the text of POSIX's `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// - Source: POSIX.1-2017, Base Definitions 8.3, with the wider times of RFC 8536 (-167 to 167 hours).
struct DaylightRule: Sendable, Hashable {
    /// A day of every year, and a time of that day in seconds by the clocks before the change.
    struct Change: Sendable, Hashable {
        enum Day: Sendable, Hashable {
            /// `Mm.w.d`: the w-th (5 = the last) weekday d (0 = Sunday) of month m.
            case weekday(month: Int, week: Int, day: Int)
            /// `Jn`: 1 to 365, without February 29.
            case julian(Int)
            /// `n`: 0 to 365.
            case ordinal(Int)
        }

        var day: Day
        var seconds = 7_200
    }

    /// Seconds ahead of UTC.
    private var standard: Int
    private var daylight: Int?
    private var begin: Change?
    private var end: Change?

    /// Parses the text; nil when it is not such a rule.
    init?(posix text: String) {
        var reader = Reader(rest: text.utf8[...])
        guard reader.skipName(), let offset = reader.time() else { return nil }
        standard = -offset
        if reader.rest.isEmpty { return }
        guard reader.skipName() else { return nil }
        var ahead = standard + 3_600
        if let next = reader.rest.first, next != UInt8(ascii: ",") {
            guard let offset = reader.time() else { return nil }
            ahead = -offset
        }
        guard reader.skip(UInt8(ascii: ",")), let begin = reader.change(), reader.skip(UInt8(ascii: ",")), let end = reader.change(),
            reader.rest.isEmpty
        else { return nil }
        (daylight, self.begin, self.end) = (ahead, begin, end)
    }

    /// How many seconds the clocks are ahead of UTC at a moment, in seconds since 1970.
    func offsetSeconds(at seconds: Int64) -> Int {
        guard let daylight, let begin, let end else { return standard }
        let year = UTCTime(millisecondsSince1970: (seconds + Int64(standard)) * 1_000).calendar.year
        guard let opens = begin.moment(inYear: year, offsetSeconds: standard),
            let closes = end.moment(inYear: year, offsetSeconds: daylight)
        else { return standard }
        let isDaylight = opens < closes ? (opens..<closes).contains(seconds) : !(closes..<opens).contains(seconds)
        return isDaylight ? daylight : standard
    }

    private struct Reader {
        var rest: Substring.UTF8View

        mutating func skip(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        /// Three letters or more, or anything in angle brackets.
        mutating func skipName() -> Bool {
            if skip(UInt8(ascii: "<")) {
                while let byte = rest.popFirst() { if byte == UInt8(ascii: ">") { return true } }
                return false
            }
            let letters = rest.prefix { Unicode.Scalar($0).properties.isAlphabetic }
            rest = rest.dropFirst(letters.count)
            return letters.count >= 3
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...3).contains(digits.count), let number = Int(String(decoding: digits, as: UTF8.self)), range.contains(number) else {
                return nil
            }
            rest = rest.dropFirst(digits.count)
            return number
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time() -> Int? {
            let sign = skip(UInt8(ascii: "-")) ? -1 : (skip(UInt8(ascii: "+")) ? 1 : 1)
            guard let hours = number(0...167) else { return nil }
            var (minutes, seconds) = (0, 0)
            if skip(UInt8(ascii: ":")) {
                guard let found = number(0...59) else { return nil }
                minutes = found
                if skip(UInt8(ascii: ":")) {
                    guard let found = number(0...59) else { return nil }
                    seconds = found
                }
            }
            return sign * (hours * 3_600 + minutes * 60 + seconds)
        }

        mutating func change() -> Change? {
            let day: Change.Day
            if skip(UInt8(ascii: "M")) {
                guard let month = number(1...12), skip(UInt8(ascii: ".")), let week = number(1...5), skip(UInt8(ascii: ".")),
                    let weekday = number(0...6)
                else { return nil }
                day = .weekday(month: month, week: week, day: weekday)
            } else if skip(UInt8(ascii: "J")) {
                guard let number = number(1...365) else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(0...365) else { return nil }
                day = .ordinal(number)
            }
            guard skip(UInt8(ascii: "/")) else { return Change(day: day) }
            return time().map { Change(day: day, seconds: $0) }
        }
    }
}

extension DaylightRule.Change {
    /// The change's moment in a year, in seconds since 1970, for clocks with that offset from UTC; nil outside the calendar.
    fileprivate func moment(inYear year: Int, offsetSeconds: Int) -> Int64? {
        guard let first = UTCTime.daysSince1970(year: year, month: 1, day: 1) else { return nil }
        let date: Int
        switch day {
        case .weekday(let month, let week, let weekday):
            guard let begin = UTCTime.daysSince1970(year: year, month: month, day: 1),
                let next = UTCTime.daysSince1970(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
            else { return nil }
            // 1970-01-01 was a Thursday.
            let firstWeekday = ((begin + 4) % 7 + 7) % 7
            var found = begin + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            while found >= next { found -= 7 }
            date = found
        case .julian(let number):
            let isLeap = UTCTime.daysSince1970(year: year, month: 2, day: 29) != nil
            date = first + number - 1 + (isLeap && number >= 60 ? 1 : 0)
        case .ordinal(let number): date = first + number
        }
        return Int64(date) * 86_400 + Int64(seconds - offsetSeconds)
    }
}
