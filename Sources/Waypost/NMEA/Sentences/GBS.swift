/// Expected errors of the position (fault detection).
///
///     $--GBS,hhmmss.ss,x.x,x.x,x.x,xx,x.x,x.x,x.x[,h,h]*hh
///       0    1         2   3   4   5  6   7   8
///      1 UTC   2 latitude   3 longitude   4 altitude (metres, 1 sigma)   5 suspect satellite   6-8 how bad it is
struct GBS {
    var millisecondOfDay: Int?
    /// The expected errors north and east, metres, 1 sigma.
    var horizontalSigmasMetres: (Double, Double)?

    /// Nil when the sentence is too short to be a GBS.
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>) {
        guard fields.count >= 5 else { return nil }
        millisecondOfDay = fields.millisecondOfDay(1, in: bytes)
        if let north = fields.magnitude(2, in: bytes), let east = fields.magnitude(3, in: bytes), north > 0 || east > 0 {
            horizontalSigmasMetres = (north, east)
        }
    }
}
