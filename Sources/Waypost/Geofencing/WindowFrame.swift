/// A box of latitudes and longitudes round a middle: where a ``BorderWindow`` lies, and the grid of 16 bits on it.
struct WindowFrame: Sendable {
    /// A box in degrees as seen from the middle.
    struct Box: Sendable {
        var west: Double
        var south: Double
        var east: Double
        var north: Double
    }

    /// The middle, a corner of the grid that fences lie on.
    let middle: FenceProbe
    let bounds: Box
    /// Half the height, metres, and a distance from the middle that no place of the box exceeds.
    let radius: Double
    let reach: Double
    /// How many bits of the fences' grid are left out, so that the box fits 16 bits.
    let columnShift: Int32
    let rowShift: Int32
    private let columnsPerDegree: Double
    private let rowsPerDegree: Double
    /// Upper bounds of the metres per degree within the box.
    let mostPerLongitude: Double
    let mostPerLatitude = WindowFrame.greatestMeridianMetres.inRadians

    /// Nearer to a pole meridians run together too fast.
    private static let northernmostDegrees = 89.0
    /// How much longer the parallels of a box may be than the one in its middle.
    private static let widening = 1.05
    /// The corners of a box, so much wider than high, are nearer than this to the middle, in halves of its height.
    private static let corners = 1.5
    /// The widest box, metres: a hundredth of a radian is flat enough.
    private static let largestRadius = 50_000.0
    /// a / sqrt(1 - e²), metres.
    private static let greatestMeridianMetres = 6_399_594.0

    /// A frame that holds no way.
    static let nowhere = WindowFrame()

    private init() {
        middle = FenceProbe(Coordinate(cuttingLatitudeDegrees: 0, wrappingLongitudeDegrees: 0))
        bounds = Box(west: .infinity, south: .infinity, east: -.infinity, north: -.infinity)
        (radius, reach) = (0, 0)
        (columnShift, rowShift) = (0, 0)
        (columnsPerDegree, rowsPerDegree) = (0, 0)
        mostPerLongitude = 0
    }

    /// A box of about that radius that holds a way, ahead of it as seen from another place; nil where there can be none: near the poles,
    /// and for long ways.
    init?(_ way: LonLatEdge, from start: Coordinate, radius wished: Double) {
        let least = 2.5 * way.longestMetres
        guard abs(way.by) < Self.northernmostDegrees, least <= Self.largestRadius else { return nil }
        let end = FenceProbe(Coordinate(cuttingLatitudeDegrees: way.by, wrappingLongitudeDegrees: way.bx))
        // To the nearer pole that is a small part of the way.
        radius = max(least, min(wished, Self.largestRadius, 0.02 * end.scaleLength))
        let east = (way.bx - start.longitudeDegrees).wrappedDegrees * end.metresPerLongitude
        let north = (way.by - start.latitudeDegrees) * end.metresPerLatitude
        let length = (east * east + north * north).squareRoot()
        let lead = length > 0 ? min(0.6 * radius / length, 1) : 0
        let step = EdgeTable.stepsPerDegree
        let column = ((way.bx + lead * east / end.metresPerLongitude) * step).rounded()
        let row = ((way.by + lead * north / end.metresPerLatitude) * step).rounded()
        middle = FenceProbe(Coordinate(cuttingLatitudeDegrees: row / step, wrappingLongitudeDegrees: column / step))
        let (halfWidth, halfHeight) = (radius / middle.metresPerLongitude, radius / middle.metresPerLatitude)
        guard abs(middle.latitude) + halfHeight < Self.northernmostDegrees else { return nil }
        bounds = Box(west: -halfWidth, south: -halfHeight, east: halfWidth, north: halfHeight)
        // The radius of parallels is a concave function of the latitude: the tangent is above it.
        let parallel = middle.parallelMetres + abs(middle.latitudeAngle.sine) * Self.greatestMeridianMetres * halfHeight.inRadians
        mostPerLongitude = min(parallel, WGS84.equatorialRadiusMetres).inRadians
        guard mostPerLongitude <= Self.widening * middle.metresPerLongitude else { return nil }
        reach = Self.corners * radius
        columnShift = Self.shift(halfWidth)
        rowShift = Self.shift(halfHeight)
        columnsPerDegree = step / Double(1 << columnShift)
        rowsPerDegree = step / Double(1 << rowShift)
        guard holds(way) else { return nil }
    }

    private static func shift(_ halfDegrees: Double) -> Int32 {
        var shift: Int32 = 0
        while halfDegrees * EdgeTable.stepsPerDegree / Double(1 << shift) > 32_000 { shift += 1 }
        return shift
    }

    /// A place as seen from the middle, degrees.
    @inline(__always)
    func seen(_ longitude: Double, _ latitude: Double) -> (x: Double, y: Double) {
        ((longitude - middle.longitude).wrappedDegrees, latitude - middle.latitude)
    }

    /// Both ends of a way.
    @inline(__always)
    func seen(_ way: LonLatEdge) -> (a: (x: Double, y: Double), b: (x: Double, y: Double)) {
        let a = seen(way.ax, way.ay)
        return (a, (a.x + (way.bx - way.ax), way.by - middle.latitude))
    }

    /// Whether a way lies in the box.
    @inline(__always)
    func holds(_ way: LonLatEdge) -> Bool {
        let (a, b) = seen(way)
        return min(a.x, b.x) >= bounds.west && max(a.x, b.x) <= bounds.east && min(a.y, b.y) >= bounds.south
            && max(a.y, b.y) <= bounds.north
    }

    /// A length that a way of so many degrees in the box does not exceed, metres.
    @inline(__always)
    func metres(_ eastDegrees: Double, _ northDegrees: Double) -> Double {
        let (east, north) = (eastDegrees * mostPerLongitude, northDegrees * mostPerLatitude)
        return (east * east + north * north).squareRoot()
    }

    /// How far a place is from the sides of the box, metres; not less than what can be travelled there.
    @inline(__always)
    func room(_ x: Double, _ y: Double) -> Double {
        min(min(x - bounds.west, bounds.east - x) * mostPerLongitude, min(y - bounds.south, bounds.north - y) * mostPerLatitude)
    }

    /// A longitude on the grid, rounded down.
    @inline(__always)
    func column(_ x: Double) -> Int16 { Self.unit(min(max(x, bounds.west), bounds.east), columnsPerDegree) }

    /// A latitude on the grid, rounded down.
    @inline(__always)
    func row(_ y: Double) -> Int16 { Self.unit(min(max(y, bounds.south), bounds.north), rowsPerDegree) }

    @inline(__always)
    private static func unit(_ degrees: Double, _ perDegree: Double) -> Int16 {
        // What is converted is positive, so that cutting off is rounding down.
        Int16(truncatingIfNeeded: Int32(degrees * perDegree + 32_768) &- 32_768)
    }
}
