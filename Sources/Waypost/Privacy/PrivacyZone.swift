/// A place that is nobody's business: a home, a client's yard.
public struct PrivacyZone: Sendable, Hashable {
    /// What the owner calls it; two zones of a box have different names.
    public var name: String
    /// The place to be hidden.
    public var centre: Coordinate
    /// Within so many metres of the centre nothing is told for certain; ``PrivacyGate`` hides more than that.
    public var radiusMetres: Double

    /// The smallest radius that hides something, metres: a few houses.
    public static let smallestRadiusMetres = 50.0
    /// The largest radius, metres.
    public static let largestRadiusMetres = 100_000.0

    /// A zone; a radius outside of what is sensible is a programmer error.
    public init(name: String, centre: Coordinate, radiusMetres: Double) {
        precondition((PrivacyZone.smallestRadiusMetres...PrivacyZone.largestRadiusMetres).contains(radiusMetres), "50 m to 100 km")
        self.name = name
        self.centre = centre
        self.radiusMetres = radiusMetres
    }
}
