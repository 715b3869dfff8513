import Waypost

/// A position in one line for people: time, place, altitude, speed, course, accuracy.
struct PositionLine {
    private let position: Position

    init(_ position: Position) {
        self.position = position
    }

    /// The line; what is not known is left out.
    var text: String {
        var text = TextBuffer()
        if let time = position.time { text.append(time, trimsMilliseconds: true) } else { text.append("(no date yet)       ") }
        text.append("  ")
        append(degrees: position.coordinate.latitudeDegrees, "N", "S", to: &text)
        text.append("  ")
        append(degrees: position.coordinate.longitudeDegrees, "E", "W", to: &text)
        append(position.altitudeMSLMetres, decimals: 0, " m", to: &text)
        if position.mode == .threeDimensional { text.append("  3D") } else { text.append("  2D") }
        append(position.speedMetresPerSecond, decimals: 1, " m/s", to: &text)
        append(position.courseDegrees, decimals: 0, "\u{B0}", to: &text)
        if let accuracy = position.accuracy {
            text.append("  \u{B1}")
            text.append(accuracy.radiusMetres, decimals: 1)
            text.append(" m")
        }
        if let satellites = position.quality.satellitesUsed {
            text.append("  ")
            text.append(integer: satellites)
            text.append(" satellites")
        }
        if !position.status.isMeasured { text.append("  not measured") }
        return text.string
    }

    private func append(degrees: Double, _ positive: StaticString, _ negative: StaticString, to text: inout TextBuffer) {
        text.append(abs(degrees), decimals: 6)
        text.append("\u{B0} ")
        text.append(degrees < 0 ? negative : positive)
    }

    private func append(_ value: Double?, decimals: Int, _ unit: StaticString, to text: inout TextBuffer) {
        guard let value else { return }
        text.append("  ")
        text.append(value, decimals: decimals)
        text.append(unit)
    }
}
