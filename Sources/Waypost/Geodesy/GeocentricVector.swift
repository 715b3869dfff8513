/// A point or a difference, in metres, in the frame that turns with the Earth: from its centre, z through the north pole, x through
/// latitude and longitude 0.
///
/// The frame has no seam: neither the antimeridian nor a pole is a special case.
struct GeocentricVector: Sendable {
    var x: Double
    var y: Double
    var z: Double

    @inline(__always)
    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The point of the ellipsoid at that latitude and longitude.
    @inline(__always)
    init(latitude: SineCosine, longitude: SineCosine) {
        let radius =
            WGS84.equatorialRadiusMetres / (1 - WGS84.eccentricitySquared * latitude.sine * latitude.sine).squareRoot()
        x = radius * latitude.cosine * longitude.cosine
        y = radius * latitude.cosine * longitude.sine
        z = radius * (1 - WGS84.eccentricitySquared) * latitude.sine
    }

    /// The point of the ellipsoid at a coordinate.
    init(_ coordinate: Coordinate) {
        self.init(
            latitude: SineCosine(degrees: coordinate.latitudeDegrees), longitude: SineCosine(degrees: coordinate.longitudeDegrees))
    }

    @inline(__always) var lengthSquared: Double { x * x + y * y + z * z }

    @inline(__always)
    static func - (left: GeocentricVector, right: GeocentricVector) -> GeocentricVector {
        GeocentricVector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
    }
}
