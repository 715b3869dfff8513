import Waypost

/// A fence event of the running tracker in one line for people.
struct EventLine {
    private let event: JSONValue

    init(_ event: JSONValue) {
        self.event = event
    }

    /// The line: `2026-03-01T00:00:08.000Z  enter Yard, crossed at 2026-03-01T00:00:07.600Z`.
    var text: String {
        var line = "\(event["time"]?.string ?? "-")  \(event["event"]?.string ?? "?") \(event["fence"]?.string ?? "?")"
        if let reason = event["reason"]?.string { line += ", \(reason)" }
        if let crossed = event["crossed_at"]?.string { line += " at \(crossed)" }
        if let left = event["left_at"]?.string { line += " and left at \(left)" }
        if event["predicted"]?.bool == true { line += ", predicted" }
        if event["late"]?.bool == true { line += ", late" }
        return line
    }
}
