/// A calendar date as a receiver reports it.
struct NMEADate: Equatable {
    /// Days since 1970-01-01.
    var daysSince1970: Int

    /// Creates a date; nil when it does not exist, or its next day has no four-digit year.
    init?(year: Int, month: Int, day: Int) {
        guard (1_970...9_998).contains(year), let days = UTCTime.daysSince1970(year: year, month: month, day: day) else { return nil }
        daysSince1970 = days
    }

    /// Creates a date from `ddmmyy`; years 69 to 99 are 1969 to 1999, as gpsd and POSIX read them.
    init?(twoDigitYear range: Range<Int>, in bytes: Span<UInt8>) {
        guard range.count == 6, let packed = PackedDigits.value(PackedDigits.word(at: range.lowerBound, in: bytes), count: 6) else {
            return nil
        }
        let value = Int(truncatingIfNeeded: packed)
        let year = value % 100
        self.init(year: year >= 69 ? 1_900 + year : 2_000 + year, month: value / 100 % 100, day: value / 10_000)
    }
}
