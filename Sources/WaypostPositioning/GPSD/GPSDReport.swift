import Waypost

#if GPSD
import CGPSD
#endif

/// One message of gpsd, as far as a position source needs it.
enum GPSDReport: Equatable {
    /// A fix or the lack of one, with the path of the receiver.
    case fix(GPSDFix, device: String)
    /// The satellites in view, with the path of the receiver.
    case sky(GPSDSky, device: String)
    /// A receiver came (true) or went (false).
    case device(String, isActive: Bool)
    /// How many receivers gpsd has.
    case deviceCount(Int)
    /// gpsd's release.
    case version(String)
    /// Something gpsd could not do.
    case error(String)
    /// Any other class: proof that gpsd is alive, nothing more.
    case other
}

/// The content of a TPV.
struct GPSDFix: Equatable {
    /// The receiver's time.
    var time: UTCTime?
    /// The fix, with raw error figures and without a source; nil for mode 0 and 1, and when the coordinates are missing or absurd.
    ///
    /// - Leniency: a TPV whose `lat` cannot be parsed comes from libgps with mode 3 and NaN; it counts as a report without a fix.
    var position: Position?
}

/// The content of a SKY.
struct GPSDSky: Equatable {
    /// The satellites, dilutions and the number used; no satellites when gpsd sent the dilutions alone.
    var view: SkyView
}

#if GPSD
extension GPSDFix {
    init(_ raw: cgpsd_fix) {
        time = raw.has_time != 0 ? UTCTime(millisecondsSince1970: raw.milliseconds_since_1970) : nil
        guard let mode = FixMode(rawValue: Int(raw.mode)),
            let coordinate = Coordinate(latitudeDegrees: raw.latitude_degrees, longitudeDegrees: raw.longitude_degrees)
        else { return }
        // Status 0 with a fix: most releases leave out a plain 1, so nothing is known.
        let status = FixStatus(rawValue: Int(raw.status)) ?? .unknown
        var position = Position(time: time, coordinate: coordinate, mode: mode, status: status)
        if mode == .threeDimensional {
            position.altitudeMSLMetres = known(raw.altitude_msl_metres)
            position.altitudeHAEMetres = known(raw.altitude_hae_metres)
            position.climbMetresPerSecond = known(raw.climb_metres_per_second)
        }
        position.geoidSeparationMetres = known(raw.geoid_separation_metres)
        position.speedMetresPerSecond = known(raw.speed_metres_per_second, atLeast: 0)
        position.courseDegrees = known(raw.track_degrees, atLeast: 0).flatMap { $0 == 360 ? 0 : $0 < 360 ? $0 : nil }
        position.quality.eph = known(raw.eph_metres, atLeast: 0)
        position.quality.epv = known(raw.epv_metres, atLeast: 0)
        position.quality.eps = known(raw.eps_metres_per_second, atLeast: 0)
        // gpsd's errors are 95 % values.
        position.accuracy = position.quality.eph.map {
            HorizontalAccuracy(radiusMetres: RangeErrorModel.radius68(radius95Metres: $0), origin: .gpsd)
        }
        self.position = position
    }
}

extension GPSDSky {
    init(_ raw: cgpsd_sky) {
        var satellites = raw.satellites
        let views = withUnsafeBytes(of: &satellites) { bytes in
            bytes.bindMemory(to: cgpsd_satellite.self).prefix(Int(raw.satellite_count)).map(SatelliteView.init)
        }
        var quality = PositionQuality()
        quality.hdop = known(raw.hdop, atLeast: 0)
        quality.vdop = known(raw.vdop, atLeast: 0)
        quality.pdop = known(raw.pdop, atLeast: 0)
        // Without satellites libgps leaves 0 for "not given"; so does Debian 13's with satellites, when an older gpsd does not count them.
        let used = max(Int(raw.satellites_used), views.count(where: \.isUsed))
        quality.satellitesUsed = views.isEmpty && used <= 0 ? nil : used
        let time = raw.has_time != 0 ? UTCTime(millisecondsSince1970: raw.milliseconds_since_1970) : nil
        view = SkyView(time: time, satellites: views, quality: quality)
    }
}

extension SatelliteView {
    fileprivate init(_ raw: cgpsd_satellite) {
        self.init(
            constellation: Constellation(rawValue: Int(raw.gnssid)) ?? .unknown, number: Int(raw.number), isUsed: raw.is_used != 0)
        elevationDegrees = known(raw.elevation_degrees, atLeast: -90)
        azimuthDegrees = known(raw.azimuth_degrees, atLeast: 0)
        signalDecibelHertz = known(raw.signal_decibel_hertz, atLeast: 0)
    }
}

/// The value, or nil for NaN, the infinities and values below the sensible minimum (gpsd has -1 for "not known" in places).
private func known(_ value: Double, atLeast least: Double = -Double.greatestFiniteMagnitude) -> Double? {
    value.isFinite && value >= least ? value : nil
}
#endif
