/// The quality figures a source gave, unscaled, under their own names.
public struct PositionQuality: Sendable, Hashable {
    /// Horizontal error as the source gave it, metres (gpsd: 95 %).
    public var eph: Double?
    /// Vertical error as the source gave it, metres (gpsd: 95 %).
    public var epv: Double?
    /// Speed error as the source gave it, metres per second (gpsd: 95 %).
    public var eps: Double?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?
    /// Position (3D) dilution of precision.
    public var pdop: Double?
    /// Number of satellites used in the solution.
    public var satellitesUsed: Int?

    /// Nothing known.
    @inlinable
    public init() {}
}

extension PositionQuality {
    /// The PDOP that HDOP and VDOP make, in hundredths as receivers give it; nil unless both are known.
    ///
    /// - Source: PDOP² = HDOP² + VDOP², as the position's variance is the sum of those of its three directions.
    /// - Journals leave out what equals it: it may never come out differently.
    public var impliedPDOP: Double? {
        guard let hdop, let vdop else { return nil }
        return ((hdop * hdop + vdop * vdop).squareRoot() * 1e2).rounded() / 1e2
    }

    /// Whether PDOP says nothing that HDOP and VDOP do not, within the hundredth to which receivers round all three.
    var isPDOPImplied: Bool {
        guard let pdop, let impliedPDOP else { return false }
        // Half a hundredth more for PDOPs with more decimals, and for what doubles cannot hold.
        return abs(pdop - impliedPDOP) < 0.015
    }
}
