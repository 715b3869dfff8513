/// A place in a road file: whole 1e-7 degrees, about a centimetre.
struct RoadPlace: Sendable, Hashable {
    var latitude: Int32
    var longitude: Int32

    static let unitsPerDegree = 1e7

    init(latitude: Int32, longitude: Int32) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(_ coordinate: Coordinate) {
        latitude = Int32((coordinate.latitudeDegrees * RoadPlace.unitsPerDegree).rounded())
        longitude = Int32((coordinate.longitudeDegrees * RoadPlace.unitsPerDegree).rounded())
    }

    /// The place in 1e-6 degrees.
    var coarse: (latitude: Int64, longitude: Int64) {
        (Int64((Double(latitude) / 10).rounded()), Int64((Double(longitude) / 10).rounded()))
    }

    /// The place as a coordinate; what a damaged file has outside of the Earth is brought back to it.
    var coordinate: Coordinate {
        Coordinate(
            cuttingLatitudeDegrees: Double(latitude) / RoadPlace.unitsPerDegree,
            wrappingLongitudeDegrees: Double(longitude) / RoadPlace.unitsPerDegree)
    }
}

/// How many metres a unit of latitude and longitude has around a place: the plane in which roads are measured.
///
/// - Accuracy: within 10 km of the place a length is true to 2 parts in 1000 at 60 degrees of latitude, and that of an edge, which is measured
///   around its own middle, to a part in a million.
struct RoadPlane: Sendable {
    let origin: RoadPlace
    let metresPerLatitude: Double
    let metresPerLongitude: Double

    init(around origin: RoadPlace) {
        self.origin = origin
        let latitude = SineCosine(degrees: Double(origin.latitude) / RoadPlace.unitsPerDegree)
        let radii = WGS84.curvatureRadii(sineSquared: latitude.sine * latitude.sine)
        metresPerLatitude = (radii.meridian / RoadPlace.unitsPerDegree).inRadians
        // At a pole a degree has no length, which nothing may be divided by.
        metresPerLongitude = max((radii.primeVertical * latitude.cosine / RoadPlace.unitsPerDegree).inRadians, 1e-9)
    }

    @inline(__always)
    func point(_ place: RoadPlace) -> PlanePoint {
        PlanePoint(
            eastMetres: Double(Int64(place.longitude) - Int64(origin.longitude)) * metresPerLongitude,
            northMetres: Double(Int64(place.latitude) - Int64(origin.latitude)) * metresPerLatitude)
    }

    func point(_ coordinate: Coordinate) -> PlanePoint {
        point(latitudeDegrees: coordinate.latitudeDegrees, longitudeDegrees: coordinate.longitudeDegrees)
    }

    @inline(__always)
    func point(latitudeDegrees: Double, longitudeDegrees: Double) -> PlanePoint {
        PlanePoint(
            eastMetres: (longitudeDegrees * RoadPlace.unitsPerDegree - Double(origin.longitude)) * metresPerLongitude,
            northMetres: (latitudeDegrees * RoadPlace.unitsPerDegree - Double(origin.latitude)) * metresPerLatitude)
    }

    /// The latitude and longitude of a point, which may lie beyond a pole or the antimeridian.
    @inline(__always)
    func degrees(_ point: PlanePoint) -> (latitude: Double, longitude: Double) {
        (
            (Double(origin.latitude) + point.northMetres / metresPerLatitude) / RoadPlace.unitsPerDegree,
            (Double(origin.longitude) + point.eastMetres / metresPerLongitude) / RoadPlace.unitsPerDegree
        )
    }

    /// The place at a point of the plane.
    func coordinate(_ point: PlanePoint) -> Coordinate {
        let place = degrees(point)
        return Coordinate(cuttingLatitudeDegrees: place.latitude, wrappingLongitudeDegrees: place.longitude)
    }

    /// The length of a line between two places near its origin, in metres.
    @inline(__always)
    func metres(_ start: RoadPlace, _ end: RoadPlace) -> Double {
        let east = Double(Int64(end.longitude) - Int64(start.longitude)) * metresPerLongitude
        let north = Double(Int64(end.latitude) - Int64(start.latitude)) * metresPerLatitude
        return (east * east + north * north).squareRoot()
    }

    /// The length of a line between two places, measured around the first one's latitude and the second one's.
    static func metres(along places: [RoadPlace]) -> Double {
        guard let first = places.first, let last = places.last else { return 0 }
        let middle = RoadPlace(latitude: first.latitude / 2 + last.latitude / 2, longitude: first.longitude)
        let plane = RoadPlane(around: middle)
        return zip(places, places.dropFirst()).reduce(0) { $0 + plane.metres($1.0, $1.1) }
    }
}
