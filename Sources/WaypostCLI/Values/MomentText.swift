import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostSystem

/// A moment as people write it: `2026-11-22T15:25:00Z`, `2026-11-22T15:25`, `2026-11-22`, `15:25`, `today`, `yesterday`, `now`, `-1h`.
///
/// A text without a zone is read by the tracker's clocks, so it becomes a moment only when they are known. It names none where these clocks
/// never show the time, because they are set forward past it.
enum MomentText: Equatable {
    /// A moment with its own zone.
    case moment(UTCTime)
    /// A day and a time as the clocks show them, written as if they were UTC.
    case shown(UTCTime)
    /// The beginning of a day, its midnight written as if it were UTC.
    case day(UTCTime)
    /// The most recent occurrence of a time of day, in milliseconds since midnight.
    case timeOfDay(milliseconds: Int64)
    /// The beginning of a day before today.
    case dayBegin(daysAgo: Int)
    /// A span before now.
    case ago(Duration)

    /// The forms, for messages.
    static let forms =
        "a time (15:25, 2026-11-22T15:25, with a Z in UTC), a day (2026-11-22, today, yesterday) or how long ago (-1h, \"-90 min\")"

    /// Parses a text; nil when it is not a moment.
    init?(_ text: String) {
        switch text {
        case "now":
            self = .ago(.zero)
            return
        case "today":
            self = .dayBegin(daysAgo: 0)
            return
        case "yesterday":
            self = .dayBegin(daysAgo: 1)
            return
        default: break
        }
        if text.first == "-" {
            // A number without a unit could be anything.
            guard text.last?.isLetter == true else { return nil }
            guard let span = try? DurationText.parse(String(text.dropFirst())) else { return nil }  // Not a span: not a moment.
            self = .ago(span)
            return
        }
        // Screens show a space between day and time.
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let text = words.count == 2 && words[0].utf8.count == 10 ? words.joined(separator: "T") : text
        // 2026-11-22T15:25Z: the seconds are optional before a zone, too.
        let bytes = Array(text.utf8)
        let isShort = bytes.count > 16 && Array("Zz+-".utf8).contains(bytes[16])
        if let time = UTCTime(rfc3339: isShort ? "\(text.prefix(16)):00\(text.dropFirst(16))" : text) {
            self = .moment(time)
        } else if let local = ["Z", ":00Z"].lazy.compactMap({ UTCTime(rfc3339: text + $0) }).first {
            self = .shown(local)
        } else if let midnight = UTCTime(rfc3339: text + "T00:00:00Z") {
            self = .day(midnight)
        } else if let time = [":00Z", "Z"].lazy.compactMap({ UTCTime(rfc3339: "1970-01-01T" + text + $0) }).first {
            self = .timeOfDay(milliseconds: time.millisecondsSince1970)
        } else {
            return nil
        }
    }

    /// The moment.
    ///
    /// - Parameters:
    ///   - clocks: evaluated only where the text has no zone.
    ///   - doubled: which one counts of a day and a time that the clocks show twice. A time without a day is its most recent occurrence.
    func time(
        now: UTCTime = UTCTime(millisecondsSince1970: WallClock.milliseconds), by clocks: @autoclosure () -> TimeZoneRules,
        ofTwo doubled: DoubledTime = .first
    ) throws(ArgumentProblem) -> UTCTime {
        switch self {
        case .moment(let time): return time
        case .ago(let span): return now.advanced(byMilliseconds: -Int64(span / .milliseconds(1)))
        case .shown(let time): return try ClockReader(zone: clocks()).moment(shownAs: time, ofTwo: doubled)
        case .day(let midnight): return try ClockReader(zone: clocks()).beginning(ofDay: midnight)
        case .timeOfDay(let milliseconds): return try ClockReader(zone: clocks()).last(milliseconds, before: now)
        case .dayBegin(let daysAgo): return try ClockReader(zone: clocks()).beginning(ofDayWith: now, daysAgo: daysAgo)
        }
    }
}

extension MomentText {
    /// The two ends of a stretch, by the same clocks and the same now.
    ///
    /// - Parameter doubled: which one counts at each end of a day and a time that the clocks show twice; usually the longest stretch.
    static func stretch(
        _ since: MomentText, _ until: MomentText, by format: ScreenFormat, ofTwo doubled: (DoubledTime, DoubledTime) = (.first, .last)
    ) throws(ValidationError) -> (from: UTCTime, until: UTCTime) {
        let now = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        let from = try since.time(of: "--since", now: now, by: format.zone, ofTwo: doubled.0)
        let to = try until.time(of: "--until", now: now, by: format.zone, ofTwo: doubled.1)
        guard from < to else {
            throw ValidationError("--since must be before --until, and this stretch is \(format.stretch(from: from, until: to))")
        }
        return (from, to)
    }

    /// The moment that an option names.
    ///
    /// - Errors: the clocks never show it, in words that name the option.
    func time(
        of option: String, now: UTCTime = UTCTime(millisecondsSince1970: WallClock.milliseconds), by zone: TimeZoneRules,
        ofTwo doubled: DoubledTime = .first
    ) throws(ValidationError) -> UTCTime {
        do throws(ArgumentProblem) { return try time(now: now, by: zone, ofTwo: doubled) } catch {
            throw ValidationError("\(option): \(error)")
        }
    }
}
