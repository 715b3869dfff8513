/// Assigns dates to times of day.
///
/// RMC and ZDA carry a date, the other sentences only a time of day. Those get the date that puts them nearest to the last complete moment,
/// so that GGA before RMC at midnight gets the right day.
struct EpochDates {
    private static let day = TimeOfDay.millisecondsPerDay

    /// The last complete moment.
    private var anchor: UTCTime?
    /// Whether the anchor came from a sentence with a fix; a receiver without one may report any date.
    private var isAnchorTrusted = false
    /// Whether to add 1024 weeks to old dates.
    let correctsWeekRollover: Bool

    init(correctsWeekRollover: Bool) {
        self.correctsWeekRollover = correctsWeekRollover
    }

    /// Notes a date with its time of day; a date without a fix does not replace one with a fix.
    mutating func note(_ date: NMEADate, millisecondOfDay: Int, hasFix: Bool) {
        guard hasFix || !isAnchorTrusted else { return }
        anchor = UTCTime(millisecondsSince1970: Int64(date.daysSince1970) * Int64(EpochDates.day) + Int64(millisecondOfDay))
        isAnchorTrusted = hasFix
    }

    /// The moment for a time of day, or nil before any date is known.
    mutating func moment(millisecondOfDay: Int) -> (time: UTCTime, isCorrected: Bool)? {
        guard let last = anchor else { return nil }
        let lastOfDay = last.dayAndMillisecond.millisecondOfDay
        var difference = millisecondOfDay - lastOfDay
        if difference > EpochDates.day / 2 { difference -= EpochDates.day }
        if difference < -EpochDates.day / 2 { difference += EpochDates.day }
        let time = last.advanced(byMilliseconds: Int64(difference))
        anchor = time
        guard correctsWeekRollover, let corrected = WeekRollover.corrected(time) else { return (time, false) }
        return (corrected, true)
    }
}
