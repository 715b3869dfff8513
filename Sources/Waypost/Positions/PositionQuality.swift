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
