/// Fix data: time, place, quality, satellites, altitude.
///
///     $--GGA,hhmmss.ss,llll.ll,a,yyyyy.yy,a,x,xx,x.x,x.x,M,x.x,M,x.x,xxxx*hh
///       0    1         2       3 4        5 6 7  8   9   10 11  12 13  14
///      1 UTC   2-3 latitude   4-5 longitude   6 quality   7 satellites used   8 HDOP   9 altitude above mean sea level, metres
///     11 geoid above ellipsoid, metres   13 age of corrections, seconds   14 reference station
enum GGA {
    /// Nil when the sentence is too short to be a GGA.
    static func read(_ fields: inout NMEAFields, in bytes: Span<UInt8>) -> FixData? {
        guard fields.count >= 10 else { return nil }
        let moment = fields.millisecondOfDay(1, in: bytes)
        let quality = fields.integer(6, in: bytes)
        let hasFix = quality.map { $0 != 0 } ?? false
        return FixData(
            millisecondOfDay: moment, coordinate: hasFix ? fields.coordinate(at: 2, in: bytes) : nil, saysNoFix: quality == 0,
            status: status(quality: quality), satellitesUsed: fields.integer(7, in: bytes), hdop: fields.dilution(8, in: bytes),
            altitudeMSLMetres: fields.decimal(9, in: bytes), geoidSeparationMetres: fields.decimal(11, in: bytes))
    }

    private static func status(quality: Int?) -> FixStatus {
        switch quality {
        case 1: .gps
        case 2: .differential
        case 3: .precise
        case 4: .rtkFixed
        case 5: .rtkFloat
        case 6: .deadReckoning
        case 7, 8: .simulated
        default: .unknown
        }
    }
}
