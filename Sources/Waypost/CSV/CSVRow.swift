/// The values of one row, put together.
struct CSVRow {
    /// The result of a row.
    enum Result {
        case report(PositionReport)
        /// The row is empty.
        case empty
        /// The place is impossible, for this reason.
        case impossible(String)
    }

    private var position = Position(time: nil, coordinate: CSVRow.origin)
    private var latitude: Double?
    private var longitude: Double?
    private var mode: Int?
    private var date = ""
    private var timeOfDay = ""
    private var radiusMetres: Double?
    private var radiusOrigin: HorizontalAccuracy.Origin?
    private var badPlace: String?
    private var hasValues = false
    private let hasDecimalCommas: Bool

    init(hasDecimalCommas: Bool) {
        self.hasDecimalCommas = hasDecimalCommas
    }

    /// Stores a field; false when its column cannot hold it.
    mutating func set(_ column: CSVColumn, _ field: Span<UInt8>, factor: Double) -> Bool {
        let field = field.extracting(field.trimmingXMLSpace)
        if field.isEmpty { return true }
        hasValues = true
        switch column {
        case .time: return setTime(field)
        case .date:
            date = CSVRow.text(field)
            return true
        case .latitude: return setPlace(\.latitude, field, limit: 90)
        case .longitude: return setPlace(\.longitude, field, limit: 180)
        case .accuracyOrigin:
            radiusOrigin = HorizontalAccuracy.Origin(rawValue: CSVRow.text(field))
            return radiusOrigin != nil
        case .source:
            position.source = CSVRow.unguarded(CSVRow.text(field))
            return true
        case .mode, .satellites, .status: return setInteger(column, field)
        default:
            guard let value = number(field).map({ factor == 1 ? $0 : ($0 * factor).roundedSpeed }), value.isFinite else { return false }
            return setNumber(column, value)
        }
    }

    /// The row's result, once all its fields are set.
    var report: Result {
        guard hasValues else { return .empty }
        if let badPlace { return .impossible(badPlace) }
        let time = position.time ?? joinedTime
        guard latitude != nil || longitude != nil, mode.map({ $0 >= 2 }) ?? true else {
            return .report(.noFix(NoFix(time: time, source: position.source)))
        }
        guard let latitude, let longitude, let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            return .impossible(latitude == nil ? "no latitude" : "no longitude")
        }
        var fix = position
        fix.time = time
        fix.coordinate = coordinate
        let hasAltitude = fix.altitudeMSLMetres != nil || fix.altitudeHAEMetres != nil
        fix.mode = mode.flatMap(FixMode.init(rawValue:)) ?? (hasAltitude ? .threeDimensional : .twoDimensional)
        fix.accuracy = radiusMetres.map { HorizontalAccuracy(radiusMetres: $0, origin: radiusOrigin ?? .receiver) }
        return .report(.position(fix))
    }

    // MARK: - Values

    private mutating func setNumber(_ column: CSVColumn, _ value: Double) -> Bool {
        switch column {
        case .altitudeMSL: position.altitudeMSLMetres = value
        case .altitudeHAE: position.altitudeHAEMetres = value
        case .geoidSeparation: position.geoidSeparationMetres = value
        case .climb: position.climbMetresPerSecond = value
        case .course:
            guard (0...360).contains(value) else { return false }
            position.courseDegrees = value == 360 ? 0 : value
        default:
            // Values that cannot be negative; some programs write -1 for unknown.
            guard value >= 0 else { return false }
            setMagnitude(column, value)
        }
        return true
    }

    private mutating func setMagnitude(_ column: CSVColumn, _ value: Double) {
        switch column {
        case .speed: position.speedMetresPerSecond = value
        case .accuracy: radiusMetres = value
        case .eph: position.quality.eph = value
        case .epv: position.quality.epv = value
        case .eps: position.quality.eps = value
        case .hdop: position.quality.hdop = value
        case .vdop: position.quality.vdop = value
        case .pdop: position.quality.pdop = value
        default: break
        }
    }

    private mutating func setInteger(_ column: CSVColumn, _ field: Span<UInt8>) -> Bool {
        guard let value = number(field).flatMap(Int.init(exactly:)), (0...Int(Int32.max)).contains(value) else { return false }
        switch column {
        case .mode: if value <= 3 { mode = value } else { return false }
        case .satellites: position.quality.satellitesUsed = value
        default: if let status = FixStatus(rawValue: value) { position.status = status } else { return false }
        }
        return true
    }

    private mutating func setPlace(_ place: WritableKeyPath<CSVRow, Double?>, _ field: Span<UInt8>, limit: Double) -> Bool {
        let value = number(field)
        if let value, abs(value) <= limit {
            self[keyPath: place] = value
        } else {
            badPlace = "\(limit == 90 ? "latitude" : "longitude") \(CSVRow.text(field.extracting(0..<min(40, field.count))))"
        }
        // The whole row is left out and reported.
        return true
    }

    // MARK: - Times

    /// A smaller number of seconds would be before March 1973: it counts something else, such as a spreadsheet's days since 1900.
    private static let firstSeconds = 1e8

    private mutating func setTime(_ field: Span<UInt8>) -> Bool {
        if let time = UTCTime(xmlDateTime: field) {
            position.time = time
        } else if let seconds = Double(xmlDecimal: field), seconds >= CSVRow.firstSeconds {
            // A number this large is milliseconds: as seconds it would be the year 5138.
            let milliseconds = seconds < 1e11 ? (seconds * 1_000).rounded() : seconds.rounded(.down)
            guard milliseconds < 253_402_300_800_000 else { return false }
            position.time = UTCTime(millisecondsSince1970: Int64(milliseconds))
        } else {
            // Perhaps only a time of day: a column `date` may hold its day.
            timeOfDay = CSVRow.text(field)
        }
        return true
    }

    /// A day and a time of day in separate columns, or one text of both.
    private var joinedTime: UTCTime? {
        CSVRow.time([date, timeOfDay].filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// The parts of the time that cannot be read, by themselves or without the other, each with its text: known once all fields are set.
    ///
    /// Nothing is guessed: `05/01/2026` is January in one country, and May in another.
    var unreadTimes: [(column: CSVColumn, text: String)] {
        if date.isEmpty, timeOfDay.isEmpty { return [] }
        let isDay = date.isEmpty || CSVRow.time("\(date) 00:00") != nil || CSVRow.time(date) != nil
        if position.time != nil { return isDay ? [] : [(.date, date)] }
        if joinedTime != nil { return [] }
        if timeOfDay.isEmpty { return [(.date, isDay ? "\(date), without a time of day" : date)] }
        let isTimeOfDay = CSVRow.time("2000-01-01 \(timeOfDay)") != nil
        if date.isEmpty { return [(.time, isTimeOfDay ? "\(timeOfDay), without a day" : timeOfDay)] }
        var unread: [(column: CSVColumn, text: String)] = isDay ? [] : [(.date, date)]
        if isDay || !isTimeOfDay { unread.append((.time, timeOfDay)) }
        return unread
    }

    /// The moment in a text, with `-` or `/` in its date.
    private static func time(_ text: String) -> UTCTime? {
        UTCTime(xmlDateTime: Array(String(text.map { $0 == "/" ? "-" : $0 }).utf8).span)
    }

    // MARK: - Texts

    private func number(_ field: Span<UInt8>) -> Double? {
        if let value = Double(xmlDecimal: field) { return value }
        guard hasDecimalCommas else { return nil }
        var text = field.withUnsafeBufferPointer { Array($0) }
        guard let comma = text.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        text[comma] = UInt8(ascii: ".")
        return Double(xmlDecimal: text.span)
    }

    private static func text(_ field: Span<UInt8>) -> String { field.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// The text without the `'` that keeps spreadsheets from evaluating it.
    private static func unguarded(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: "'"), let second = bytes.dropFirst().first, "=+-@\t\r\n'".utf8.contains(second) else {
            return text
        }
        return String(text.dropFirst())
    }

    private static var origin: Coordinate {
        guard let origin = Coordinate(latitudeDegrees: 0, longitudeDegrees: 0) else { preconditionFailure("0, 0 is a place") }
        return origin
    }
}
