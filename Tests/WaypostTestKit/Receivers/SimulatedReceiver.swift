import Glibc
import Waypost

/// A receiver on the move that speaks NMEA 0183: the same start always gives the same sentences.
///
/// It moves straight on at one speed and course. Every epoch is GGA, GSA, two GSV, VTG and RMC with valid checksums, in this order (so the
/// date comes last, as from most receivers). The values of an epoch are those of its sentences, after their rounding: a decoder must return
/// exactly these coordinates.
public struct SimulatedReceiver: Sendable {
    /// The time of epoch 0.
    public var start: UTCTime
    /// Time between epochs in milliseconds, at least 10.
    public var periodMilliseconds: Int
    /// The place of epoch 0.
    public var origin: Coordinate
    /// Speed over ground in metres per second.
    public var speedMetresPerSecond: Double
    /// Course in degrees from true north, 0..<360.
    public var courseDegrees: Double
    /// Height above mean sea level in metres; it rises by 0.1 m per epoch, so that no two fixes are alike.
    public var altitudeMSLMetres: Double
    /// Geoid minus ellipsoid in metres.
    public var geoidSeparationMetres: Double
    /// The first letters of every sentence: `GP`, `GN`.
    public var talker: String

    /// A receiver that by default starts at 2026-03-01 12:00:00 UTC in Zürich and drives north-east at 15 m/s.
    public init(
        start: UTCTime = UTCTime(millisecondsSince1970: 1_772_366_400_000), periodMilliseconds: Int = 1_000,
        origin: Coordinate? = nil, speedMetresPerSecond: Double = 15, courseDegrees: Double = 45
    ) {
        self.start = start
        self.periodMilliseconds = max(10, periodMilliseconds)
        guard let origin = origin ?? Coordinate(latitudeDegrees: 47.378, longitudeDegrees: 8.54) else {
            preconditionFailure("Zürich is on the earth")
        }
        self.origin = origin
        self.speedMetresPerSecond = speedMetresPerSecond
        self.courseDegrees = courseDegrees
        altitudeMSLMetres = 408
        geoidSeparationMetres = 47.5
        talker = "GP"
    }

    /// The data of one epoch.
    public struct Epoch: Sendable, Equatable {
        /// The moment of the fix.
        public var time: UTCTime
        /// The place, as in the sentences.
        public var coordinate: Coordinate
        /// Height above mean sea level in metres, as in the sentences.
        public var altitudeMSLMetres: Double
        /// The sentences, each with its CR LF.
        public var sentences: [String]

        /// All sentences in a row, ready to be written to a line.
        public var text: String { sentences.joined() }
    }

    /// Epoch number `index`, counted from 0.
    public func epoch(_ index: Int) -> Epoch {
        let time = start.advanced(byMilliseconds: Int64(index * periodMilliseconds))
        let metres = speedMetresPerSecond * Double(index * periodMilliseconds) / 1_000
        let radians = courseDegrees * .pi / 180
        // A sphere is good enough for a road of a few kilometres: only what is sent counts.
        let metresPerDegree = 111_195.0
        let latitude = Angle(degrees: origin.latitudeDegrees + metres * cos(radians) / metresPerDegree)
        let metresPerDegreeEast = metresPerDegree * cos(origin.latitudeDegrees * .pi / 180)
        let longitude = Angle(degrees: origin.longitudeDegrees + metres * sin(radians) / metresPerDegreeEast)
        guard let coordinate = Coordinate(latitudeDegrees: latitude.degrees, longitudeDegrees: longitude.degrees) else {
            preconditionFailure("the receiver has driven off the map")
        }
        let decimetres = (altitudeMSLMetres * 10).rounded() + Double(index)
        return Epoch(
            time: time, coordinate: coordinate, altitudeMSLMetres: decimetres / 10,
            sentences: sentences(time, latitude, longitude, altitude: decimetres / 10))
    }

    /// Epoch number `index` of a receiver that has lost its fix: GGA quality 0, GSA mode 1, RMC status V.
    public func epochWithoutFix(_ index: Int) -> String {
        let time = start.advanced(byMilliseconds: Int64(index * periodMilliseconds))
        let bodies = [
            "GGA,\(clock(time)),,,,,0,00,99.99,,,,,,", "GSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99",
            "RMC,\(clock(time)),V,,,,,,,\(date(time)),,,N",
        ]
        return bodies.map(sentence).joined()
    }

    /// A sentence with that body: `$`, the talker, the body, its checksum, CR LF.
    public func sentence(_ body: String) -> String {
        let content = talker + body
        let sum = content.utf8.reduce(0, ^)
        let hexadecimal = String(sum, radix: 16, uppercase: true)
        return "$\(content)*\(hexadecimal.count < 2 ? "0" : "")\(hexadecimal)\r\n"
    }

    private func sentences(_ time: UTCTime, _ latitude: Angle, _ longitude: Angle, altitude: Double) -> [String] {
        let place =
            "\(latitude.text(degreeDigits: 2)),\(latitude.isNegative ? "S" : "N"),"
            + "\(longitude.text(degreeDigits: 3)),\(longitude.isNegative ? "W" : "E")"
        let course = decimal(courseDegrees, 1)
        let knots = decimal(speedMetresPerSecond * 3_600 / 1_852, 3)
        let kilometres = decimal(speedMetresPerSecond * 3.6, 3)
        let bodies = [
            "GGA,\(clock(time)),\(place),1,08,0.90,\(decimal(altitude, 1)),M,\(decimal(geoidSeparationMetres, 1)),M,,",
            "GSA,A,3,02,05,07,13,15,20,27,30,,,,,1.60,0.90,1.32", "GSV,2,1,08,02,12,034,31,05,65,180,44,07,23,300,38,13,41,090,40",
            "GSV,2,2,08,15,08,210,29,20,55,120,43,27,33,270,37,30,77,010,46", "VTG,\(course),T,,M,\(knots),N,\(kilometres),K,A",
            "RMC,\(clock(time)),A,\(place),\(knots),\(course),\(date(time)),,,A",
        ]
        return bodies.map(sentence)
    }

    private func clock(_ time: UTCTime) -> String {
        let milliseconds = time.calendar.millisecondOfDay
        let seconds = milliseconds / 1_000
        return digits(seconds / 3_600, 2) + digits(seconds / 60 % 60, 2) + digits(seconds % 60, 2) + "." + digits(milliseconds % 1_000, 3)
    }

    private func date(_ time: UTCTime) -> String {
        let calendar = time.calendar
        return digits(calendar.day, 2) + digits(calendar.month, 2) + digits(calendar.year % 100, 2)
    }
}

/// An angle in NMEA's resolution: in steps of 0.00001 minutes.
private struct Angle {
    private static let stepsPerMinute = 100_000
    private static let stepsPerDegree = 60 * stepsPerMinute

    private let steps: Int

    init(degrees: Double) { steps = Int((degrees * Double(Angle.stepsPerDegree)).rounded()) }

    /// Rounded to 1e-10, like positions that come from NMEA.
    var degrees: Double { (Double(steps) / Double(Angle.stepsPerDegree) * 1e10).rounded() / 1e10 }

    var isNegative: Bool { steps < 0 }

    /// `ddmm.mmmmm`.
    func text(degreeDigits: Int) -> String {
        let (whole, rest) = abs(steps).quotientAndRemainder(dividingBy: Angle.stepsPerDegree)
        let (minutes, parts) = rest.quotientAndRemainder(dividingBy: Angle.stepsPerMinute)
        return digits(whole, degreeDigits) + digits(minutes, 2) + "." + digits(parts, 5)
    }
}

private func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
}

private func decimal(_ value: Double, _ decimals: Int) -> String {
    var text = TextBuffer()
    text.append(value, decimals: decimals)
    return text.string
}
