/// A box of latitudes and longitudes round a middle: where a ``BorderWindow`` lies, and the grid of 16 bits on it.
struct WindowFrame: Sendable {
    /// A box in degrees as seen from the middle.
    struct Box: Sendable {
        var west: Double
        var south: Double
        var east: Double
        var north: Double
    }

    /// The middle, a whole number of units of a ``BinaryAngle`` on both axes.
    let middle: FenceProbe
    let bounds: Box
    /// The same and a little more, its middle in the middle.
    let box: AngleBox
    /// Half the height, metres, and a distance from the middle that no place of the box exceeds.
    let radius: Double
    let reach: Double
    /// Whether the box leads over ±180 degrees.
    let crossesSeam: Bool
    /// How many bits of those units are left out, so that the box fits 16 bits.
    let columnShift: Int32
    let rowShift: Int32
    private let columnsPerDegree: Double
    private let rowsPerDegree: Double
    /// Upper bounds of the metres per degree within the box.
    let mostPerLongitude: Double
    let mostPerLatitude = WindowFrame.greatestMeridianMetres.inRadians
    /// Their reciprocals.
    let longitudePerMetre: Double
    let latitudePerMetre = 1 / WindowFrame.greatestMeridianMetres.inRadians

    /// Nearer to a pole meridians run together too fast.
    private static let northernmostDegrees = 89.999
    /// How much longer the parallels of a box may be than the one in its middle.
    private static let widening = 1.4
    /// A box is not wider than a quarter of a turn.
    private static let widestDegrees = 90.0
    /// The widest box, metres: a hundredth of a radian is flat enough.
    private static let largestRadius = 50_000.0
    /// a / sqrt(1 - e²), metres.
    private static let greatestMeridianMetres = 6_399_594.0

    /// A frame that holds no way.
    static let nowhere = WindowFrame()

    private init() {
        middle = FenceProbe(Coordinate(cuttingLatitudeDegrees: 0, wrappingLongitudeDegrees: 0))
        bounds = Box(west: .infinity, south: .infinity, east: -.infinity, north: -.infinity)
        box = AngleBox(west: 0, south: 0, width: 0, height: 0)
        (radius, reach) = (0, 0)
        crossesSeam = false
        (columnShift, rowShift) = (0, 0)
        (columnsPerDegree, rowsPerDegree) = (0, 0)
        (mostPerLongitude, longitudePerMetre) = (0, 0)
    }

    /// A box of about that radius that holds a way, ahead of it as seen from another place; nil where there can be none: near the poles,
    /// and for long ways.
    init?(_ way: LonLatEdge, from start: Coordinate, radius wished: Double) {
        let least = 2.5 * way.longestMetres
        guard abs(way.by) < Self.northernmostDegrees, least <= Self.largestRadius else { return nil }
        let end = FenceProbe(Coordinate(cuttingLatitudeDegrees: way.by, wrappingLongitudeDegrees: way.bx))
        // To the nearer pole that is a small part of the way.
        radius = max(least, min(wished, Self.largestRadius, 0.2 * end.scaleLength))
        let east = (way.bx - start.longitudeDegrees).wrappedDegrees * end.metresPerLongitude
        let north = (way.by - start.latitudeDegrees) * end.metresPerLatitude
        let length = (east * east + north * north).squareRoot()
        let lead = length > 0 ? min(0.6 * radius / length, 1) : 0
        let units = BinaryAngle.unitsPerDegree
        let columns = ((way.bx + lead * east / end.metresPerLongitude) * units).rounded()
        let rows = ((way.by + lead * north / end.metresPerLatitude) * units).rounded()
        middle = FenceProbe(Coordinate(cuttingLatitudeDegrees: rows / units, wrappingLongitudeDegrees: columns / units))
        let (halfWidth, halfHeight) = (radius / middle.metresPerLongitude, radius / middle.metresPerLatitude)
        guard abs(middle.latitude) + halfHeight < Self.northernmostDegrees, 2 * halfWidth < Self.widestDegrees else { return nil }
        bounds = Box(west: -halfWidth, south: -halfHeight, east: halfWidth, north: halfHeight)
        let (halfColumns, halfRows) = (Int32(halfWidth * units) + 2, Int32(halfHeight * units) + 2)
        box = AngleBox(
            west: Int32(truncatingIfNeeded: Int64(columns)) &- halfColumns, south: Int32(rows) - halfRows, width: 2 * halfColumns,
            height: 2 * halfRows)
        // The radius of parallels is a concave function of the latitude: the tangent is above it.
        let parallel = middle.parallelMetres + abs(middle.latitudeAngle.sine) * Self.greatestMeridianMetres * halfHeight.inRadians
        mostPerLongitude = min(parallel, WGS84.equatorialRadiusMetres).inRadians
        longitudePerMetre = 1 / mostPerLongitude
        guard mostPerLongitude <= Self.widening * middle.metresPerLongitude else { return nil }
        // From the middle to the corners, and some more for what is not flat.
        let wide = mostPerLongitude / middle.metresPerLongitude
        reach = 1.03 * radius * (1 + wide * wide).squareRoot()
        crossesSeam = abs(middle.longitude) + halfWidth > 180 - 1e-6
        columnShift = Self.shift(halfWidth)
        rowShift = Self.shift(halfHeight)
        columnsPerDegree = units / Double(1 << columnShift)
        rowsPerDegree = units / Double(1 << rowShift)
        guard holds(way) else { return nil }
    }

    private static func shift(_ halfDegrees: Double) -> Int32 {
        var shift: Int32 = 0
        while halfDegrees * BinaryAngle.unitsPerDegree / Double(1 << shift) > 32_000 { shift += 1 }
        return shift
    }

    /// A place in the box, prepared from the middle.
    @inline(__always)
    func probe(_ place: Coordinate) -> FenceProbe {
        FenceProbe(
            place, latitude: middle.latitudeAngle.advanced(byDegrees: place.latitudeDegrees - middle.latitude),
            longitude: middle.longitudeAngle.advanced(byDegrees: place.longitudeDegrees - middle.longitude))
    }

    /// A vector from the middle on the plane that touches the Earth there, metres.
    @inline(__always)
    func onPlane(_ off: GeocentricVector) -> (east: Double, north: Double) {
        let (longitude, latitude) = (middle.longitudeAngle, middle.latitudeAngle)
        let outward = longitude.cosine * off.x + longitude.sine * off.y
        return (longitude.cosine * off.y - longitude.sine * off.x, latitude.cosine * off.z - latitude.sine * outward)
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

    /// Sides in the box on the grid, degrees from the middle: rounded down, or to the nearest where that is not too little.
    @inline(__always)
    func block(west: Double, south: Double, east: Double, north: Double) -> BorderBlock {
        func unit(_ side: Double) -> Int16 { Int16(truncatingIfNeeded: side.nearestWhole) }
        return BorderBlock(
            west: unit(west * columnsPerDegree - 0.5), south: unit(south * rowsPerDegree - 0.5), east: unit(east * columnsPerDegree),
            north: unit(north * rowsPerDegree))
    }
}
