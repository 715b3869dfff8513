/// Angles in whole numbers of which 2^32 make a turn: differences wrap by themselves, so that the antimeridian is no special place.
///
/// - Source: binary angular measurement, the usual name; a unit is 9.3 mm on the equator.
enum BinaryAngle {
    static let unitsPerDegree = 4_294_967_296.0 / 360

    /// The last whole number of units up to an angle in degrees, whole turns left out.
    @inline(__always)
    static func floor(_ degrees: Double) -> Int32 { Int32(truncatingIfNeeded: Int64((degrees * unitsPerDegree).rounded(.down))) }

    /// The first whole number of units from an angle in degrees on.
    @inline(__always)
    static func ceiling(_ degrees: Double) -> Int32 { Int32(truncatingIfNeeded: Int64((degrees * unitsPerDegree).rounded(.up))) }
}

extension Double {
    /// The nearest whole number, of numbers below 2^51: in two instructions, where a conversion asks for its range first.
    @inline(__always) var nearestWhole: Int64 {
        // The last bit of the sum stands for 1.
        Int64(bitPattern: (self + 0x1.8p52).bitPattern &- 0x4338_0000_0000_0000)
    }
}
