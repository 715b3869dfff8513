/// A moment in UTC, to the millisecond, on the Unix time line (leap seconds are not counted).
///
/// - Range: the years 1 to 9999; every receiver date fits.
/// - Cost: one 64-bit integer.
public struct UTCTime: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before.
    public var millisecondsSince1970: Int64

    /// Creates the moment that many milliseconds after 1970-01-01T00:00:00Z.
    @inlinable
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Creates the moment of a calendar date (proleptic Gregorian) and a time of day; nil for a date that does not exist.
    ///
    /// - Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
    public init?(year: Int, month: Int, day: Int, millisecondOfDay: Int = 0) {
        guard (1...9_999).contains(year), let days = UTCTime.daysSince1970(year: year, month: month, day: day) else { return nil }
        millisecondsSince1970 = Int64(days) * 86_400_000 + Int64(millisecondOfDay)
    }

    /// Whether the left moment is before the right one.
    @inlinable
    public static func < (left: UTCTime, right: UTCTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var secondsSince1970: Int64 {
        let (seconds, rest) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1_000)
        return rest < 0 ? seconds - 1 : seconds
    }

    /// The moment that many milliseconds later.
    @inlinable
    public func advanced(byMilliseconds milliseconds: Int64) -> UTCTime {
        UTCTime(millisecondsSince1970: millisecondsSince1970 &+ milliseconds)
    }

    /// Whether the year is in 1...9999, so that the moment has an RFC 3339 form.
    ///
    /// Data from outside may hold any number.
    @inlinable public var hasFourDigitYear: Bool { (-62_135_596_800_000..<253_402_300_800_000).contains(millisecondsSince1970) }

    /// Days since 1970-01-01 to a calendar date, or nil when the date does not exist.
    public static func daysSince1970(year: Int, month: Int, day: Int) -> Int? {
        guard (1...12).contains(month), day >= 1, day <= lastDay(ofMonth: month, year: year) else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func lastDay(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Whole days since 1970-01-01, and the milliseconds since their last midnight.
    @inline(__always)
    var dayAndMillisecond: (day: Int, millisecondOfDay: Int) {
        let milliseconds = millisecondsSince1970
        let days = Int((milliseconds >= 0 ? milliseconds : milliseconds - 86_399_999) / 86_400_000)
        return (days, Int(milliseconds - Int64(days) * 86_400_000))
    }

    /// The calendar date and time of day of this moment.
    public var calendar: Calendar {
        let (days, millisecondOfDay) = dayAndMillisecond
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return Calendar(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month, day: dayOfYear - (153 * monthIndex + 2) / 5 + 1,
            millisecondOfDay: millisecondOfDay)
    }

    /// A date of the proleptic Gregorian calendar with the time of day.
    public struct Calendar: Sendable, Hashable {
        /// The year, 1...9999.
        public var year: Int
        /// The month, 1...12.
        public var month: Int
        /// The day of the month, 1...31.
        public var day: Int
        /// Milliseconds since midnight, 0..<86 400 000.
        public var millisecondOfDay: Int
    }
}
