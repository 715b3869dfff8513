import Waypost
import WaypostConfiguration
import WaypostSystem

/// Moments as people write them: `2026-11-22T15:25:00Z`, `2026-11-22T15:25`, `2026-11-22`, `15:25`, `today`, `yesterday`, `now`, `-1h`.
///
/// Without a zone of its own a text is read by the clocks of the person who writes it. A time of day is the last one there was.
struct MomentText {
    /// The present.
    let now: UTCTime
    /// The clocks of the person.
    let zone: TimeZoneRules

    /// The forms, for messages.
    static let forms = "a time (15:25, 2026-11-22T15:25, with a Z in UTC), a day (2026-11-22, today) or how long ago (-1h, \"-90 min\")"

    /// Now, in the zone of this process.
    static var current: MomentText {
        MomentText(
            now: UTCTime(millisecondsSince1970: WallClock.milliseconds),
            zone: ScreenOptions.zone)
    }

    /// The moment that the text names; nil when it names none.
    func moment(_ text: String) -> UTCTime? {
        switch text {
        case "now": return now
        case "today": return last(minuteOfDay: 0, before: now)
        case "yesterday": return last(minuteOfDay: 0, before: last(minuteOfDay: 0, before: now).advanced(byMilliseconds: -1))
        default: break
        }
        if text.first == "-" {
            // A number without a unit could be anything.
            guard text.last?.isLetter == true else { return nil }
            guard let span = try? DurationText.parse(String(text.dropFirst())) else { return nil }  // Not a span: not a moment.
            return now.advanced(byMilliseconds: -Int64(span / .milliseconds(1)))
        }
        // Screens show a space between day and time.
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let text = words.count == 2 && words[0].utf8.count == 10 ? words.joined(separator: "T") : text
        if let time = UTCTime(rfc3339: text) { return time }
        if let local = ["Z", ":00Z", "T00:00:00Z"].lazy.compactMap({ UTCTime(rfc3339: text + $0) }).first {
            return zone.moment(shownAs: local)
        }
        return minuteOfDay(text).map { last(minuteOfDay: $0, before: now) }
    }

    private func last(minuteOfDay: Int, before time: UTCTime) -> UTCTime {
        DailyMoment(minuteOfDay: minuteOfDay, zone: zone).last(before: time)
    }

    /// `15:25` in minutes since midnight.
    private func minuteOfDay(_ text: String) -> Int? {
        UTCTime(rfc3339: "1970-01-01T\(text):00Z").map { Int($0.millisecondsSince1970 / 60_000) }
    }
}
