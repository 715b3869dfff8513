/// How quantities and times are shown to a person: in which units, and in which time zone.
///
/// Files and JSON always use SI units and UTC.
package struct ScreenFormat: Sendable, Equatable {
    /// The units of distances, heights and speeds.
    package var units: UnitSystem
    /// The time zone in which moments are shown.
    package var zone: TimeZoneRules

    /// Creates a format, by default in metres and UTC.
    package init(units: UnitSystem = .metric, zone: TimeZoneRules = .utc) {
        self.units = units
        self.zone = zone
    }

    /// A moment in the zone's time: `2026-11-22 16:25:01`, with milliseconds unless they are zero.
    package func moment(_ time: UTCTime) -> String { "\(day(time)) \(timeOfDay(time))" }

    /// The day of a moment: `2026-11-22`.
    package func day(_ time: UTCTime) -> String { String(shown(time).prefix(10)) }

    /// The time of day of a moment: `16:25:01`, `16:25:01.200`.
    package func timeOfDay(_ time: UTCTime) -> String { String(shown(time).dropFirst(11).dropLast()) }

    /// A moment in RFC 3339 text from outside; the text itself when it is not one.
    package func moment(_ text: String) -> String { UTCTime(rfc3339: text).map { moment($0) } ?? text }

    /// The clocks' offset from UTC at a moment: `UTC`, `UTC+9`, `UTC-3:30`.
    package func zoneName(at time: UTCTime) -> String {
        let minutes = zone.offsetSeconds(at: time) / 60
        guard minutes != 0 else { return "UTC" }
        let (hour, minute) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        return "UTC\(minutes < 0 ? "-" : "+")\(hour)" + (minute == 0 ? "" : ":\(minute < 10 ? "0" : "")\(minute)")
    }

    /// A stretch of time with the clocks' offset: `from 2026-11-22 16:25:01 until 2026-11-22 17:00:00 (UTC+1)`.
    ///
    /// Each end has its own offset where they differ.
    package func stretch(from: UTCTime, until: UTCTime) -> String {
        let (first, last) = (zoneName(at: from), zoneName(at: until))
        return "from \(moment(from))" + (first == last ? "" : " (\(first))") + " until \(moment(until)) (\(last))"
    }

    private func shown(_ time: UTCTime) -> String {
        var text = TextBuffer(capacity: 32)
        let local = time.advanced(byMilliseconds: Int64(zone.offsetSeconds(at: time)) * 1_000)
        // At the ends of the calendar there is no local time.
        text.append(local.hasFourDigitYear && time.hasFourDigitYear ? local : time, trimsMilliseconds: true)
        return text.string
    }
}
