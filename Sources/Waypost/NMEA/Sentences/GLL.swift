/// Place and time.
///
///     $--GLL,llll.ll,a,yyyyy.yy,a,hhmmss.ss,A,a*hh
///       0    1       2 3        4 5         6 7
///      1-2 latitude   3-4 longitude   5 UTC   6 A valid, V not   7 mode (2.3 and later)
struct GLL {
    var millisecondOfDay: Int?
    /// The place; nil when the sentence reports that it is not valid.
    var coordinate: Coordinate?
    /// Whether the sentence states explicitly that there is no fix; an empty field states nothing.
    var saysNoFix: Bool
    var status: FixStatus

    /// Nil when the sentence is too short to be a GLL.
    ///
    /// Leniencies: without time and status (NMEA 1.5) the sentence is valid when it has a place.
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>) {
        guard fields.count >= 5 else { return nil }
        millisecondOfDay = fields.millisecondOfDay(5, in: bytes)
        let mode = fields.character(7, in: bytes)
        let validity = fields.character(6, in: bytes)
        saysNoFix = validity == UInt8(ascii: "V") || mode == UInt8(ascii: "N")
        let isActive = fields.count < 7 || validity == UInt8(ascii: "A")
        if isActive, !saysNoFix { coordinate = fields.coordinate(at: 1, in: bytes) }
        status = FixStatus(modeIndicator: mode)
    }
}
