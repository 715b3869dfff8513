/// How far from the truth a position may be: the radius that holds 68 % of positions, and how it was got.
public struct HorizontalAccuracy: Sendable, Hashable {
    /// Where an accuracy comes from, best first.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The receiver says it in metres (or the log's own accuracy field).
        case receiver
        /// From the standard deviations of a GST sentence.
        case gst
        /// From the expected errors of a GBS sentence.
        case gbs
        /// gpsd's 95 % estimate, scaled.
        case gpsd
        /// HDOP times a range error per kind of fix.
        case hdop
        /// Assumed, for a recording that has none, or stated by a simulation.
        case assumed
        /// Made coarse on purpose, to keep the exact place private.
        case reduced
    }

    /// Radius in metres that holds 68 % of positions.
    public var radiusMetres: Double
    /// How the radius was got.
    public var origin: Origin

    /// An accuracy of that radius in metres (68 %) and origin.
    @inlinable
    public init(radiusMetres: Double, origin: Origin) {
        self.radiusMetres = radiusMetres
        self.origin = origin
    }
}
