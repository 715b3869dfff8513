/// A time of day at a place, every day: `04:00 Asia/Tokyo`.
///
/// A time that a clock change skips comes later by the length of the gap; one that occurs twice counts the first time.
public struct DailyMoment: Sendable, Hashable {
    /// Minutes since midnight by the clocks of the place.
    public var minuteOfDay: Int
    /// The clocks of the place.
    public var zone: TimeZoneRules

    /// Creates a daily moment from a time of day and a time zone.
    public init(minuteOfDay: Int, zone: TimeZoneRules) {
        self.minuteOfDay = minuteOfDay
        self.zone = zone
    }

    /// The first such moment after the given time.
    public func next(after time: UTCTime) -> UTCTime {
        for day in 0...2 {
            let moment = moment(daysAfter: time, day)
            if moment > time { return moment }
        }
        return moment(daysAfter: time, 3)
    }

    /// The last such moment that is not after the given time.
    public func last(before time: UTCTime) -> UTCTime {
        for day in 0...2 {
            let moment = moment(daysAfter: time, -day)
            if moment <= time { return moment }
        }
        return moment(daysAfter: time, -3)
    }

    /// The moment on the local day of the given time, or on a day after or before it.
    private func moment(daysAfter time: UTCTime, _ days: Int) -> UTCTime {
        let local = time.secondsSince1970 + Int64(zone.offsetSeconds(at: time))
        let midnight = local - ((local % 86_400) + 86_400) % 86_400 + Int64(days) * 86_400
        return zone.moment(shownAs: UTCTime(millisecondsSince1970: (midnight + Int64(minuteOfDay) * 60) * 1_000))
    }
}
