/// Positions and sky views as lines of JSON in gpsd's names and units (TPV and SKY), with a few members of our own.
///
/// ```
/// {"class":"TPV",                            NoFix: mode 1, and no more than class, time, mode and source
///  "time":"2026-11-21T11:33:28.250Z",        RFC 3339 UTC, ms
///  "mode":3, "status":2,                     2 or 3; kind of solution, gpsd's numbers
///  "lat":46.498293369, "lon":7.567411672,    degrees, every digit of the Double
///  "altMSL":1343.127, "altHAE":1391.2, "geoidSep":48.07,      m
///  "speed":0.091, "track":10.38, "climb":-0.085,              m/s, degrees true, m/s
///  "accuracy":4.2, "accuracy_from":"gst",    ours: 68 % radius in m, and its origin
///  "eph":6.8, "epv":9.1, "eps":0.5, "hdop":0.9, "vdop":1.1, "pdop":1.4,   as the source gave them
///  "satellites":9,                           ours: how many are used
///  "source":"gpsd://localhost:2947",         ours
///  "rollover":true}                          ours: 1024 weeks were added to the date; only when true
/// ```
/// An unknown value is absent; measured values have at most six decimals. `class` always comes first, because libgps clients look for it there.
///
/// - Source: gpsd_json(5) of gpsd 3.22 for the names that are not marked as ours.
/// - Cost: writing allocates nothing once the text has grown, except for numbers of more than nine digits before or seven after the point.
public enum TPVCodec {
    /// Appends a position as one object, without a line feed.
    ///
    /// - Parameters:
    ///   - position: the position to write.
    ///   - text: the buffer to append to.
    ///   - name: the `class`, for places other than fixes.
    ///   - extra: writes members that belong to the line but not to the position, such as a sequence number.
    public static func append(
        _ position: Position, to text: inout TextBuffer, class name: String = "TPV", extra: (inout JSONWriter) -> Void = { _ in }
    ) {
        text.appendJSON { json in
            json.object { json in
                if name == "TPV" { json.member("class", plain: "TPV") } else { json.member("class", name) }
                write(position, to: &json)
                extra(&json)
            }
        }
    }

    /// Writes the members of a position without its `class`.
    @inline(__always)
    public static func write(_ position: Position, to members: inout some JSONMembers) {
        members.member("time", position.time)
        members.member("mode", position.mode.rawValue)
        if position.status != .unknown { members.member("status", position.status.rawValue) }
        members.member("lat", position.coordinate.latitudeDegrees)
        members.member("lon", position.coordinate.longitudeDegrees)
        members.member("altMSL", measured: position.altitudeMSLMetres)
        members.member("altHAE", measured: position.altitudeHAEMetres)
        members.member("geoidSep", measured: position.geoidSeparationMetres)
        members.member("speed", measured: position.speedMetresPerSecond)
        members.member("track", measured: position.writtenCourseDegrees)
        members.member("climb", measured: position.climbMetresPerSecond)
        members.member("accuracy", measured: position.accuracy?.radiusMetres)
        members.member("accuracy_from", position.accuracy?.origin.rawValue)
        members.member("eph", measured: position.quality.eph)
        members.member("epv", measured: position.quality.epv)
        members.member("eps", measured: position.quality.eps)
        members.member("hdop", measured: position.quality.hdop)
        members.member("vdop", measured: position.quality.vdop)
        members.member("pdop", measured: position.quality.pdop)
        members.member("satellites", position.quality.satellitesUsed)
        members.member("source", position.source)
        if position.isWeekRolloverCorrected { members.member("rollover", true) }
    }

    /// Appends a report without a fix as one object, without a line feed.
    public static func append(_ report: NoFix, to text: inout TextBuffer, extra: (inout JSONWriter) -> Void = { _ in }) {
        text.appendJSON { json in
            json.object { json in
                json.member("class", "TPV")
                json.member("time", report.time)
                json.member("mode", 1)
                json.member("source", report.source)
                extra(&json)
            }
        }
    }

    /// Appends a sky view as one object, without a line feed.
    public static func append(_ sky: SkyView, to text: inout TextBuffer, extra: (inout JSONWriter) -> Void = { _ in }) {
        text.appendJSON { json in
            json.object { json in
                json.member("class", "SKY")
                json.member("time", sky.time)
                json.member("hdop", measured: sky.quality.hdop)
                json.member("vdop", measured: sky.quality.vdop)
                json.member("pdop", measured: sky.quality.pdop)
                json.member("uSat", sky.quality.satellitesUsed)
                json.member("source", sky.source)
                json.array("satellites") { json in
                    for satellite in sky.satellites {
                        json.object { json in
                            json.member("PRN", satellite.number)
                            if satellite.constellation != .unknown { json.member("gnssid", satellite.constellation.rawValue) }
                            json.member("el", measured: satellite.elevationDegrees)
                            json.member("az", measured: satellite.azimuthDegrees)
                            json.member("ss", measured: satellite.signalDecibelHertz)
                            json.member("used", satellite.isUsed)
                        }
                    }
                }
                extra(&json)
            }
        }
    }
}
