/// A time of day at a place, every day: `04:00 Asia/Tokyo`.
///
/// A time that the clocks leave out on one day comes as much later; one that comes twice counts the first time.
public struct DailyMoment: Sendable, Hashable {
    /// Minutes since midnight by the clocks of the place.
    public var minuteOfDay: Int
    /// The clocks of the place.
    public var zone: TimeZoneRules

    /// A moment of every day.
    public init(minuteOfDay: Int, zone: TimeZoneRules) {
        self.minuteOfDay = minuteOfDay
        self.zone = zone
    }

    /// The first such moment after a time.
    public func next(after time: UTCTime) -> UTCTime {
        for day in 0...2 {
            let moment = moment(daysAfter: time, day)
            if moment > time { return moment }
        }
        return moment(daysAfter: time, 3)
    }

    /// The last such moment that is not after a time.
    public func last(before time: UTCTime) -> UTCTime {
        for day in 0...2 {
            let moment = moment(daysAfter: time, -day)
            if moment <= time { return moment }
        }
        return moment(daysAfter: time, -3)
    }

    /// That of the day on which the clocks show the time, or of one after or before it.
    private func moment(daysAfter time: UTCTime, _ days: Int) -> UTCTime {
        let local = time.secondsSince1970 + Int64(zone.offsetSeconds(at: time))
        let midnight = local - ((local % 86_400) + 86_400) % 86_400 + Int64(days) * 86_400
        return zone.moment(shownAs: UTCTime(millisecondsSince1970: (midnight + Int64(minuteOfDay) * 60) * 1_000))
    }
}
