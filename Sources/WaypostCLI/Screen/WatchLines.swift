import Waypost
import WaypostControl
import WaypostSystem

/// The lines that `waypost watch` shows to people for the lines it receives.
struct WatchLines {
    private let format: ScreenFormat
    private let screenColumns: Int?
    /// Since when there is no position, by the monotonic clock, and whether one was lost then; nil while there is one.
    private var missing: (since: Int64, isLost: Bool)?

    /// The road that was shown last.
    private var shownRoad: String?

    init(_ format: ScreenFormat, screenColumns: Int?) {
        self.format = format
        self.screenColumns = screenColumns
    }

    /// The lines to show for a received line; none for one without meaning for people.
    ///
    /// - Parameter line: the line.
    mutating func lines(for line: WatchLine) -> [String] {
        switch line {
        case .position(let watched):
            let row = PositionLine(watched.position, format).row(screenColumns: screenColumns)
            guard watched.isCached else { return found() + [row] }
            // A row with a time says when.
            let age =
                watched.ageSeconds.map { ", \(spanText(seconds: $0)) ago" }
                ?? (watched.position.time == nil ? ", it is not known when" : "")
            return ["\(row)  last known\(age)"]
        case .matched(let match): return road(match).map { [$0] } ?? []
        case .lost(let loss): return [lost(loss)]
        case .event(let event): return [EventLine(event, format).text]
        case .dropped(let lines): return ["(\(counted(lines.count, "line")) dropped: this terminal is too slow)"]
        case .authorisation(let authorisation): return ["access: \(authorisation.words)"]
        case .noFix, .sky, .other: return []
        }
    }

    /// The road, when it is another one than before.
    private mutating func road(_ match: MatchedLine) -> String? {
        let words = RoadWords(match, format.units).text
        guard words != shownRoad else { return nil }
        shownRoad = words
        return words
    }

    private mutating func found() -> [String] {
        guard let missing else { return [] }
        self.missing = nil
        let span = spanText(seconds: (MonotonicClock.milliseconds - missing.since) / 1_000)
        return [missing.isLost ? "fix again, \(span) after it was lost" : "first fix, after \(span)"]
    }

    /// Why there is no position, and where the last one was; without a last one, none was lost.
    private mutating func lost(_ loss: PositionLoss) -> String {
        let last = LastPlace(loss.lastPosition, ageSeconds: loss.lastPositionAgeSeconds, format)
        if missing == nil { missing = (MonotonicClock.milliseconds, last != nil) }
        return last.map { "lost: \(loss.detail); \($0.words)" } ?? "no position: \(loss.detail)"
    }
}

/// The last known place, from a line that reports a loss.
struct LastPlace {
    /// The place and its age: `last at 47.378000 N 8.540000 E, 12 s ago`.
    let words: String

    /// - Parameters:
    ///   - position: the last position; nil where none is known.
    ///   - ageSeconds: how many seconds old it is, unless that is not known.
    ///   - format: how it is shown.
    init?(_ position: Position?, ageSeconds: Int?, _ format: ScreenFormat) {
        guard let position else { return nil }
        let age =
            ageSeconds.map { $0 == 0 ? "just now" : "\(spanText(seconds: $0)) ago" }
            ?? position.time.map { "at \(format.moment($0))" }
        words = "last at \(PositionLine(position, format).place)" + (age.map { ", \($0)" } ?? "")
    }
}
