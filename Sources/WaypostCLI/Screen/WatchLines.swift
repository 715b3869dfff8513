import Waypost
import WaypostControl
import WaypostSystem

/// The lines that `waypost watch` shows to people for the lines it receives.
struct WatchLines {
    private let format: ScreenFormat
    private let screenColumns: Int?
    /// When the position was lost, by the monotonic clock; nil while there is one.
    private var lostAt: Int64?

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
            let age = watched.ageSeconds.map { "\(spanText(seconds: $0)) ago" } ?? "it is not known when"
            return ["\(row)  last known, \(age)"]
        case .lost(let loss): return [lost(loss)]
        case .event(let event): return [EventLine(event, format).text]
        case .dropped(let lines): return ["(\(counted(lines.count, "line")) dropped: this terminal is too slow)"]
        case .noFix, .sky, .other: return []
        }
    }

    private mutating func found() -> [String] {
        guard let lostAt else { return [] }
        self.lostAt = nil
        return ["fix again, \(spanText(seconds: (MonotonicClock.milliseconds - lostAt) / 1_000)) after it was lost"]
    }

    /// Why there is no position any more, and where the last one was.
    private mutating func lost(_ loss: PositionLoss) -> String {
        if lostAt == nil { lostAt = MonotonicClock.milliseconds }
        return "lost: \(loss.detail)"
            + (LastPlace(loss.lastPosition, ageSeconds: loss.lastPositionAgeSeconds, format).map { "; \($0.words)" } ?? "")
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
