/// Which satellites are used, and dilutions of precision.
///
///     $--GSA,a,x,xx,xx,xx,xx,xx,xx,xx,xx,xx,xx,xx,xx,x.x,x.x,x.x[,h]*hh
///       0    1 2 3  4  5  6  7  8  9  10 11 12 13 14 15  16  17   18
///      1 M manual, A automatic   2 1 no fix, 2 2D, 3 3D   3-14 satellites   15 PDOP   16 HDOP   17 VDOP   18 system (4.1)
struct GSA {
    /// 1 no fix, 2 2D, 3 3D.
    var fixType: Int?
    var constellation: Constellation?
    var satellites = InlineArray<12, UInt16>(repeating: 0)
    var satelliteCount = 0
    var pdop: Double?
    var hdop: Double?
    var vdop: Double?

    /// Nil when the sentence is too short to be a GSA.
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>, talker: UInt16) {
        guard fields.count >= 18 else { return nil }
        fixType = fields.integer(2, in: bytes)
        for index in 3...14 {
            guard let number = fields.integer(index, in: bytes), number > 0, number < 1_000 else { continue }
            satellites[satelliteCount] = UInt16(number)
            satelliteCount += 1
        }
        pdop = fields.dilution(15, in: bytes)
        hdop = fields.dilution(16, in: bytes)
        vdop = fields.dilution(17, in: bytes)
        constellation = GSA.constellation(system: fields.integer(18, in: bytes)) ?? Constellation(talker: talker)
    }

    private static func constellation(system: Int?) -> Constellation? {
        switch system {
        case 1: .gps
        case 2: .glonass
        case 3: .galileo
        case 4: .beidou
        case 5: .qzss
        case 6: .navic
        default: nil
        }
    }
}
