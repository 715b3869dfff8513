/// Standard deviations of the position.
///
///     $--GST,hhmmss.ss,x.x,x.x,x.x,x.x,x.x,x.x,x.x*hh
///       0    1         2   3   4   5   6   7   8
///      1 UTC   2 RMS of the range residuals   3 semi-major axis   4 semi-minor axis (metres, 1 sigma)   5 orientation
///      6 latitude   7 longitude   8 altitude (metres, 1 sigma)
struct GST {
    var millisecondOfDay: Int?
    /// The two standard deviations along perpendicular axes, metres.
    var horizontalSigmasMetres: (Double, Double)?

    /// Nil when the sentence is too short to be a GST.
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>) {
        guard fields.count >= 9 else { return nil }
        millisecondOfDay = fields.millisecondOfDay(1, in: bytes)
        if let major = fields.magnitude(3, in: bytes), let minor = fields.magnitude(4, in: bytes), major > 0 || minor > 0 {
            horizontalSigmasMetres = (major, minor)
        } else if let north = fields.magnitude(6, in: bytes), let east = fields.magnitude(7, in: bytes), north > 0 || east > 0 {
            horizontalSigmasMetres = (north, east)
        }
    }
}
