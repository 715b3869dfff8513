/// How far a position may be from the truth: the radius that holds 68 % of positions, and where that radius comes from.
public struct HorizontalAccuracy: Sendable, Hashable {
    /// Where an accuracy comes from, best first.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The receiver's own figure in metres (or the log's accuracy field).
        case receiver
        /// From the standard deviations of a GST sentence.
        case gst
        /// From the expected errors of a GBS sentence.
        case gbs
        /// gpsd's 95 % estimate, scaled.
        case gpsd
        /// HDOP times a range error per kind of fix.
        case hdop
        /// Assumed for a recording without accuracy, or stated by a simulation.
        case assumed
        /// Made coarse on purpose, to keep the exact place private.
        case reduced
    }

    /// Radius in metres that holds 68 % of positions.
    public var radiusMetres: Double
    /// Where the radius comes from.
    public var origin: Origin

    /// Creates an accuracy from a radius in metres (68 %) and its origin.
    @inlinable
    public init(radiusMetres: Double, origin: Origin) {
        self.radiusMetres = radiusMetres
        self.origin = origin
    }
}
