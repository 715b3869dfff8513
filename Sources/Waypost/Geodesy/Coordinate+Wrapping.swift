extension Coordinate {
    /// Creates a coordinate from computed values: the latitude is cut to -90...90, the longitude brought into -180...180 by whole turns.
    ///
    /// Both must be finite.
    init(cuttingLatitudeDegrees latitude: Double, wrappingLongitudeDegrees longitude: Double) {
        precondition(latitude.isFinite && longitude.isFinite)
        latitudeDegrees = min(max(latitude, -90), 90)
        longitudeDegrees = longitude.wrappedDegrees
    }
}
