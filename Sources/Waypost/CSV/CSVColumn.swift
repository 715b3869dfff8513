/// The meaning of a column in a table of positions, recognized by its name.
///
/// The names are those that `waypost convert` writes and their equivalents in other programs; case, spaces, `_`, `-`, `.` and `/` are ignored,
/// and so is a unit in brackets or at the end.
enum CSVColumn: String, CaseIterable, Sendable {
    case time, date, mode, latitude, longitude, altitudeMSL, altitudeHAE, geoidSeparation, speed, course, climb, accuracy, accuracyOrigin
    case eph, epv, eps, hdop, vdop, pdop, satellites, status, source

    private var names: [String] {
        switch self {
        case .time:
            ["time", "timestamp", "datetime", "utc", "utctime", "gpstime", "fixtime", "isotime", "dateandtime", "when", "timestamputc"]
        case .date: ["date", "utcdate"]
        case .mode: ["mode"]
        case .latitude: ["lat", "latitude"]
        case .longitude: ["lon", "lng", "long", "longitude"]
        case .altitudeMSL: ["altmsl", "ele", "elevation", "alt", "altitude", "height"]
        case .altitudeHAE: ["althae", "ellipsoidalheight"]
        case .geoidSeparation: ["geoidsep", "geoidheight", "geoidseparation", "undulation"]
        case .speed: ["speed", "velocity", "groundspeed", "speedoverground", "sog"]
        case .course: ["track", "course", "heading", "bearing", "direction", "cog", "courseoverground"]
        case .climb: ["climb", "verticalspeed"]
        case .accuracy: ["accuracy", "acc", "hacc", "horizontalaccuracy"]
        case .accuracyOrigin: ["accuracyfrom"]
        case .eph: ["eph"]
        case .epv: ["epv"]
        case .eps: ["eps"]
        case .hdop: ["hdop"]
        case .vdop: ["vdop"]
        case .pdop: ["pdop"]
        case .satellites: ["satellites", "sats", "sat", "nsat", "numsats", "satellitesused"]
        case .status: ["status"]
        case .source: ["source"]
        }
    }

    private static let byName: [String: CSVColumn] = {
        var found: [String: CSVColumn] = [:]
        for column in allCases { for name in column.names { found[name] = column } }
        return found
    }()

    /// Units that a name may end with, and their factor to metres, metres per second or degrees; the longest first.
    private static let units: [(name: String, factor: Double, isSpeed: Bool)] = [
        ("degrees", 1, false), ("metres", 1, false), ("meters", 1, false), ("knots", 1_852.0 / 3_600, true), ("feet", 0.3048, false),
        ("kmph", 1 / 3.6, true), ("knot", 1_852.0 / 3_600, true), ("kmh", 1 / 3.6, true), ("kph", 1 / 3.6, true), ("mph", 0.447_04, true),
        ("mps", 1, true), ("kts", 1_852.0 / 3_600, true), ("deg", 1, false), ("utc", 1, false), ("ms", 1, true),
        ("kn", 1_852.0 / 3_600, true),
        ("kt", 1_852.0 / 3_600, true), ("ft", 0.3048, false), ("m", 1, false), ("°", 1, false),
    ]

    /// The column with that name and the factor for its numbers; nil when the name is unknown.
    static func named(_ header: String) -> (column: CSVColumn, factor: Double)? {
        let word = String(header.lowercased().filter { !" \t_-./\u{FEFF}".contains($0) })
        if let column = byName[word] { return (column, 1) }
        let name = word.filter { !"()[]".contains($0) }
        for unit in units where name.hasSuffix(unit.name) {
            guard let column = byName[String(name.dropLast(unit.name.count))] else { continue }
            let isSpeed = column == .speed || column == .climb || column == .eps
            // `m/s` does not fit a height, nor `ft` a speed.
            if unit.factor == 1 || unit.isSpeed == isSpeed { return (column, unit.factor) }
        }
        return nil
    }
}
