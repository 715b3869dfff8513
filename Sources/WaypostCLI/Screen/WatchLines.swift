import Waypost
import WaypostSystem

/// What `waypost watch` shows of the lines that come, for people.
struct WatchLines {
    private let format: ScreenFormat
    private let screenColumns: Int?
    /// When the position was lost, by the monotonic clock; nil while there is one.
    private var lostAt: Int64?

    init(_ format: ScreenFormat, screenColumns: Int?) {
        self.format = format
        self.screenColumns = screenColumns
    }

    /// What is shown of a line; nothing of those that say nothing to people.
    ///
    /// - Parameters:
    ///   - report: what the line reports, nil when it is none.
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

/// The last place that was known, of a line that tells of a loss.
struct LastPlace {
    /// Where it was, and how long ago: `last at 47.378000 N 8.540000 E, 12 s ago`.
    let words: String

    /// - Parameter value: what has `last`, a TPV, and its `last_age` in seconds, unless that is not known; nil where it has none.
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
