/// A place prepared for being held against many fences.
struct FenceProbe: Sendable {
    let coordinate: Coordinate
    let latitude: Double
    let longitude: Double
    let latitudeAngle: SineCosine
    let longitudeAngle: SineCosine
    let vector: GeocentricVector
    /// Radius of the parallel, metres.
    let parallelMetres: Double
    /// Metres per degree of longitude and of latitude, here.
    let metresPerLongitude: Double
    let metresPerLatitude: Double
    /// The distance in metres at which the east-west scale has changed by all of itself: the way to the nearer pole, on a cone.
    let scaleLength: Double

    init(_ coordinate: Coordinate) {
        self.init(
            coordinate, latitude: SineCosine(degrees: coordinate.latitudeDegrees),
            longitude: SineCosine(degrees: coordinate.longitudeDegrees))
    }

    /// A place near another one: its angles follow by addition, within some 2 nanometres.
    @inline(__always)
    init(_ coordinate: Coordinate, near other: FenceProbe) {
        self.init(
            coordinate, latitude: other.latitudeAngle.advanced(byDegrees: coordinate.latitudeDegrees - other.latitude),
            longitude: other.longitudeAngle.advanced(byDegrees: coordinate.longitudeDegrees - other.longitude))
    }

    /// A place whose angles are known.
    @inline(__always)
    init(_ coordinate: Coordinate, latitude latitudeAngle: SineCosine, longitude longitudeAngle: SineCosine) {
        self.coordinate = coordinate
        latitude = coordinate.latitudeDegrees
        longitude = coordinate.longitudeDegrees
        self.latitudeAngle = latitudeAngle
        self.longitudeAngle = longitudeAngle
        let radii = WGS84.curvatureRadii(sineSquared: latitudeAngle.sine * latitudeAngle.sine)
        let parallel = radii.primeVertical * latitudeAngle.cosine
        vector = GeocentricVector(
            x: parallel * longitudeAngle.cosine, y: parallel * longitudeAngle.sine,
            z: radii.primeVertical * (1 - WGS84.eccentricitySquared) * latitudeAngle.sine)
        parallelMetres = parallel
        metresPerLongitude = parallel.inRadians
        metresPerLatitude = radii.meridian.inRadians
        // At a pole, where there is no map, above 0: shares of it must be numbers.
        scaleLength = max(parallel / max(abs(latitudeAngle.sine), 1e-3), 1e-9)
    }
}
