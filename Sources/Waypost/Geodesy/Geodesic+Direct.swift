import func Glibc.atan2
import func Glibc.hypot

extension Geodesic {
    /// The place at a distance and in a direction from another place.
    ///
    /// - Units: the azimuth in degrees from true north, the distance in metres; a negative distance goes backwards, one beyond half the
    ///   Earth's circumference continues along the geodesic, which then is not the shortest line. Both must be finite.
    /// - Cost: no iteration.
    public static func end(from start: Coordinate, azimuthDegrees: Double, distanceMetres: Double) -> End {
        precondition(azimuthDegrees.isFinite && distanceMetres.isFinite)
        let azimuth = SineCosine(degrees: azimuthDegrees)
        let latitude = reducedLatitude(ofDegrees: start.latitudeDegrees)
        let equator = SineCosine(
            sine: azimuth.sine * latitude.cosine, cosine: hypot(azimuth.cosine, azimuth.sine * latitude.sine))
        let series = GeodesicSeries(azimuthAtEquator: equator)

        let startArc = atan2(latitude.sine, azimuth.cosine * latitude.cosine)
        let startLongitude = atan2(equator.sine * latitude.sine, azimuth.cosine * latitude.cosine)
        let startAngle = SineCosine(radians: startArc)
        let distance =
            startArc + series.distanceWave(startAngle) + distanceMetres / (WGS84.polarRadiusMetres * series.distanceScale)
        let endArc = distance + series.arcWave(SineCosine(radians: distance))
        let endAngle = SineCosine(radians: endArc)

        let onSphere = atan2(equator.sine * endAngle.sine, endAngle.cosine) - startLongitude
        let behind =
            WGS84.flattening * equator.sine * series.longitudeScale
            * (endArc - startArc + series.longitudeWave(endAngle) - series.longitudeWave(startAngle))
        let endLatitude = atan2(
            equator.cosine * endAngle.sine, (1 - WGS84.flattening) * hypot(equator.sine, equator.cosine * endAngle.cosine))
        return End(
            coordinate: Coordinate(
                cuttingLatitudeDegrees: endLatitude.inDegrees,
                wrappingLongitudeDegrees: start.longitudeDegrees + (onSphere - behind).inDegrees),
            azimuthDegrees: Self.azimuthDegrees(sine: equator.sine, cosine: equator.cosine * endAngle.cosine))
    }

    /// The latitude on the auxiliary sphere, tan β = (1 - f) tan φ; its cosine is never quite 0, so that a line keeps its direction at a pole.
    static func reducedLatitude(ofDegrees degrees: Double) -> SineCosine {
        let latitude = SineCosine(degrees: degrees)
        let sine = (1 - WGS84.flattening) * latitude.sine
        let length = hypot(sine, latitude.cosine)
        return SineCosine(sine: sine / length, cosine: max(latitude.cosine / length, 1e-150))
    }
}
