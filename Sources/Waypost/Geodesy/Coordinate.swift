/// A place on the WGS 84 ellipsoid.
///
/// - Range: latitude -90...90, longitude -180...180, both finite; no `Coordinate` outside that can be made.
public struct Coordinate: Sendable, Hashable {
    /// Geodetic latitude in degrees, north positive, -90...90.
    public let latitudeDegrees: Double
    /// Longitude in degrees, east positive, -180...180.
    public let longitudeDegrees: Double

    /// Creates a coordinate; nil when a value is out of range, infinite or NaN.
    @inlinable
    public init?(latitudeDegrees: Double, longitudeDegrees: Double) {
        // Written so that NaN fails both comparisons.
        guard abs(latitudeDegrees) <= 90, abs(longitudeDegrees) <= 180 else { return nil }
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
    }
}
