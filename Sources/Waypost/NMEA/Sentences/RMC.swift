/// Recommended minimum: time, date, place, speed and course in one sentence.
///
///     $--RMC,hhmmss.ss,A,llll.ll,a,yyyyy.yy,a,x.x,x.x,ddmmyy,x.x,a,a,a*hh
///       0    1         2 3       4 5        6 7   8   9      10  11 12 13
///      1 UTC            2 A valid, V warning   3-4 latitude  5-6 longitude   7 speed, knots   8 course, degrees true
///      9 date          10-11 magnetic variation  12 mode (2.3 and later)     13 navigation status (4.1; receivers leave it V)
struct RMC {
    var millisecondOfDay: Int?
    /// The place; nil when the sentence reports that it is not valid.
    var coordinate: Coordinate?
    /// Whether the sentence states explicitly that there is no fix; an empty field states nothing.
    var saysNoFix: Bool
    var speedMetresPerSecond: Double?
    var courseDegrees: Double?
    var date: NMEADate?
    var status: FixStatus

    /// Nil when the sentence is too short to be an RMC.
    ///
    /// Leniencies: no mode field (before NMEA 2.3), an empty course when slow, an unreadable date (then there is no date).
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>) {
        guard fields.count >= 10 else { return nil }
        millisecondOfDay = fields.millisecondOfDay(1, in: bytes)
        let mode = fields.character(12, in: bytes)
        let validity = fields.character(2, in: bytes)
        saysNoFix = validity == UInt8(ascii: "V") || mode == UInt8(ascii: "N")
        // Coordinates without a fix are filler (8960.0000 N), not damage.
        if validity == UInt8(ascii: "A"), !saysNoFix { coordinate = fields.coordinate(at: 3, in: bytes) }
        speedMetresPerSecond = fields.metresPerSecond(knots: 7, in: bytes)
        courseDegrees = fields.course(8, in: bytes)
        date = NMEADate(twoDigitYear: fields.range(9), in: bytes)
        status = FixStatus(modeIndicator: mode)
    }
}
