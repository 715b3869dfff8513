import func Glibc.asin

/// A box of latitudes and longitudes, which may cross the antimeridian or contain a pole.
///
/// The longitudes run eastward from `westDegrees` to `eastDegrees`; west is the greater number when the box crosses the antimeridian, as
/// in RFC 7946, section 5.2. A box with a pole in it has all longitudes.
public struct BoundingBox: Sendable, Hashable {
    /// The southern latitude in degrees.
    public let southDegrees: Double
    /// The longitude of the western side in degrees, -180...180.
    public let westDegrees: Double
    /// The northern latitude in degrees.
    public let northDegrees: Double
    /// The longitude of the eastern side in degrees, -180...180.
    public let eastDegrees: Double

    /// Creates the box between those sides; nil when a value is out of range or south is north of north.
    public init?(southDegrees: Double, westDegrees: Double, northDegrees: Double, eastDegrees: Double) {
        guard abs(southDegrees) <= 90, abs(northDegrees) <= 90, abs(westDegrees) <= 180, abs(eastDegrees) <= 180,
            southDegrees <= northDegrees
        else { return nil }
        self.init(south: southDegrees, north: northDegrees, west: westDegrees, eastward: eastDegrees - westDegrees)
    }

    /// The box between two latitudes and from a longitude eastward; cut to the Earth, with all longitudes when that is 360 degrees or more.
    init(south: Double, north: Double, west: Double, eastward: Double) {
        southDegrees = max(south, -90)
        northDegrees = min(north, 90)
        let width = eastward < 0 ? eastward + 360 : eastward
        if width >= 360 {
            westDegrees = -180
            eastDegrees = 180
        } else {
            westDegrees = west.wrappedDegrees
            eastDegrees = (westDegrees + width).wrappedDegrees
        }
    }

    /// Creates the box that contains one place only.
    public init(_ coordinate: Coordinate) {
        southDegrees = coordinate.latitudeDegrees
        northDegrees = coordinate.latitudeDegrees
        westDegrees = coordinate.longitudeDegrees
        eastDegrees = coordinate.longitudeDegrees
    }

    /// Creates the smallest box around all places within a distance of a place, or a slightly larger box (never a smaller one).
    ///
    /// - Units: metres, 0 or more.
    public init(around centre: Coordinate, radiusMetres: Double) {
        self = BoundingBox(centre).expanded(byMetres: radiusMetres)
    }

    /// How many degrees of longitude the box spans, 0...360.
    public var widthDegrees: Double {
        let width = eastDegrees - westDegrees
        return width < 0 ? width + 360 : width
    }

    /// Whether the box lies across the antimeridian.
    public var crossesAntimeridian: Bool { westDegrees > eastDegrees }

    /// Whether the place lies in the box or on one of its sides.
    public func contains(_ coordinate: Coordinate) -> Bool {
        guard coordinate.latitudeDegrees >= southDegrees, coordinate.latitudeDegrees <= northDegrees else { return false }
        // A pole has every longitude, and 180 is -180.
        if abs(coordinate.latitudeDegrees) == 90 { return true }
        let longitude = coordinate.longitudeDegrees
        if Self.isWithin(longitude, west: westDegrees, east: eastDegrees) { return true }
        return abs(longitude) == 180 && Self.isWithin(-longitude, west: westDegrees, east: eastDegrees)
    }

    /// Whether the boxes have a place in common; touching counts.
    public func intersects(_ other: BoundingBox) -> Bool {
        guard southDegrees <= other.northDegrees, other.southDegrees <= northDegrees else { return false }
        if southDegrees == -90 && other.southDegrees == -90 || northDegrees == 90 && other.northDegrees == 90 { return true }
        return Self.eastward(from: westDegrees, to: other.westDegrees) <= widthDegrees
            || Self.eastward(from: other.westDegrees, to: westDegrees) <= other.widthDegrees
    }

    /// The smallest box that contains both.
    public func union(_ other: BoundingBox) -> BoundingBox {
        let south = min(southDegrees, other.southDegrees)
        let north = max(northDegrees, other.northDegrees)
        // From either western side far enough to reach both eastern ones; the shorter of the two.
        let here = max(widthDegrees, Self.eastward(from: westDegrees, to: other.westDegrees) + other.widthDegrees)
        let there = max(other.widthDegrees, Self.eastward(from: other.westDegrees, to: westDegrees) + widthDegrees)
        return here <= there
            ? BoundingBox(south: south, north: north, west: westDegrees, eastward: here)
            : BoundingBox(south: south, north: north, west: other.westDegrees, eastward: there)
    }

    /// A box that contains every place within a distance of this one.
    ///
    /// - Units: metres, 0 or more. It may reach a few parts in a thousand further than needed, but never less far.
    public func expanded(byMetres metres: Double) -> BoundingBox {
        // A degree of latitude is 110 574 m at the equator, and nowhere shorter.
        let latitudes = metres / Self.shortestMetresPerDegree
        let south = southDegrees - latitudes
        let north = northDegrees + latitudes
        guard south > -90, north < 90 else {
            return BoundingBox(south: south, north: north, west: -180, eastward: 360)
        }
        // A circle of angle a round latitude φ touches the meridians asin(sin a / cos φ) away. The angle is taken on the smallest sphere
        // that fits the curvature, and the latitude on the side nearer to a pole.
        let latitude = SineCosine(degrees: max(abs(southDegrees), abs(northDegrees)))
        let sine = SineCosine(radians: min(metres / Self.leastRadiusMetres, .pi / 2)).sine
        guard sine < latitude.cosine else { return BoundingBox(south: south, north: north, west: -180, eastward: 360) }
        let longitudes = asin(sine / latitude.cosine).inDegrees
        return BoundingBox(
            south: south, north: north, west: westDegrees - longitudes, eastward: widthDegrees + 2 * longitudes)
    }

    /// The least radius of curvature of the ellipsoid, that of the meridian at the equator: a(1 - e²).
    private static let leastRadiusMetres = 6_335_439.0
    private static let shortestMetresPerDegree = 110_574.0

    private static func eastward(from west: Double, to east: Double) -> Double {
        let difference = east - west
        return difference < 0 ? difference + 360 : difference
    }

    private static func isWithin(_ longitude: Double, west: Double, east: Double) -> Bool {
        west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
    }
}
