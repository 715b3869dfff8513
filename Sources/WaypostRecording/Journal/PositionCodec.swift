import Waypost

/// The byte format of a position, as its own record or within an event: everything that a `Position` holds, exactly.
///
/// ```
/// position = status and mode:1  deviations:varint  latitude  longitude  time?  satellites?  source?  the numbers  accuracy?
/// time     = signed varint, seconds since 1970 (milliseconds with that deviation)
/// accuracy = radius of 68 %  origin:1?
/// number   = varint whose lowest two bits say how: 0, 1, 2: the rest is a signed number with the field's first, second, third count of
///            decimals, and reads back as exactly this double; 3: IEEE 754:8 follows
/// ```
/// A fix with everything that gpsd reports has no deviation. Two figures follow from others and are written only when they differ, bit by
/// bit: the height above the ellipsoid, from the height above the sea and the geoid, in whole millimetres; PDOP, from HDOP and VDOP, in
/// hundredths.
/// - Cost: 62 bytes with its frame for a fix with everything that gpsd reports.
enum PositionCodec {
    /// How a position differs from a usual one; new bits go above these.
    private struct Deviations: OptionSet {
        let rawValue: UInt64

        static let milliseconds = Deviations(rawValue: 1 << 0)
        static let ownHAE = Deviations(rawValue: 1 << 1)
        static let ownPDOP = Deviations(rawValue: 1 << 2)
        /// The accuracy's origin follows; without this bit it is gpsd's.
        static let ownOrigin = Deviations(rawValue: 1 << 3)
        static let noSatellites = Deviations(rawValue: 1 << 16)
        static let noAccuracy = Deviations(rawValue: 1 << 17)
        static let noTime = Deviations(rawValue: 1 << 18)
        /// The source's name follows; without this bit it is the header's.
        static let ownSource = Deviations(rawValue: 1 << 19)
        static let noSource = Deviations(rawValue: 1 << 20)
        static let weekRolloverCorrected = Deviations(rawValue: 1 << 21)

        /// Bits 4 to 15: the number at that index of ``PositionCodec/numbers`` is not known.
        static func noNumber(_ index: Int) -> Deviations { Deviations(rawValue: 1 << UInt64(4 + index)) }

        /// Bits 22 to 25: the types whose tracks it belongs to; no bit: raw.
        static func types(_ types: LogTypes) -> Deviations { types == .raw ? [] : Deviations(rawValue: UInt64(types.rawValue) << 22) }

        var types: LogTypes {
            let bits = LogTypes(rawValue: UInt8(truncatingIfNeeded: rawValue >> 22)).intersection(.all)
            return bits.isEmpty ? .raw : bits
        }
    }

    /// An optional number of a position.
    private struct Field {
        let path: any WritableKeyPath<Position, Double?> & Sendable
        let decimals: JournalDecimals
        /// The deviation without which the number follows from those before it.
        var ifOwn: Deviations?
        var implied: @Sendable (Position) -> Double? = { _ in nil }
    }

    /// In the order of their bits, each after those that it is derived from.
    private static let numbers: [Field] = [
        Field(path: \.courseDegrees, decimals: .course),
        Field(path: \.speedMetresPerSecond, decimals: .figure),
        Field(path: \.climbMetresPerSecond, decimals: .figure),
        Field(path: \.quality.eph, decimals: .figure),
        Field(path: \.quality.epv, decimals: .figure),
        Field(path: \.quality.eps, decimals: .figure),
        Field(path: \.altitudeMSLMetres, decimals: .figure),
        Field(path: \.geoidSeparationMetres, decimals: .figure),
        Field(path: \.altitudeHAEMetres, decimals: .figure, ifOwn: .ownHAE) { position in
            guard let altitude = position.altitudeMSLMetres, let separation = position.geoidSeparationMetres else { return nil }
            return ((altitude + separation) * 1e3).rounded() / 1e3
        },
        Field(path: \.quality.hdop, decimals: .figure),
        Field(path: \.quality.vdop, decimals: .figure),
        Field(path: \.quality.pdop, decimals: .figure, ifOwn: .ownPDOP) { $0.quality.impliedPDOP },
    ]

    /// The wire numbers of accuracy origins; never change one.
    private static let origins: [(code: UInt8, origin: HorizontalAccuracy.Origin)] = [
        (0, .receiver), (1, .gst), (2, .gbs), (gpsdOrigin, .gpsd), (4, .hdop), (5, .assumed), (6, .reduced),
    ]
    private static let gpsdOrigin: UInt8 = 3

    /// Appends a position; numbers that are not finite and times out of range count as unknown.
    static func append(_ position: Position, types: LogTypes = .raw, source: String?, to bytes: inout [UInt8]) {
        var deviations = Deviations.types(types)
        // Without what is not written, as the reader has it when it derives a number.
        var known = position
        for (index, field) in numbers.enumerated() {
            guard let value = known[keyPath: field.path], value.isFinite else {
                known[keyPath: field.path] = nil
                deviations.insert(.noNumber(index))
                continue
            }
            if let own = field.ifOwn, field.implied(known)?.bitPattern != value.bitPattern { deviations.insert(own) }
        }
        let accuracy = position.accuracy.flatMap { $0.radiusMetres.isFinite ? $0 : nil }
        if let accuracy {
            if accuracy.origin != .gpsd { deviations.insert(.ownOrigin) }
        } else {
            deviations.insert(.noAccuracy)
        }
        let time = position.time.flatMap { $0.hasFourDigitYear ? $0.millisecondsSince1970 : nil }
        if let time, time % 1_000 != 0 { deviations.insert(.milliseconds) }
        if time == nil { deviations.insert(.noTime) }
        if position.quality.satellitesUsed == nil { deviations.insert(.noSatellites) }
        if position.isWeekRolloverCorrected { deviations.insert(.weekRolloverCorrected) }
        if let own = position.source {
            if own != source { deviations.insert(.ownSource) }
        } else {
            deviations.insert(.noSource)
        }

        bytes.append(UInt8(position.status.rawValue << 4 | position.mode.rawValue))
        bytes.append(varint: deviations.rawValue)
        bytes.append(position.coordinate.latitudeDegrees, decimals: .degrees)
        bytes.append(position.coordinate.longitudeDegrees, decimals: .degrees)
        if let time { bytes.append(signedVarint: deviations.contains(.milliseconds) ? time : time / 1_000) }
        if let satellites = position.quality.satellitesUsed { bytes.append(signedVarint: Int64(satellites)) }
        if deviations.contains(.ownSource), let own = position.source { bytes.append(journalString: own) }
        for field in numbers {
            guard let value = known[keyPath: field.path], field.ifOwn.map(deviations.contains) != false else { continue }
            bytes.append(value, decimals: field.decimals)
        }
        if let accuracy {
            bytes.append(accuracy.radiusMetres, decimals: .figure)
            if deviations.contains(.ownOrigin) { bytes.append(origins.first { $0.origin == accuracy.origin }?.code ?? .max) }
        }
    }

    /// Reads a position; nil when the bytes are not one.
    static func decode(_ input: inout JournalInput, source: String?) -> Position? {
        var types = LogTypes.raw
        return decode(&input, types: &types, source: source)
    }

    /// Reads a position and the types whose tracks it belongs to; nil when the bytes are not one.
    static func decode(_ input: inout JournalInput, types: inout LogTypes, source: String?) -> Position? {
        guard let kinds = input.byte(), let mode = FixMode(rawValue: Int(kinds & 0x0F)),
            let deviations = input.varint().map(Deviations.init(rawValue:)),
            let latitude = input.number(decimals: .degrees), let longitude = input.number(decimals: .degrees),
            let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        else { return nil }
        var position = Position(time: nil, coordinate: coordinate, mode: mode, status: FixStatus(rawValue: Int(kinds >> 4)) ?? .unknown)
        if !deviations.contains(.noTime) {
            guard let count = input.signedVarint(),
                case (let milliseconds, let overflows) = count.multipliedReportingOverflow(
                    by: deviations.contains(.milliseconds) ? 1 : 1_000),
                !overflows, case let time = UTCTime(millisecondsSince1970: milliseconds), time.hasFourDigitYear
            else { return nil }
            position.time = time
        }
        if !deviations.contains(.noSatellites) {
            guard let satellites = input.signedVarint().flatMap(Int.init(exactly:)) else { return nil }
            position.quality.satellitesUsed = satellites
        }
        if deviations.contains(.ownSource) {
            guard let own = input.string() else { return nil }
            position.source = own
        } else if !deviations.contains(.noSource) {
            position.source = source
        }
        for (index, field) in numbers.enumerated() where !deviations.contains(.noNumber(index)) {
            let isImplied = field.ifOwn.map { !deviations.contains($0) } ?? false
            guard let value = isImplied ? field.implied(position) : input.number(decimals: field.decimals), value.isFinite else {
                return nil
            }
            position[keyPath: field.path] = value
        }
        if !deviations.contains(.noAccuracy) {
            guard let radius = input.number(decimals: .figure), let code = deviations.contains(.ownOrigin) ? input.byte() : gpsdOrigin
            else {
                return nil
            }
            // An origin from a later version: no accuracy is better than one with a false origin.
            position.accuracy = origins.first { $0.code == code }.map { HorizontalAccuracy(radiusMetres: radius, origin: $0.origin) }
        }
        position.isWeekRolloverCorrected = deviations.contains(.weekRolloverCorrected)
        types = deviations.types
        return position
    }
}

/// The three powers of ten used to write numbers of a kind, chosen from what sources use.
private struct JournalDecimals {
    let scales: (Double, Double, Double)

    /// NMEA and UBX; eight decimals; gpsd.
    static let degrees = JournalDecimals(scales: (1e7, 1e8, 1e9))
    /// NMEA, gpsd, UBX.
    static let course = JournalDecimals(scales: (1e2, 1e4, 1e5))
    /// Metres, metres per second, dilutions.
    static let figure = JournalDecimals(scales: (1e1, 1e2, 1e3))
}

extension [UInt8] {
    /// Appends a finite number so that it reads back as the same double, including the sign of zero.
    fileprivate mutating func append(_ value: Double, decimals: JournalDecimals) {
        let (first, second, third) = decimals.scales
        for (code, scale) in [(0, first), (1, second), (2, third)] as [(UInt64, Double)] {
            let scaled = (value * scale).rounded()
            // Seven bytes; a longer form would not be shorter than the plain one.
            guard abs(scaled) < 0x1p45 else { break }
            let digits = Int64(scaled)
            guard (Double(digits) / scale).bitPattern == value.bitPattern else { continue }
            append(varint: UInt64(bitPattern: digits << 1 ^ digits >> 63) << 2 | code)
            return
        }
        append(3)
        append(littleEndian: value.bitPattern)
    }
}

extension JournalInput {
    /// A finite number; nil for others.
    fileprivate mutating func number(decimals: JournalDecimals) -> Double? {
        guard let code = varint() else { return nil }
        let scale: Double
        switch code & 3 {
        case 0: scale = decimals.scales.0
        case 1: scale = decimals.scales.1
        case 2: scale = decimals.scales.2
        default:
            guard let value = integer(UInt64.self).map(Double.init(bitPattern:)), value.isFinite else { return nil }
            return value
        }
        let digits = Int64(bitPattern: code >> 3) ^ -Int64(bitPattern: code >> 2 & 1)
        return Double(digits) / scale
    }
}
