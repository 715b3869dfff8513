/// A place prepared for being held against many fences.
struct FenceProbe {
    let coordinate: Coordinate
    let latitude: Double
    let longitude: Double
    let vector: GeocentricVector
    /// Metres per degree of longitude and of latitude, here.
    let metresPerLongitude: Double
    let metresPerLatitude: Double
    /// The distance in metres at which the east-west scale has changed by all of itself: the way to the nearer pole, on a cone.
    ///
    /// Within a share s of it lengths on the flat map round this place are true within 1 ± s.
    let scaleLength: Double

    init(_ coordinate: Coordinate) {
        self.coordinate = coordinate
        latitude = coordinate.latitudeDegrees
        longitude = coordinate.longitudeDegrees
        let latitudeAngle = SineCosine(degrees: latitude)
        let radii = WGS84.curvatureRadii(sineSquared: latitudeAngle.sine * latitudeAngle.sine)
        vector = GeocentricVector(latitude: latitudeAngle, longitude: SineCosine(degrees: longitude))
        let parallel = radii.primeVertical * latitudeAngle.cosine
        metresPerLongitude = parallel.inRadians
        metresPerLatitude = radii.meridian.inRadians
        scaleLength = parallel / max(abs(latitudeAngle.sine), 1e-3)
    }
}
