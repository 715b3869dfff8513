/// The places that may be reached from one on a straight way in longitude and latitude that is surely shorter than some metres.
///
/// A way from a to b runs at constant rates of both angles. Its length is at most the root of (Δφ M)² + (Δλ P)², with M and P the greatest
/// radii of meridian and parallel on it. That is a norm of (Δφ, Δλ), so that the disc is convex: a straight way between two places in it
/// stays in it. And no geodesic is longer than that way.
struct TravelDisc: Sendable {
    private let latitude: Double
    private let longitude: Double
    /// An upper bound of the metres per degree of longitude within the disc.
    private let perLongitude: Double
    private let reach: Double
    /// Radius of the parallel here, and how much it grows towards the equator by the radian, metres.
    private let parallel: Double
    private let slope: Double

    /// Half a turn between two places of the disc: their way might go round the other side.
    private static let widestDegrees = 90.0
    /// The meridian's radius of curvature lies between a(1 - e²) at the equator and a / sqrt(1 - e²) at the poles, metres.
    private static let leastMeridianMetres = 6_335_439.0
    private static let greatestMeridianMetres = 6_399_594.0

    /// What is less than so many metres from a place.
    @inline(__always)
    init(round probe: FenceProbe, metres: Double) {
        latitude = probe.latitude
        longitude = probe.longitude
        reach = max(metres, 0)
        parallel = probe.parallelMetres
        slope = abs(probe.latitudeAngle.sine) * Self.greatestMeridianMetres
        // The disc reaches no further than reach / M in latitude.
        perLongitude = Self.perLongitude(parallel, slope, band: reach / Self.leastMeridianMetres)
    }

    /// The radius of parallels is a concave function of the latitude with the slope -M sin φ: the tangent is above it.
    @inline(__always)
    private static func perLongitude(_ parallel: Double, _ slope: Double, band: Double) -> Double {
        min(parallel + slope * band, WGS84.equatorialRadiusMetres).inRadians
    }

    /// Whether a place and all that is less than `margin` metres from it are in the disc.
    @inline(__always)
    func contains(_ place: Coordinate, margin: Double = 0) -> Bool {
        let reach = max(reach - margin, 0)
        let north = (place.latitudeDegrees - latitude) * Self.greatestMeridianMetres.inRadians
        let degrees = (place.longitudeDegrees - longitude).wrappedDegrees
        let east = degrees * perLongitude
        return north * north + east * east < reach * reach && abs(degrees) < Self.widestDegrees
    }

    /// How far from the middle of the disc any place of a way is at most, and how long the way is at most; nil when it leads too far away.
    @inline(__always)
    func bounds(of way: LonLatEdge) -> (furthestMetres: Double, longestMetres: Double)? {
        let (startNorth, endNorth) = (way.ay - latitude, way.by - latitude)
        let startEast = (way.ax - longitude).wrappedDegrees
        let endEast = startEast + (way.bx - way.ax)
        guard abs(startEast) < Self.widestDegrees, abs(endEast) < Self.widestDegrees else { return nil }
        let perLatitude = Self.greatestMeridianMetres.inRadians
        let perLongitude = Self.perLongitude(parallel, slope, band: max(abs(startNorth), abs(endNorth)).inRadians)
        func squared(_ east: Double, _ north: Double) -> Double {
            let (east, north) = (east * perLongitude, north * perLatitude)
            return east * east + north * north
        }
        return (
            max(squared(startEast, startNorth), squared(endEast, endNorth)).squareRoot(),
            squared(endEast - startEast, endNorth - startNorth).squareRoot()
        )
    }
}
