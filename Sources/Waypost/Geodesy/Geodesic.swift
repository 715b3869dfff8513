import func Glibc.atan2

/// Shortest lines on the WGS 84 ellipsoid.
///
/// - Accuracy: a micrometre up to 100 km, nanometres beyond; everywhere, near antipodes and at the poles too. (A sphere is wrong by up to 0.56 %.)
/// - Source: Karney (2013) for long lines, see `GeodesicSeries`; chord and curvature for short ones.
public enum Geodesic {
    /// The solution of the inverse problem: the line between two places.
    public struct Line: Sendable, Hashable {
        /// The length in metres.
        public var distanceMetres: Double
        /// The direction at the first place, degrees from true north, 0..<360; 0 where the places are the same.
        public var initialAzimuthDegrees: Double
        /// The direction in which the line arrives at the second place, degrees from true north, 0..<360.
        public var finalAzimuthDegrees: Double
    }

    /// The solution of the direct problem: where a line ends.
    public struct End: Sendable, Hashable {
        /// The place.
        public var coordinate: Coordinate
        /// The direction in which the line arrives, degrees from true north, 0..<360.
        public var azimuthDegrees: Double
    }

    /// Up to this chord a distance comes from the chord; the error there is below a micrometre (shown by a test).
    static let longestShortLineMetres = 100_000.0
    /// Up to this chord azimuths come from the local vertical planes, which differ from the geodesic by 1e-9 radians at most.
    private static let longestPlaneAzimuthMetres = 10_000.0

    /// The distance between two places in metres.
    ///
    /// - Cost: a closed form up to 100 km, an iteration of a few steps beyond.
    public static func distanceMetres(from start: Coordinate, to end: Coordinate) -> Double {
        let chord = (GeocentricVector(end) - GeocentricVector(start)).lengthSquared
        guard chord <= longestShortLineMetres * longestShortLineMetres else { return line(from: start, to: end).distanceMetres }
        return arcMetres(
            chordSquared: chord, latitudeDegrees: (start.latitudeDegrees + end.latitudeDegrees) / 2,
            northwardDegrees: end.latitudeDegrees - start.latitudeDegrees)
    }

    /// The length of the arc over a chord of at most 100 km, from the curvature at its middle in its direction.
    ///
    /// s = c (1 + c²/24R² + 3c⁴/640R⁴), with Euler's 1/R = cos²α/M + sin²α/N.
    static func arcMetres(chordSquared: Double, latitudeDegrees: Double, northwardDegrees: Double) -> Double {
        // Sine of the middle's latitude: rounding here does not change R noticeably.
        let sine = SineCosine(degrees: latitudeDegrees).sine
        let (meridian, primeVertical) = WGS84.curvatureRadii(sineSquared: sine * sine)
        let northward = northwardDegrees.inRadians * meridian
        let share = chordSquared > 0 ? min(northward * northward / chordSquared, 1) : 0
        let curvature = share / meridian + (1 - share) / primeVertical
        let angleSquared = chordSquared * curvature * curvature
        return chordSquared.squareRoot() * (1 + angleSquared * (1.0 / 24 + angleSquared * (3.0 / 640)))
    }

    /// The shortest line between two places: its length and its directions at both ends.
    ///
    /// Between antipodes there are many; one of them is returned. At a pole the directions count from the meridian of its longitude as given.
    /// - Cost: a closed form up to 10 km; beyond, an iteration of a few steps, or more near antipodes.
    public static func line(from start: Coordinate, to end: Coordinate) -> Line {
        let first = LocalFrame(origin: start)
        let difference = GeocentricVector(end) - first.centre
        let chordSquared = difference.lengthSquared
        guard chordSquared <= longestPlaneAzimuthMetres * longestPlaneAzimuthMetres else { return longLine(from: start, to: end) }
        guard chordSquared > 0 else { return Line(distanceMetres: 0, initialAzimuthDegrees: 0, finalAzimuthDegrees: 0) }
        let outward = first.horizontal(difference)
        let inward = LocalFrame(origin: end).horizontal(difference)
        return Line(
            distanceMetres: arcMetres(
                chordSquared: chordSquared, latitudeDegrees: (start.latitudeDegrees + end.latitudeDegrees) / 2,
                northwardDegrees: end.latitudeDegrees - start.latitudeDegrees),
            initialAzimuthDegrees: azimuthDegrees(sine: outward.eastMetres, cosine: outward.northMetres),
            finalAzimuthDegrees: azimuthDegrees(sine: inward.eastMetres, cosine: inward.northMetres))
    }

    /// The direction with that sine and cosine (or multiples of them), in degrees, 0..<360.
    static func azimuthDegrees(sine: Double, cosine: Double) -> Double {
        let degrees = atan2(sine, cosine).inDegrees
        // A tiny negative angle plus 360 rounds to 360.
        return degrees >= 0 ? degrees : (degrees + 360 < 360 ? degrees + 360 : 0)
    }
}
