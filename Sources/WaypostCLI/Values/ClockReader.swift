import Waypost

/// Which one counts of a day and a time that the clocks show twice, because they are set back.
enum DoubledTime {
    case first
    case last
    /// None: people must say which one they mean.
    case refused
}

/// Finds the moments that people name as the clocks of a place show them.
struct ClockReader {
    private static let dayMilliseconds: Int64 = 86_400_000

    let zone: TimeZoneRules

    /// The moment of a day and a time, written as if they were UTC.
    func moment(shownAs local: UTCTime, ofTwo doubled: DoubledTime) throws(ArgumentProblem) -> UTCTime {
        switch (zone.reading(of: local), doubled) {
        case (.once(let moment), _), (.twice(let moment, _), .first), (.twice(_, let moment), .last): return moment
        case (.never(let change), _): throw refusal(of: local, change)
        case (.twice(let first, let second), .refused):
            let forms = [first, second].map { text(local, separator: "T") + offsetText(at: $0) }
            throw ArgumentProblem(
                description: "\(text(local)) comes twice, as the clocks are set back that day; write \(forms[0]) or \(forms[1])")
        }
    }

    /// The first moment of a day, which is given by its midnight as if it were UTC; later than midnight where the clocks are set past that.
    func beginning(ofDay midnight: UTCTime) throws(ArgumentProblem) -> UTCTime {
        switch zone.reading(of: midnight) {
        case .once(let moment), .twice(let moment, _): return moment
        case .never(let change):
            // Where the calendar changes, a whole day may be left out.
            guard midnightShown(at: change) == midnight else { throw refusal(of: midnight, change) }
            return change
        }
    }

    /// The first moment of the day of a moment, or of a day before it.
    func beginning(ofDayWith now: UTCTime, daysAgo: Int) throws(ArgumentProblem) -> UTCTime {
        var begin = try beginning(ofDay: midnightShown(at: now))
        for _ in 0..<daysAgo { begin = try beginning(ofDay: midnightShown(at: begin.advanced(byMilliseconds: -1))) }
        return begin
    }

    /// The last moment until now at which the clocks show a time of day, in milliseconds since midnight.
    ///
    /// - Errors: the clocks were set forward past that time since then, so that it may be the time of that day which is meant.
    func last(_ milliseconds: Int64, before now: UTCTime) throws(ArgumentProblem) -> UTCTime {
        let today = midnightShown(at: now)
        // Clocks that are set back at midnight have shown the next day already.
        for day in stride(from: 1 as Int64, through: -3, by: -1) {
            let local = today.advanced(byMilliseconds: day * ClockReader.dayMilliseconds + milliseconds)
            switch zone.reading(of: local) {
            case .once(let moment) where moment <= now, .twice(_, let moment) where moment <= now,
                .twice(let moment, _) where moment <= now:
                return moment
            case .never(let change) where change <= now: throw refusal(of: local, change)
            default: break
            }
        }
        return try moment(shownAs: today.advanced(byMilliseconds: milliseconds - ClockReader.dayMilliseconds), ofTwo: .last)
    }

    private func shown(at time: UTCTime) -> UTCTime { time.advanced(byMilliseconds: Int64(zone.offsetSeconds(at: time)) * 1_000) }

    private func midnightShown(at time: UTCTime) -> UTCTime {
        let local = shown(at: time).millisecondsSince1970
        let day = ClockReader.dayMilliseconds
        return UTCTime(millisecondsSince1970: local - (local % day + day) % day)
    }

    private func refusal(of local: UTCTime, _ change: UTCTime) -> ArgumentProblem {
        let before = shown(at: change.advanced(byMilliseconds: -1)).advanced(byMilliseconds: 1)
        let after = shown(at: change)
        return ArgumentProblem(
            description:
                "the clocks never show \(text(local)): they go from \(text(before)) to \(text(after)); write that, or a time before the change"
        )
    }

    private func text(_ local: UTCTime, separator: String = " ") -> String {
        let format = ScreenFormat()
        return format.day(local) + separator + format.timeOfDay(local)
    }

    /// The clocks' offset as RFC 3339 has it: `+02:00`.
    private func offsetText(at time: UTCTime) -> String {
        let minutes = zone.offsetSeconds(at: time) / 60
        let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return (minutes < 0 ? "-" : "+") + digits(abs(minutes) / 60) + ":" + digits(abs(minutes) % 60)
    }
}
