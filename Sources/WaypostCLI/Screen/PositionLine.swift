import Waypost

/// A position for people: time, place, altitude, speed, course, accuracy.
struct PositionLine {
    private let position: Position
    private let format: ScreenFormat

    init(_ position: Position, _ format: ScreenFormat) {
        self.position = position
        self.format = format
    }

    /// One row of `waypost watch`: each value in its own columns, whatever is missing or long; 80 columns unless there are more.
    func row(screenColumns: Int?) -> String {
        // To the tenth of a second, which is enough for every receiver's rate.
        var row = PositionLine.padded(position.time.map { String(format.moment($0).prefix(21)) } ?? "(no date yet)", 21)
        row += " " + PositionLine.padded(latitude, 11, isTrailing: true)
        row += " " + PositionLine.padded(longitude, 12, isTrailing: true)
        row += "  " + PositionLine.padded(altitude ?? "", 6, isTrailing: true)
        row += " " + PositionLine.padded(speed ?? "", 9, isTrailing: true)
        row += " " + PositionLine.padded(course ?? "", 4, isTrailing: true)
        row += "  " + PositionLine.padded(notMeasured ?? accuracy ?? "", 6)
        if screenColumns ?? .max >= 100 {
            row += "  " + mode
            if let satellites { row += "  " + satellites }
        }
        while row.last == " " { row.removeLast() }
        return row
    }

    /// The position as sentences of a screen, without its time.
    var words: [String] {
        let place = [place, altitude, accuracy, notMeasured].compactMap { $0 }
        return [place, [mode, speed, course, satellites].compactMap { $0 }].map { $0.joined(separator: ", ") }
    }

    /// The place: `47.378000 N 8.540000 E`.
    var place: String { "\(latitude) \(longitude)" }

    private var latitude: String { PositionLine.degrees(position.coordinate.latitudeDegrees, "N", "S") }
    private var longitude: String { PositionLine.degrees(position.coordinate.longitudeDegrees, "E", "W") }
    private var altitude: String? { position.altitudeMSLMetres.map(format.units.altitude) }
    private var speed: String? { position.speedMetresPerSecond.map(format.units.speed) }
    private var mode: String { position.mode == .threeDimensional ? "3D" : "2D" }
    private var satellites: String? { position.quality.satellitesUsed.map { counted($0, "satellite") } }

    private var course: String? {
        position.courseDegrees.map { degrees in
            var text = TextBuffer(capacity: 16)
            // 359.6 is north.
            text.append(degrees < 359.5 ? degrees : 0, decimals: 0)
            return text.string + "\u{B0}"
        }
    }

    private var accuracy: String? {
        position.accuracy.map { accuracy in
            "\u{B1}" + format.units.distance(accuracy.radiusMetres < 9.95 ? accuracy.radiusMetres : accuracy.radiusMetres.rounded())
        }
    }

    /// How the position was made, when it is not measured.
    private var notMeasured: String? {
        switch position.status {
        case .simulated: "simulated"
        case .deadReckoning: "estimated"
        default: nil
        }
    }

    private static func degrees(_ degrees: Double, _ positive: String, _ negative: String) -> String {
        var text = TextBuffer(capacity: 16)
        text.append(abs(degrees), decimals: 6)
        return "\(text.string) \(degrees < 0 ? negative : positive)"
    }

    private static func padded(_ text: String, _ width: Int, isTrailing: Bool = false) -> String {
        let room = String(repeating: " ", count: max(0, width - text.count))
        return isTrailing ? room + text : text + room
    }
}
