import func Glibc.atan2

/// A point of a plane, in metres from the frame's origin.
public struct PlanePoint: Sendable, Hashable {
    /// To the east, metres.
    public var eastMetres: Double
    /// To the north, metres.
    public var northMetres: Double

    /// Creates the point that many metres east and north.
    @inlinable
    public init(eastMetres: Double, northMetres: Double) {
        self.eastMetres = eastMetres
        self.northMetres = northMetres
    }

    /// The distance from the origin in metres.
    @inlinable public var distanceMetres: Double { (eastMetres * eastMetres + northMetres * northMetres).squareRoot() }
}

/// The plane round a place on which distances and directions from that place are true (azimuthal equidistant, on the ellipsoid).
///
/// - Range: points within 1 000 km; the origin may be anywhere, a pole and the antimeridian included. At a pole north is the meridian
///   of the longitude as given.
/// - Accuracy: distances from the origin are those of ``Geodesic/distanceMetres(from:to:)``; sideways a point is off by 10 nanometres at
///   100 m, 15 micrometres at 10 km, 15 millimetres at 100 km. The separation of two other points at distance d from the origin is true
///   within d²/6R² of itself (4e-11 at 100 m, 4e-7 at 10 km).
/// - Cost: two sines and cosines per point.
public struct LocalFrame: Sendable {
    /// The place that the plane touches.
    public let origin: Coordinate
    /// The origin in the geocentric frame.
    let centre: GeocentricVector
    private let latitude: SineCosine
    private let longitude: SineCosine
    private let meridianCurvature: Double
    private let primeVerticalCurvature: Double

    /// Creates the plane round a place.
    public init(origin: Coordinate) {
        self.origin = origin
        latitude = SineCosine(degrees: origin.latitudeDegrees)
        longitude = SineCosine(degrees: origin.longitudeDegrees)
        centre = GeocentricVector(latitude: latitude, longitude: longitude)
        let radii = WGS84.curvatureRadii(sineSquared: latitude.sine * latitude.sine)
        meridianCurvature = 1 / radii.meridian
        primeVerticalCurvature = 1 / radii.primeVertical
    }

    /// Where a place lies on the plane.
    public func point(_ coordinate: Coordinate) -> PlanePoint {
        let difference = GeocentricVector(coordinate) - centre
        let flat = horizontal(difference)
        let flatSquared = flat.eastMetres * flat.eastMetres + flat.northMetres * flat.northMetres
        guard flatSquared > 0 else { return PlanePoint(eastMetres: 0, northMetres: 0) }
        let curvature =
            (flat.eastMetres * flat.eastMetres * primeVerticalCurvature + flat.northMetres * flat.northMetres * meridianCurvature)
            / flatSquared
        let chordSquared = difference.lengthSquared
        let angleSquared = chordSquared * curvature * curvature
        let arc = chordSquared.squareRoot() * (1 + angleSquared * (1.0 / 24 + angleSquared * (3.0 / 640)))
        let stretch = arc / flatSquared.squareRoot()
        return PlanePoint(eastMetres: flat.eastMetres * stretch, northMetres: flat.northMetres * stretch)
    }

    /// The place at a point of the plane.
    ///
    /// Exact at any distance, by the geodesic.
    public func coordinate(_ point: PlanePoint) -> Coordinate {
        let distance = point.distanceMetres
        guard distance > 0 else { return origin }
        return Geodesic.end(
            from: origin, azimuthDegrees: atan2(point.eastMetres, point.northMetres).inDegrees, distanceMetres: distance
        ).coordinate
    }

    /// A geocentric difference from the origin, projected onto the plane along its normal.
    func horizontal(_ difference: GeocentricVector) -> PlanePoint {
        let outward = longitude.cosine * difference.x + longitude.sine * difference.y
        return PlanePoint(
            eastMetres: longitude.cosine * difference.y - longitude.sine * difference.x,
            northMetres: latitude.cosine * difference.z - latitude.sine * outward)
    }
}
