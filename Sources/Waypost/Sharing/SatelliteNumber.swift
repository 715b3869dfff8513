/// The number of a satellite within its constellation, and the two other ways of numbering it.
///
/// | constellation | within it | gpsd's PRN | NMEA 0183 4.11 |
/// |---|---|---|---|
/// | GPS | 1...63 | the same | the same |
/// | SBAS | 120...158 | the same | less 87: 33...71 |
/// | Galileo | 1...36 | and 300 | the same |
/// | BeiDou | 1...63 | and 400 (200 before 3.20) | the same |
/// | QZSS | 1...10 | and 192 | the same |
/// | GLONASS | 1...32 | and 64 | and 64 |
/// | NavIC | 1...18 | and 500 | the same |
///
/// - Source: gpsd 3.22, `nmeaid_to_prn` of `driver_nmea0183.c` and the numbers it reported for recorded receivers; NMEA 0183 4.11, GSV.
struct SatelliteNumber: Equatable {
    let constellation: Constellation
    /// The number within the constellation (gpsd's and u-blox's `svId`); nil when the constellation is unknown, or the number outside of it.
    let withinConstellation: Int?
    /// The number as the source gave it.
    private let given: Int

    /// The number of a satellite, in whichever way its source numbers.
    init(of satellite: SatelliteView) {
        constellation = satellite.constellation
        given = satellite.number
        let forms: [(ClosedRange<Int>, offset: Int)] =
            switch constellation {
            case .gps: [(1...63, 0)]
            case .sbas: [(120...158, 0), (33...71, -87)]
            case .galileo: [(1...36, 0), (301...336, 300)]
            case .beidou: [(1...63, 0), (401...463, 400), (201...263, 200)]
            case .qzss: [(1...10, 0), (193...202, 192)]
            case .glonass: [(65...96, 64), (1...32, 0)]
            case .navic: [(1...18, 0), (501...518, 500)]
            case .unknown: []
            }
        withinConstellation = forms.first { $0.0.contains(satellite.number) }.map { satellite.number - $0.offset }
    }

    /// gpsd's `PRN`; of a satellite that is not known, the number as it was given.
    var prn: Int {
        guard let number = withinConstellation else { return given }
        return switch constellation {
        case .galileo: number + 300
        case .beidou: number + 400
        case .qzss: number + 192
        case .glonass: number + 64
        case .navic: number + 500
        case .gps, .sbas, .unknown: number
        }
    }

    /// The number in GSA and GSV; nil where NMEA has none of at most three digits.
    var nmea: Int? {
        guard let number = withinConstellation else { return (1...999).contains(given) ? given : nil }
        return switch constellation {
        case .sbas: number - 87
        case .glonass: number + 64
        case .gps, .galileo, .beidou, .qzss, .navic, .unknown: number
        }
    }
}

/// A group of constellations that share a talker in GSV, and a GSA.
enum NMEASystem: Int, CaseIterable {
    // The raw values are NMEA 4.11's system identifiers.
    case gps = 1
    case glonass = 2
    case galileo = 3
    case beidou = 4
    case qzss = 5
    case navic = 6

    /// The group that a constellation belongs to; an unknown satellite is written as one of GPS.
    init(_ constellation: Constellation) {
        self =
            switch constellation {
            case .gps, .sbas, .unknown: .gps
            case .glonass: .glonass
            case .galileo: .galileo
            case .beidou: .beidou
            case .qzss: .qzss
            case .navic: .navic
            }
    }

    /// The talker of its GSV.
    var talker: StaticString {
        switch self {
        case .gps: "GP"
        case .glonass: "GL"
        case .galileo: "GA"
        case .beidou: "GB"
        case .qzss: "GQ"
        case .navic: "GI"
        }
    }
}
