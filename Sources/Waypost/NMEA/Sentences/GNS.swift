/// Fix data of receivers with several constellations.
///
///     $--GNS,hhmmss.ss,llll.ll,a,yyyyy.yy,a,c--c,xx,x.x,x.x,x.x,x.x,x.x,a*hh
///       0    1         2       3 4        5 6    7  8   9   10  11  12  13
///      1 UTC   2-3 latitude   4-5 longitude   6 one mode letter per constellation   7 satellites used   8 HDOP
///      9 altitude above mean sea level, metres   10 geoid above ellipsoid, metres   11 age of corrections   12 station   13 status (4.1)
enum GNS {
    /// Nil when the sentence is too short to be a GNS.
    static func read(_ fields: inout NMEAFields, in bytes: Span<UInt8>) -> FixData? {
        guard fields.count >= 9 else { return nil }
        let moment = fields.millisecondOfDay(1, in: bytes)
        let hasFix = hasFix(fields.range(6), in: bytes)
        return FixData(
            millisecondOfDay: moment, coordinate: hasFix ? fields.coordinate(at: 2, in: bytes) : nil,
            saysNoFix: !hasFix && !fields.isEmpty(6), status: best(fields.range(6), in: bytes),
            satellitesUsed: fields.integer(7, in: bytes), hdop: fields.dilution(8, in: bytes),
            altitudeMSLMetres: fields.decimal(9, in: bytes), geoidSeparationMetres: fields.decimal(10, in: bytes))
    }

    private static func hasFix(_ modes: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        for offset in modes where bytes[offset] != UInt8(ascii: "N") { return true }
        return false
    }

    /// The best solution that any constellation contributes to.
    private static func best(_ modes: Range<Int>, in bytes: Span<UInt8>) -> FixStatus {
        let order: [FixStatus] = [.rtkFixed, .rtkFloat, .precise, .differential, .gps, .deadReckoning, .simulated]
        var best = order.count
        for offset in modes {
            let status = FixStatus(modeIndicator: bytes[offset])
            if let rank = order.firstIndex(of: status) { best = min(best, rank) }
        }
        return best < order.count ? order[best] : .unknown
    }
}
