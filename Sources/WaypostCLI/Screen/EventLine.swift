import Waypost

/// A fence event of the running tracker in one line for people.
struct EventLine {
    private let event: TrackerEvent
    private let format: ScreenFormat

    init(_ event: TrackerEvent, _ format: ScreenFormat) {
        self.event = event
        self.format = format
    }

    /// The line: `2026-03-01 00:00:08  enter Yard, crossed at 00:00:07.600`.
    var text: String {
        var line = "\(event.time.map(format.moment) ?? "-")  \(event.kind) \(event.name)"
        guard let payload = event.payload else { return line }
        line += ", \(payload.reason.rawValue)"
        if payload.reason == .crossed, payload.crossedAt == nil { line += " at an unknown time" }
        if let crossed = payload.crossedAt { line += " at \(moment(crossed))" }
        if let left = payload.leftAt { line += " and left at \(moment(left))" }
        if payload.isPredicted { line += ", predicted" }
        if payload.isLate { line += ", late" }
        return line
    }

    /// A moment, without the day when it is the event's.
    private func moment(_ moment: UTCTime) -> String {
        event.time.map(format.day) == format.day(moment) ? format.timeOfDay(moment) : format.moment(moment)
    }
}
