/// The quality figures that a source reported, unscaled, under their own names.
public struct PositionQuality: Sendable, Hashable {
    /// Horizontal error as the source reported it, in metres (gpsd: 95 %).
    public var eph: Double?
    /// Vertical error as the source reported it, in metres (gpsd: 95 %).
    public var epv: Double?
    /// Speed error as the source reported it, in metres per second (gpsd: 95 %).
    public var eps: Double?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?
    /// Position (3D) dilution of precision.
    public var pdop: Double?
    /// Number of satellites used in the solution.
    public var satellitesUsed: Int?

    /// Creates figures of which none is known.
    @inlinable
    public init() {}
}

extension PositionQuality {
    /// The PDOP that follows from HDOP and VDOP, in hundredths as receivers report it; nil unless both are known.
    ///
    /// - Source: PDOP² = HDOP² + VDOP², as the position's variance is the sum of those of its three directions.
    /// - Journals leave out a PDOP that equals it, so the result must never change.
    public var impliedPDOP: Double? {
        guard let hdop, let vdop else { return nil }
        return ((hdop * hdop + vdop * vdop).squareRoot() * 1e2).rounded() / 1e2
    }

    /// Whether PDOP adds nothing to HDOP and VDOP, within the hundredth to which receivers round all three.
    var isPDOPImplied: Bool {
        guard let pdop, let impliedPDOP else { return false }
        // Half a hundredth more, for PDOPs with more decimals and for the limits of doubles.
        return abs(pdop - impliedPDOP) < 0.015
    }
}
