/// Writes positions as NMEA 0183: GGA, RMC and, where known, VTG, GST, GSA and GSV, in that order, each line with its checksum.
///
/// ```
/// $GPGGA,121500.00,4728.123456,N,00815.123456,E,1,09,0.9,512.3,M,47.3,M,,*hh
/// $GPRMC,121500.00,A,4728.123456,N,00815.123456,E,0.583,96.13,010326,,,A*hh
/// $GPVTG,96.13,T,,M,0.583,N,1.080,K,A*hh        speed or course known
/// $GPGST,121500.00,,2.112,2.112,0.0,2.112,2.112,*hh    accuracy known, unless it is only what the HDOP says
/// $GPGSA,A,3,,,,,,,,,,,,,1.5,0.9,1.25*hh        always with a fix: it distinguishes 2D from 3D
/// $GNGSA,A,3,02,05,,,,,,,,,,,1.5,0.9,1.25,1*hh  one per system whose satellites are known to be used
/// $GPGSV,3,1,09,02,61,118,25,...*hh             satellites in view: NMEAWriter+Sky.swift
/// ```
///
/// - A report without a fix is a GGA of quality 0 and an RMC `V`, so that a reader sees the loss.
/// - What ``NMEADecoder`` reads back differs from what was written only by the format's resolution: 0.01 m of place (1e-6 minutes are
///   2 mm), 1 ms, 0.1 m of height, 0.001 knots, 0.01 degrees of course, 1 mm of accuracy. What NMEA cannot express is lost: climb, gpsd's
///   own error figures, the source, the origin of an accuracy, a height above the ellipsoid without the geoid's.
/// - Dates outside 1969 to 2068 have no two-digit form and are left out; so is the date of a fix without one.
/// - Source: NMEA 0183 4.1 as receivers write it; lines stay within its 82 characters unless a height has more than four digits.
/// - Cost: no allocation once the buffer has grown.
public struct NMEAWriter: Sendable {
    /// The two letters before each sentence's type.
    private let talker: StaticString

    /// Creates a writer; it keeps nothing between positions.
    ///
    /// - Parameter talker: the talker, two letters. GP is understood by every reader; GN would be correct for several constellations.
    public init(talker: StaticString = "GP") {
        precondition(talker.utf8CodeUnitCount == 2, "a talker has two letters")
        self.talker = talker
    }

    /// Writes the sentences of a fix.
    ///
    /// - Parameters:
    ///   - position: the fix.
    ///   - sky: the satellites from which the fix was made; nil when they are not known.
    ///   - text: where the sentences are appended.
    public func position(_ position: Position, sky: SkyView? = nil, into text: inout TextBuffer) {
        let mode = position.status.modeIndicator
        line("GGA", into: &text) { text in
            field(timeOfDay: position.time, into: &text)
            fields(position.coordinate, into: &text)
            field(integer: position.status.ggaQuality, into: &text)
            let satellites = position.quality.satellitesUsed.flatMap { (0...99).contains($0) ? $0 : nil }
            field(paddedInteger: satellites, into: &text)
            field(position.quality.hdop.dilution, decimals: 2, into: &text)
            let geoid = position.geoidSeparationMetres.measured
            field(position.elevationMetres.measured, decimals: 1, into: &text)
            text.append(",M")
            field(geoid, decimals: 1, into: &text)
            text.append(",M,,")
        }
        let knots = position.speedMetresPerSecond.flatMap { $0 >= 0 ? $0 * (3_600.0 / 1_852.0) : nil }.measured
        let course = position.courseDegrees.flatMap { (0...360).contains($0) ? $0 : nil }
        line("RMC", into: &text) { text in
            field(timeOfDay: position.time, into: &text)
            text.append(",A")
            fields(position.coordinate, into: &text)
            field(knots, decimals: 3, into: &text)
            field(course, decimals: 2, into: &text)
            field(date: position.time, into: &text)
            text.append(",,,")
            text.append(byte: mode)
        }
        if knots != nil || course != nil { motion(knots: knots, course: course, mode: mode, into: &text) }
        if let accuracy = position.accuracy, accuracy.radiusMetres > 0, !(accuracy.origin == .hdop && position.quality.hdop != nil) {
            errors(radiusMetres: accuracy.radiusMetres, time: position.time, into: &text)
        }
        solution(position.mode, position.quality, sky, into: &text)
    }

    /// Writes a report without a fix.
    public func noFix(_ report: NoFix, into text: inout TextBuffer) {
        line("GGA", into: &text) { text in
            field(timeOfDay: report.time, into: &text)
            text.append(",,,,,0,00,,,M,,M,,")
        }
        line("RMC", into: &text) { text in
            field(timeOfDay: report.time, into: &text)
            text.append(",V,,,,,,")
            field(date: report.time, into: &text)
            text.append(",,,N")
        }
    }

    // MARK: - Sentences

    private func motion(knots: Double?, course: Double?, mode: UInt8, into text: inout TextBuffer) {
        line("VTG", into: &text) { text in
            field(course, decimals: 2, into: &text)
            text.append(",T,,M")
            field(knots, decimals: 3, into: &text)
            text.append(",N")
            field(knots.map { $0 * 1.852 }, decimals: 3, into: &text)
            text.append(",K,")
            text.append(byte: mode)
        }
    }

    /// The standard deviations of a circular error whose 68 % radius is the given one.
    private func errors(radiusMetres: Double, time: UTCTime?, into text: inout TextBuffer) {
        guard let sigma = Optional(radiusMetres / RangeErrorModel.radius68(sigmasMetres: 1, 1)).measured else { return }
        line("GST", into: &text) { text in
            field(timeOfDay: time, into: &text)
            text.append(",")
            // A millimetre is the finest unit written; less must not read as "unknown".
            field(max(sigma, 0.001), decimals: 3, into: &text)
            field(max(sigma, 0.001), decimals: 3, into: &text)
            text.append(",0.0")
            field(max(sigma, 0.001), decimals: 3, into: &text)
            field(max(sigma, 0.001), decimals: 3, into: &text)
            text.append(",")
        }
    }

    func line(_ type: StaticString, talker: StaticString? = nil, into text: inout TextBuffer, _ fields: (inout TextBuffer) -> Void) {
        text.append("$")
        let start = text.count
        text.append(talker ?? self.talker)
        text.append(type)
        fields(&text)
        var checksum: UInt8 = 0
        text.withBytes { bytes in
            for index in start..<bytes.count { checksum ^= bytes[index] }
        }
        text.append("*")
        for digit in [checksum >> 4, checksum & 0x0F] {
            text.append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
        text.append("\r\n")
    }
}

// MARK: - Fields, each with the comma before it

extension NMEAWriter {
    func field(_ value: Double?, decimals: Int, into text: inout TextBuffer) {
        text.append(",")
        if let value { text.append(value, decimals: decimals) }
    }

    func field(integer value: Int, into text: inout TextBuffer) {
        text.append(",")
        text.append(integer: value)
    }

    func field(paddedInteger value: Int?, digits: Int = 2, into text: inout TextBuffer) {
        text.append(",")
        if let value { text.append(digits: value, count: digits) }
    }

    /// `hhmmss.ss`, with a third decimal only when it is not zero.
    private func field(timeOfDay time: UTCTime?, into text: inout TextBuffer) {
        text.append(",")
        guard let time, time.hasFourDigitYear else { return }
        let millisecond = time.calendar.millisecondOfDay
        text.append(digits: millisecond / 3_600_000, count: 2)
        text.append(digits: millisecond / 60_000 % 60, count: 2)
        text.append(digits: millisecond / 1_000 % 60, count: 2)
        text.append(".")
        let rest = millisecond % 1_000
        if rest % 10 == 0 { text.append(digits: rest / 10, count: 2) } else { text.append(digits: rest, count: 3) }
    }

    /// `ddmmyy`.
    private func field(date time: UTCTime?, into text: inout TextBuffer) {
        text.append(",")
        guard let time, time.hasFourDigitYear else { return }
        let calendar = time.calendar
        guard (1_969...2_068).contains(calendar.year) else { return }
        text.append(digits: calendar.day, count: 2)
        text.append(digits: calendar.month, count: 2)
        text.append(digits: calendar.year % 100, count: 2)
    }

    /// `ddmm.mmmmmm,N,dddmm.mmmmmm,E`.
    private func fields(_ coordinate: Coordinate, into text: inout TextBuffer) {
        field(degrees: coordinate.latitudeDegrees, degreeDigits: 2, "N", "S", into: &text)
        field(degrees: coordinate.longitudeDegrees, degreeDigits: 3, "E", "W", into: &text)
    }

    private func field(
        degrees: Double, degreeDigits: Int, _ positive: StaticString, _ negative: StaticString, into text: inout TextBuffer
    ) {
        // First in whole millionths of a minute, so that a minute is never written as 60.000000.
        let millionths = Int((abs(degrees) * 60_000_000).rounded())
        text.append(",")
        text.append(digits: millionths / 60_000_000, count: degreeDigits)
        text.append(digits: millionths / 1_000_000 % 60, count: 2)
        text.append(".")
        text.append(digits: millionths % 1_000_000, count: 6)
        text.append(",")
        text.append(degrees < 0 ? negative : positive)
    }
}

extension TextBuffer {
    /// Appends the last digits of a number, with leading zeros.
    fileprivate mutating func append(digits value: Int, count: Int) {
        var divisor = 1
        for _ in 1..<count { divisor *= 10 }
        while divisor > 0 {
            append(byte: UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}

extension FixStatus {
    /// GGA's quality.
    fileprivate var ggaQuality: Int {
        switch self {
        case .unknown, .gps, .gnssDeadReckoning, .timeOnly: 1
        case .differential: 2
        case .precise: 3
        case .rtkFixed: 4
        case .rtkFloat: 5
        case .deadReckoning: 6
        case .simulated: 8
        }
    }

    /// The mode letter of RMC and VTG.
    fileprivate var modeIndicator: UInt8 {
        switch self {
        case .unknown, .gps, .gnssDeadReckoning, .timeOnly: UInt8(ascii: "A")
        case .differential: UInt8(ascii: "D")
        case .precise: UInt8(ascii: "P")
        case .rtkFixed: UInt8(ascii: "R")
        case .rtkFloat: UInt8(ascii: "F")
        case .deadReckoning: UInt8(ascii: "E")
        case .simulated: UInt8(ascii: "S")
        }
    }
}

extension Double? {
    /// The value if it can be a measurement: finite, and short enough for its field.
    fileprivate var measured: Double? { flatMap { abs($0) < 1e6 ? $0 : nil } }

    /// The value if it is a dilution; 99 and more mean none.
    var dilution: Double? { flatMap { $0 > 0 && $0 < 99 ? $0 : nil } }
}
