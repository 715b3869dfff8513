/// The ellipsoid of GNSS positions.
///
/// - Source: NIMA TR8350.2, WGS 84: the two defining constants; the others follow from them.
public enum WGS84 {
    /// Semi-major axis (equatorial radius) in metres.
    public static let equatorialRadiusMetres = 6_378_137.0
    /// Flattening.
    public static let flattening = 1 / 298.257223563
    /// Semi-minor axis (polar radius) in metres.
    public static let polarRadiusMetres = 6_378_137.0 * (1 - 1 / 298.257223563)
    /// First eccentricity squared, e² = f (2 - f).
    public static let eccentricitySquared = (2 - 1 / 298.257223563) / 298.257223563
    /// Second eccentricity squared, e'² = e² / (1 - e²).
    static let secondEccentricitySquared =
        (2 - 1 / 298.257223563) / 298.257223563 / ((1 - 1 / 298.257223563) * (1 - 1 / 298.257223563))

    /// The radii of curvature in metres at a latitude with that sine: along the meridian, and across it (prime vertical).
    @inline(__always)
    static func curvatureRadii(sineSquared: Double) -> (meridian: Double, primeVertical: Double) {
        let denominator = 1 - eccentricitySquared * sineSquared
        let primeVertical = equatorialRadiusMetres / denominator.squareRoot()
        return (primeVertical * (1 - eccentricitySquared) / denominator, primeVertical)
    }
}
