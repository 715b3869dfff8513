// Reading lines, ours and gpsd's own (`gpspipe -w`).
//
// Leniencies:
// - A line without `class` is a TPV when it has `lat`, `lon` or `mode`; lines of other classes return nil.
// - `mode` may be missing: with coordinates that is a 2D fix. Mode 2 or 3 without coordinates is a report without a fix.
// - `alt` replaces a missing `altMSL`, `device` a missing `source`, `eph` (95 %) a missing `accuracy`.
// - `null` counts as absent, a `track` of 360 as 0.
// - An impossible speed or course (negative, beyond 360) and satellite angles out of range are left out; the rest counts.
// - Members with other names are skipped, whatever they contain.

/// The report on a line of JSON.
public enum PositionReport: Sendable, Hashable {
    /// A fix.
    case position(Position)
    /// The receiver has no fix.
    case noFix(NoFix)
    /// The satellites in view.
    case sky(SkyView)
}

extension TPVCodec {
    /// Decodes the report on a line; nil when the line is JSON of another class.
    ///
    /// - Parameters:
    ///   - bytes: the line, without its line feed.
    ///   - line: the line's number in errors.
    /// - Cost: 3 µs for a full TPV; allocates for names of sources of more than 15 bytes and for the satellites of a sky view.
    public static func decode(_ bytes: Span<UInt8>, line: Int = 1) throws(TPVError) -> PositionReport? {
        var place = RecordedPlace()
        switch try className(of: bytes, line: line) {
        case .some("TPV"): return try decodeTPV(bytes, line: line, isClassKnown: true, &place)
        case .some("SKY"): return try decodeSKY(bytes, line: line)
        case .some: return nil
        case nil: return try decodeTPV(bytes, line: line, isClassKnown: false, &place)
        }
    }

    /// Decodes the report on a line; nil when the line is JSON of another class.
    public static func decode(_ bytes: [UInt8], line: Int = 1) throws(TPVError) -> PositionReport? {
        try decode(bytes.span, line: line)
    }

    /// Decodes the report in an object in memory like that on a line; nil when it is of another class, or a sky view.
    ///
    /// - Errors: as for a line, all at line 1, column 1.
    public static func decode(_ value: JSONValue) throws(TPVError) -> PositionReport? {
        var place = RecordedPlace()
        let name = value["class"]?.string
        guard name == nil || name == "TPV" else { return nil }
        var reader = ValueReader(value)
        let nothing: [UInt8] = []
        return try decodeTPV(&reader, in: nothing.span, line: 1, isClassKnown: name != nil, &place)
    }

    /// The value of `class`; when it comes first, as gpsd and we write it, and names a report, the second reading checks the rest.
    static func className(of bytes: Span<UInt8>, line: Int) throws(TPVError) -> String? {
        var reader = MemberReader(line: line)
        var name: String?
        try reader.open(in: bytes)
        while let member = try reader.nextMember(in: bytes) {
            guard member == "class" else {
                try reader.skip(in: bytes)
                continue
            }
            name = try reader.string(in: bytes)
            if name == "TPV" || name == "SKY" || name == "WPT" || name == "RTE" { return name }
        }
        return name
    }

    // MARK: TPV

    static func decodeTPV(
        _ bytes: Span<UInt8>, line: Int, isClassKnown: Bool, _ place: inout RecordedPlace
    ) throws(TPVError) -> PositionReport? {
        var reader = MemberReader(line: line)
        return try decodeTPV(&reader, in: bytes, line: line, isClassKnown: isClassKnown, &place)
    }

    @inline(__always)
    private static func decodeTPV(
        _ reader: inout some MemberValues, in bytes: Span<UInt8>, line: Int, isClassKnown: Bool, _ place: inout RecordedPlace
    ) throws(TPVError) -> PositionReport? {
        var latitude: Double?
        var longitude: Double?
        var mode: Int?
        var oldAltitude: Double?
        var device: String?
        var accuracy: Double?
        var accuracyOrigin: String?
        // Everything else is stored directly; the coordinate follows when it is complete.
        var fix = Position(time: nil, coordinate: origin)

        try reader.open(in: bytes)
        while let member = try reader.nextMember(in: bytes) {
            switch member {
            case "time": fix.time = try reader.time(in: bytes)
            case "mode": mode = try reader.integer(in: 0...3, in: bytes)
            case "status": fix.status = try reader.integer(in: bytes).flatMap(FixStatus.init(rawValue:)) ?? .unknown
            case "lat": latitude = try reader.number(in: -90...90, in: bytes)
            case "lon": longitude = try reader.number(in: -180...180, in: bytes)
            case "altMSL": fix.altitudeMSLMetres = try reader.number(in: bytes)
            case "alt": oldAltitude = try reader.number(in: bytes)
            case "altHAE": fix.altitudeHAEMetres = try reader.number(in: bytes)
            case "geoidSep": fix.geoidSeparationMetres = try reader.number(in: bytes)
            case "speed": fix.speedMetresPerSecond = try reader.number(in: bytes).flatMap { $0 >= 0 ? $0 : nil }
            case "track": fix.courseDegrees = try reader.number(in: bytes).flatMap(course)
            case "climb": fix.climbMetresPerSecond = try reader.number(in: bytes)
            case "accuracy": accuracy = try reader.number(in: 0...(.greatestFiniteMagnitude), in: bytes)
            case "accuracy_from": accuracyOrigin = try reader.string(in: bytes)
            case "eph": fix.quality.eph = try reader.number(in: bytes)
            case "epv": fix.quality.epv = try reader.number(in: bytes)
            case "eps": fix.quality.eps = try reader.number(in: bytes)
            case "hdop": fix.quality.hdop = try reader.number(in: bytes)
            case "vdop": fix.quality.vdop = try reader.number(in: bytes)
            case "pdop": fix.quality.pdop = try reader.number(in: bytes)
            case "satellites": fix.quality.satellitesUsed = try reader.integer(in: 0...Int(Int32.max), in: bytes)
            case "source": fix.source = try reader.string(in: bytes)
            case "device": device = try reader.string(in: bytes)
            case "segment": place.segment = try reader.integer(in: 0...Int(Int32.max), in: bytes)
            case "route": place.route = try reader.integer(in: 0...Int(Int32.max), in: bytes)
            case "break": place.isAfterBreak = try reader.string(in: bytes) != nil
            case "name": place.name = try reader.string(in: bytes)
            case "desc": place.description = try reader.string(in: bytes)
            case "rollover": fix.isWeekRolloverCorrected = try reader.bool(in: bytes) ?? false
            default: try reader.skip(in: bytes)
            }
        }

        guard isClassKnown || latitude != nil || longitude != nil || mode != nil else { return nil }
        fix.source = fix.source ?? device
        guard latitude != nil || longitude != nil, mode.map({ $0 >= 2 }) ?? true else {
            return .noFix(NoFix(time: fix.time, source: fix.source))
        }
        guard let latitude else { throw .missing(member: "lat", line: line) }
        guard let longitude else { throw .missing(member: "lon", line: line) }
        guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            preconditionFailure("the ranges have been checked")
        }
        fix.coordinate = coordinate
        fix.mode = mode == 3 ? .threeDimensional : .twoDimensional
        fix.altitudeMSLMetres = fix.altitudeMSLMetres ?? oldAltitude
        if let accuracy {
            fix.accuracy = HorizontalAccuracy(
                radiusMetres: accuracy, origin: accuracyOrigin.flatMap(HorizontalAccuracy.Origin.init(rawValue:)) ?? .receiver)
        } else if let eph = fix.quality.eph, eph >= 0 {
            fix.accuracy = HorizontalAccuracy(radiusMetres: RangeErrorModel.radius68(radius95Metres: eph), origin: .gpsd)
        }
        return .position(fix)
    }

    private static var origin: Coordinate {
        guard let origin = Coordinate(latitudeDegrees: 0, longitudeDegrees: 0) else { preconditionFailure("0, 0 is a place") }
        return origin
    }

    private static func course(_ degrees: Double) -> Double? {
        guard (0...360).contains(degrees) else { return nil }
        return degrees == 360 ? 0 : degrees
    }

    // MARK: SKY

    static func decodeSKY(_ bytes: Span<UInt8>, line: Int) throws(TPVError) -> PositionReport {
        var sky = SkyView(time: nil, satellites: [])
        var device: String?
        var reader = MemberReader(line: line)
        try reader.open(in: bytes)
        while let member = try reader.nextMember(in: bytes) {
            switch member {
            case "time": sky.time = try reader.time(in: bytes)
            case "hdop": sky.quality.hdop = try reader.number(in: bytes)
            case "vdop": sky.quality.vdop = try reader.number(in: bytes)
            case "pdop": sky.quality.pdop = try reader.number(in: bytes)
            case "uSat": sky.quality.satellitesUsed = try reader.integer(in: 0...Int(Int32.max), in: bytes)
            case "source": sky.source = try reader.string(in: bytes)
            case "device": device = try reader.string(in: bytes)
            case "satellites":
                sky.satellites.removeAll()
                guard try reader.openArray(in: bytes) else { continue }
                while try reader.openElement(in: bytes) { sky.satellites.append(try decodeSatellite(&reader, bytes, line: line)) }
            default: try reader.skip(in: bytes)
            }
        }
        sky.source = sky.source ?? device
        return .sky(sky)
    }

    private static func decodeSatellite(
        _ reader: inout MemberReader, _ bytes: Span<UInt8>, line: Int
    ) throws(TPVError) -> SatelliteView {
        var number: Int?
        var satellite = SatelliteView(constellation: .unknown, number: 0)
        while let member = try reader.nextMember(in: bytes) {
            switch member {
            case "PRN": number = try reader.integer(in: bytes)
            case "gnssid": satellite.constellation = try reader.integer(in: bytes).flatMap(Constellation.init(rawValue:)) ?? .unknown
            case "el": satellite.elevationDegrees = try reader.number(in: bytes).flatMap { (-90...90).contains($0) ? $0 : nil }
            case "az": satellite.azimuthDegrees = try reader.number(in: bytes).flatMap { (0...360).contains($0) ? $0 : nil }
            case "ss": satellite.signalDecibelHertz = try reader.number(in: bytes)
            case "used": satellite.isUsed = try reader.bool(in: bytes) ?? false
            default: try reader.skip(in: bytes)
            }
        }
        guard let number else { throw .missing(member: "PRN", line: line) }
        satellite.number = number
        return satellite
    }
}
