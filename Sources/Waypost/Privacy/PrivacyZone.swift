/// A place around which the position is private: a home, a client's yard.
public struct PrivacyZone: Sendable, Hashable {
    /// Its name; no two zones of a device have the same name.
    public var name: String
    /// The place that is hidden.
    public var centre: Coordinate
    /// The radius in metres within which every position is hidden; ``PrivacyGate`` hides more than that.
    public var radiusMetres: Double

    /// The smallest radius, metres: a few houses.
    public static let smallestRadiusMetres = 50.0
    /// The largest radius, metres.
    public static let largestRadiusMetres = 100_000.0

    /// Creates a zone; a radius outside 50 m to 100 km is a programmer error.
    public init(name: String, centre: Coordinate, radiusMetres: Double) {
        precondition((PrivacyZone.smallestRadiusMetres...PrivacyZone.largestRadiusMetres).contains(radiusMetres), "50 m to 100 km")
        self.name = name
        self.centre = centre
        self.radiusMetres = radiusMetres
    }
}
