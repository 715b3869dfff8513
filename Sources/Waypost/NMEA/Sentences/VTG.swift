/// Course and speed over ground.
///
///     $--VTG,x.x,T,x.x,M,x.x,N,x.x,K[,a]*hh
///       0    1   2 3   4 5   6 7   8 9
///      1 course, degrees true   3 course, degrees magnetic   5 speed, knots   7 speed, km/h   9 mode (2.3 and later)
struct VTG {
    var courseDegrees: Double?
    var speedMetresPerSecond: Double?

    /// Nil when the sentence is too short to be a VTG; without values when it reports that they are not valid.
    ///
    /// Leniencies: the old form without the unit letters (`$--VTG,true,magnetic,knots,km/h`); a speed in km/h only.
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>) {
        guard fields.count >= 5 else { return nil }
        guard fields.character(9, in: bytes) != UInt8(ascii: "N") else { return }
        let isOldForm = fields.count < 9
        courseDegrees = fields.course(1, in: bytes)
        speedMetresPerSecond = fields.metresPerSecond(knots: isOldForm ? 3 : 5, in: bytes)
        if speedMetresPerSecond == nil, let kilometresPerHour = fields.magnitude(isOldForm ? 4 : 7, in: bytes) {
            speedMetresPerSecond = (kilometresPerHour / 3.6).roundedSpeed
        }
    }
}
