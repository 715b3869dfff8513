import Waypost
import WaypostControl

/// The last state in a few lines of HTML, for browsers without JavaScript.
struct PageText {
    private let status: StatusReport
    private let ageSeconds: Int?
    private let format: ScreenFormat

    /// - Parameter zone: the clocks of the times, whose name is in the state, unless they are those of the system.
    init(_ status: StatusReport, ageSeconds: Int?, zone: TimeZoneRules) {
        (self.status, self.ageSeconds) = (status, ageSeconds)
        format = ScreenFormat(units: status.display?.units ?? .metric, zone: zone)
    }

    /// The lines; everything that comes from files, receivers or servers is escaped.
    var html: String { lines.map { "<p>\(PageText.escaped($0))</p>" }.joined(separator: "\n") }

    private var lines: [String] {
        var lines = [place]
        if let fences = status.fences, fences.count > 0 {
            let inside = fences.inside.map {
                $0.isEmpty ? "in none of them" : "inside " + $0.prefix(10).map { oneLine($0) }.joined(separator: ", ")
            }
            lines.append("\(counted(fences.count, "fence")): \(inside ?? "not shown")")
            lines += fences.events.suffix(5).reversed().map { event in
                [event.time.map(moment), event.kind, oneLine(event.name)].compactMap { $0 }.joined(separator: " ")
            }
        }
        for destination in status.destinations {
            let waiting = destination.eventCount + (destination.positionCount ?? 0)
            lines.append("\(destination.name): \(destination.state.text), \(destination.sentCount) sent, \(waiting) waiting")
        }
        return lines + (status.problems ?? []).map { "Problem: \($0)" }
    }

    private var place: String {
        if status.privacy?.isPrivate == true { return "Private mode is on: no position is shown." }
        if status.privacy?.isWithheld == true, status.position == nil { return "Inside a privacy zone: no position is shown." }
        guard let position = status.position else {
            guard let last = status.lastPosition else { return "There is no position yet." }
            let age = status.lastPositionAgeSeconds.map { " \(spanText(seconds: $0)) ago" } ?? ""
            return "No position now; the last one\(age): \(PageText.coordinates(last))"
        }
        var parts = [PageText.coordinates(position)]
        if let accuracy = position.accuracy { parts.append("\u{B1}\(format.units.distance(accuracy.radiusMetres))") }
        if let speed = position.speedMetresPerSecond { parts.append(format.units.speed(speed)) }
        if let time = position.time { parts.append("at \(moment(time))") }
        if let ageSeconds { parts.append("\(spanText(seconds: ageSeconds)) ago") }
        return parts.joined(separator: ", ")
    }

    /// A time, with the name of its zone or its distance from UTC.
    private func moment(_ time: UTCTime) -> String { "\(format.moment(time)) \(status.display?.timeZone ?? format.zoneName(at: time))" }

    private static func coordinates(_ position: Position) -> String {
        var text = TextBuffer(capacity: 32)
        text.append(position.coordinate.latitudeDegrees, decimals: 6)
        text.append(", ")
        text.append(position.coordinate.longitudeDegrees, decimals: 6)
        return text.string
    }

    /// A text without meaning for HTML.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in printable(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
