/// Writes the messages of a gpsd: one JSON object each, with CR LF.
///
/// ```
/// {"class":"VERSION","release":"3.22","rev":"waypost 1.0","proto_major":3,"proto_minor":14}
/// {"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-05-09T07:15:35.000Z","lat":51.731654333,"lon":10.244399500,
///  "altHAE":278.8000,"altMSL":233.0000,"alt":233.0000,"epx":8.003,"epy":8.003,"epv":25.530,"track":126.9800,"speed":13.907,
///  "climb":0.600,"eps":17.08,"geoidSep":45.800,"eph":10.004}
/// {"class":"SKY","device":"/dev/ttyACM0","vdop":1.11,"hdop":0.73,"pdop":1.33,"nSat":15,"uSat":13,"satellites":[{"PRN":301,
///  "el":61.0,"az":118.0,"ss":40.0,"used":true,"gnssid":2,"svid":1},...]}
/// ```
/// What is not known is left out, never null: Kismet and HEAD's libgps stumble over null. The decimals are gpsd's. A line ends with `}` CR LF,
/// without which python3-gps fails.
///
/// - `eph` is a 95 % figure: the source's own, or the 68 % accuracy divided by 0.62. `epx` and `epy` are those of a circular error of that
///   radius, for clients that know no `eph`.
/// - `alt` (deprecated) is `altMSL`, or else `altHAE`: gps3, gpsd-py3, Kismet and Home Assistant read it.
/// - Source: gpsd_json(5) and the output of gpsd 3.22, whose protocol this is (3.14).
/// - Cost: allocates the line.
package struct GPSDWriter: Sendable {
    /// The release whose protocol is spoken: some clients compare it with their own.
    static let release = "3.22"
    /// The beginning of `rev` by which a waypost is told from a gpsd.
    package static let revisionPrefix = "waypost "
    private static let protocolMajor = 3
    private static let protocolMinor = 14

    /// Half the width of the interval that holds 95 % along one axis, per radius that holds 95 %, of a circular normal error.
    ///
    /// - Source: 1.960 over sqrt(-2 ln 0.05) = 2.448.
    private static let axisPerRadius = 0.8007

    private let device: String

    /// Writes for a device of that name.
    package init(device: String) {
        self.device = device
    }

    /// The first line of a connection.
    ///
    /// - Parameter version: our own version.
    package static func version(_ version: String) -> [UInt8] {
        line("VERSION") { json in
            json.member("release", release)
            json.member("rev", revisionPrefix + version)
            json.member("proto_major", protocolMajor)
            json.member("proto_minor", protocolMinor)
        }
    }

    /// Why a request is not answered.
    package static func error(_ message: String) -> [UInt8] { line("ERROR") { $0.member("message", message) } }

    // MARK: - Reports

    /// A position.
    package func position(_ position: Position) -> [UInt8] {
        GPSDWriter.line { write(position, to: &$0) }
    }

    /// A report without a fix.
    package func noFix(_ report: NoFix) -> [UInt8] {
        GPSDWriter.line { write(report, to: &$0) }
    }

    /// The satellites in view.
    package func sky(_ view: SkyView) -> [UInt8] {
        GPSDWriter.line { write(view, to: &$0) }
    }

    // MARK: - Answers

    /// The devices; ours is always there, and has no more than its path until it was heard from.
    func devices(heardAt: UTCTime?) -> [UInt8] {
        GPSDWriter.line("DEVICES") { json in
            json.array("devices") { json in
                json.object { writeDevice(heardAt: heardAt, to: &$0) }
            }
        }
    }

    /// The device.
    func device(heardAt: UTCTime?) -> [UInt8] {
        GPSDWriter.line { json in json.object { writeDevice(heardAt: heardAt, to: &$0) } }
    }

    /// What a client gets.
    func watch(_ watch: GPSDWatch) -> [UInt8] {
        GPSDWriter.line("WATCH") { json in
            json.member("enable", watch.isOn)
            json.member("json", watch.wantsJSON)
            json.member("nmea", watch.wantsNMEA)
            json.member("raw", watch.rawLevel)
            json.member("scaled", watch.isScaled)
            json.member("timing", watch.showsTiming)
            json.member("split24", watch.splitsMessages)
            json.member("pps", watch.wantsPPS)
            json.member("device", watch.device)
        }
    }

    /// What is known now, for a client that asks instead of listening; nothing for one that does not watch.
    func poll(_ state: SharedState, isWatching: Bool, at now: UTCTime) -> [UInt8] {
        GPSDWriter.line("POLL") { json in
            json.member("time", now)
            json.member("active", isWatching ? 1 : 0)
            // gpsd-py3 fails without a TPV that has a mode, and without a SKY.
            json.array("tpv") { json in
                guard isWatching else { return }
                switch state.report {
                case .nothing: write(NoFix(time: nil), to: &json)
                case .noFix(let report): write(report, to: &json)
                case .position(let position): write(position, to: &json)
                }
            }
            json.array("gst") { json in
                if isWatching { writeBare("GST", to: &json) }
            }
            json.array("sky") { json in
                guard isWatching else { return }
                if let sky = state.sky { write(sky, to: &json) } else { writeBare("SKY", to: &json) }
            }
        }
    }

    // MARK: - Objects

    private func write(_ position: Position, to json: inout JSONWriter) {
        let isSolid = position.mode == .threeDimensional
        let (msl, hae) = isSolid ? (position.elevationMetres, position.ellipsoidalHeightMetres) : (nil, nil)
        let eph = position.quality.eph ?? position.accuracy.map { $0.radiusMetres / 0.62 }
        json.object { json in
            json.member("class", "TPV")
            json.member("device", device)
            json.member("mode", position.mode.rawValue)
            // gpsd leaves out a plain fix, too.
            if position.status.rawValue >= FixStatus.differential.rawValue { json.member("status", position.status.rawValue) }
            json.member("time", position.time)
            json.member("lat", position.coordinate.latitudeDegrees, decimals: 9)
            json.member("lon", position.coordinate.longitudeDegrees, decimals: 9)
            json.member("altHAE", hae, decimals: 4)
            json.member("altMSL", msl, decimals: 4)
            json.member("alt", msl ?? hae, decimals: 4)
            json.member("epx", eph.map { $0 * GPSDWriter.axisPerRadius }, decimals: 3)
            json.member("epy", eph.map { $0 * GPSDWriter.axisPerRadius }, decimals: 3)
            json.member("epv", isSolid ? position.quality.epv : nil, decimals: 3)
            json.member("track", position.writtenCourseDegrees, decimals: 4)
            json.member("speed", position.speedMetresPerSecond, decimals: 3)
            json.member("climb", isSolid ? position.climbMetresPerSecond : nil, decimals: 3)
            json.member("eps", position.quality.eps, decimals: 2)
            json.member("geoidSep", position.geoidSeparationMetres, decimals: 3)
            json.member("eph", eph, decimals: 3)
        }
    }

    private func write(_ report: NoFix, to json: inout JSONWriter) {
        json.object { json in
            json.member("class", "TPV")
            json.member("device", device)
            json.member("mode", 1)
            json.member("time", report.time)
        }
    }

    private func write(_ view: SkyView, to json: inout JSONWriter) {
        json.object { json in
            json.member("class", "SKY")
            json.member("device", device)
            json.member("time", view.time)
            json.member("vdop", view.quality.vdop, decimals: 2)
            json.member("hdop", view.quality.hdop, decimals: 2)
            json.member("pdop", view.quality.pdop, decimals: 2)
            json.member("nSat", view.satellites.count)
            json.member("uSat", view.satellites.count(where: \.isUsed))
            json.array("satellites") { json in
                for satellite in view.satellites {
                    let number = SatelliteNumber(of: satellite)
                    json.object { json in
                        json.member("PRN", number.prn)
                        json.member("el", satellite.elevationDegrees, decimals: 1)
                        json.member("az", satellite.azimuthDegrees, decimals: 1)
                        json.member("ss", satellite.signalDecibelHertz, decimals: 1)
                        json.member("used", satellite.isUsed)
                        if let within = number.withinConstellation {
                            json.member("gnssid", number.constellation.rawValue)
                            json.member("svid", within)
                        }
                    }
                }
            }
        }
    }

    private func writeBare(_ name: String, to json: inout JSONWriter) {
        json.object { json in
            json.member("class", name)
            json.member("device", device)
        }
    }

    private func writeDevice(heardAt: UTCTime?, to json: inout JSONWriter) {
        json.member("class", "DEVICE")
        json.member("path", device)
        guard let heardAt else { return }
        json.member("driver", "NMEA0183")
        json.member("activated", heardAt)
        json.member("flags", 1)
        json.member("native", 0)
        // gpsd-py3 asks for it; how fast the line is does not matter to anybody.
        json.member("bps", 0)
        json.member("parity", "N")
        json.member("stopbits", 1)
    }

    private static func line(_ name: String, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        line { json in
            json.object { json in
                json.member("class", name)
                members(&json)
            }
        }
    }

    private static func line(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var text = TextBuffer(capacity: 512)
        text.appendJSON(write)
        text.append("\r\n")
        return text.bytes
    }
}

extension Position {
    /// Height above the ellipsoid: as given, or from the height above sea level when the geoid separation is known; else nil.
    fileprivate var ellipsoidalHeightMetres: Double? {
        if let altitudeHAEMetres { return altitudeHAEMetres }
        guard let altitudeMSLMetres, let geoidSeparationMetres else { return nil }
        return altitudeMSLMetres + geoidSeparationMetres
    }
}
