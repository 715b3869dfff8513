/// Angles in whole units, 2^32 to a turn: differences wrap by themselves, so that the antimeridian is not a special case.
///
/// - Source: binary angular measurement, the usual name; a unit is 9.3 mm on the equator.
enum BinaryAngle {
    static let unitsPerDegree = 4_294_967_296.0 / 360

    /// The largest whole number of units not above an angle in degrees, without whole turns.
    @inline(__always)
    static func floor(_ degrees: Double) -> Int32 { Int32(truncatingIfNeeded: Int64((degrees * unitsPerDegree).rounded(.down))) }

    /// The smallest whole number of units not below an angle in degrees, without whole turns.
    @inline(__always)
    static func ceiling(_ degrees: Double) -> Int32 { Int32(truncatingIfNeeded: Int64((degrees * unitsPerDegree).rounded(.up))) }
}

extension Double {
    /// The nearest whole number, for numbers below 2^51: two instructions, where a conversion checks its range first.
    @inline(__always) var nearestWhole: Int64 {
        // The last bit of the sum stands for 1.
        Int64(bitPattern: (self + 0x1.8p52).bitPattern &- 0x4338_0000_0000_0000)
    }
}
