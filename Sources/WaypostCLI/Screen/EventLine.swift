import Waypost

/// A fence event of the running tracker in one line for people.
struct EventLine {
    private let event: JSONValue
    private let format: ScreenFormat

    init(_ event: JSONValue, _ format: ScreenFormat) {
        self.event = event
        self.format = format
    }

    /// The line: `2026-03-01 00:00:08  enter Yard, crossed at 00:00:07.600`.
    var text: String {
        var line = "\(event["time"]?.string.map(format.moment) ?? "-")  \(event["event"]?.string ?? "?") \(event["fence"]?.string ?? "?")"
        if let reason = event["reason"]?.string { line += ", \(reason)" }
        if let crossed = event["crossed_at"]?.string { line += " at \(moment(crossed))" }
        if let left = event["left_at"]?.string { line += " and left at \(moment(left))" }
        if event["predicted"]?.bool == true { line += ", predicted" }
        if event["late"]?.bool == true { line += ", late" }
        return line
    }

    /// A moment without its day where that is the event's.
    private func moment(_ text: String) -> String {
        guard let moment = UTCTime(rfc3339: text) else { return text }
        let time = event["time"]?.string.flatMap { UTCTime(rfc3339: $0) }
        return time.map(format.day) == format.day(moment) ? format.timeOfDay(moment) : format.moment(moment)
    }
}
