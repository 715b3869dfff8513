import Waypost
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
    /// - Parameters:
    ///   - report: the line's report, nil when it has none.
    ///   - value: the line.
    mutating func lines(for report: PositionReport?, _ value: JSONValue) -> [String] {
        if case .position(let position)? = report {
            let row = PositionLine(position, format).row(screenColumns: screenColumns)
            guard value["cached"]?.bool == true else { return found() + [row] }
            let age = value["age"]?.int.map { "\(spanText(seconds: $0)) ago" } ?? "it is not known when"
            return ["\(row)  last known, \(age)"]
        }
        switch value["class"]?.string {
        case "LOST"?: return [lost(value)]
        case "EVENT"?: return TrackerEvent(value).map { [EventLine($0, format).text] } ?? []
        case "DROPPED"?: return ["(\(counted(value["count"]?.int ?? 0, "line")) dropped: this terminal is too slow)"]
        default: return []
        }
    }

    private mutating func found() -> [String] {
        guard let lostAt else { return [] }
        self.lostAt = nil
        return ["fix again, \(spanText(seconds: (MonotonicClock.milliseconds - lostAt) / 1_000)) after it was lost"]
    }

    /// Why there is no position any more, and where the last one was.
    private mutating func lost(_ value: JSONValue) -> String {
        if lostAt == nil { lostAt = MonotonicClock.milliseconds }
        return "lost: \(value["detail"]?.string ?? value["reason"]?.string ?? "")"
            + (LastPlace(value, format).map { "; \($0.words)" } ?? "")
    }
}

/// The last known place, from a line that reports a loss.
struct LastPlace {
    /// The place and its age: `last at 47.378000 N 8.540000 E, 12 s ago`.
    let words: String

    /// - Parameter value: an object with `last`, a TPV, and its `last_age` in seconds, if known; nil where it has no `last`.
    init?(_ value: JSONValue, _ format: ScreenFormat) {
        guard let last = value["last"] else { return nil }
        // A position that this version cannot read is not shown.
        guard case .position(let position)? = try? TPVCodec.decode(last) else { return nil }  // See above.
        let age =
            value["last_age"]?.int.map { $0 == 0 ? "just now" : "\(spanText(seconds: $0)) ago" }
            ?? position.time.map { "at \(format.moment($0))" }
        words = "last at \(PositionLine(position, format).place)" + (age.map { ", \($0)" } ?? "")
    }
}
