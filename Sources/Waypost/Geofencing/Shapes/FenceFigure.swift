import func Glibc.sin

/// A shape for the innermost loops: a few plain numbers, copied without reference counts.
struct FenceFigure: Sendable {
    enum Kind: UInt8, Sendable { case nothing, circle, polygons, corridor }

    /// The side of a border that a place is on, and a lower bound of the distance to the border in metres.
    typealias Side = (isInside: Bool, clearance: Double)

    let kind: Kind
    /// The edges of polygons and corridors; the index that has the figure has the fence, and with it the table's owner.
    let edges: EdgeTable?
    /// A circle's radius or half a corridor's width, metres.
    private let reach: Double
    /// A circle's centre in the geocentric frame.
    private let (x, y, z): (Double, Double, Double)
    /// Squared chords: up to the first, a place is inside a circle; beyond the second it is outside; in between its geodesic decides.
    private let insideSquared: Double
    private let outsideSquared: Double

    /// The figure of a slot without a fence.
    static let nothing = FenceFigure(.nothing, reach: 0, edges: nil)

    /// Creates the figure of a shape, which must outlive the figure.
    init(_ shape: FenceShape) {
        switch shape {
        case .circle(let circle): self.init(circle)
        case .polygons(let rings): self.init(.polygons, reach: 0, edges: rings.table)
        case .corridor(let line, let halfWidth): self.init(.corridor, reach: halfWidth, edges: line.table)
        }
    }

    private init(_ kind: Kind, reach: Double, edges: EdgeTable?) {
        self.kind = kind
        self.reach = reach
        self.edges = edges
        (x, y, z) = (0, 0, 0)
        (insideSquared, outsideSquared) = (0, 0)
    }

    private init(_ circle: FenceCircle) {
        kind = .circle
        reach = circle.radiusMetres
        edges = nil
        let centre = circle.vector
        (x, y, z) = (centre.x, centre.y, centre.z)
        if reach <= Geodesic.longestShortLineMetres - 1 {
            let least = max(FenceFigure.chord(over: reach, radius: FenceFigure.leastCurvatureRadius) - FenceFigure.doubtMetres, 0)
            let most = FenceFigure.chord(over: reach, radius: FenceFigure.greatestCurvatureRadius) + FenceFigure.doubtMetres
            (insideSquared, outsideSquared) = (least * least, most * most)
        } else {
            (insideSquared, outsideSquared) = (-1, .infinity)
        }
    }

    /// The radii of curvature of the ellipsoid lie between a(1 - e²) and a / sqrt(1 - e²) for every direction and latitude, in metres.
    private static let leastCurvatureRadius = 6_335_439.0
    private static let greatestCurvatureRadius = 6_399_594.0
    /// How near to a circle's border chords cannot decide: the error of the short geodesic (1 micrometre) and of a probe made by addition.
    private static let doubtMetres = 2e-6

    /// The chord of an arc.
    private static func chord(over arc: Double, radius: Double) -> Double { 2 * radius * sin(arc / (2 * radius)) }

    /// How many groups of edges a table has.
    @inline(__always) var groupCount: Int { edges?.groupCount ?? 0 }

    /// A circle's centre in the geocentric frame.
    @inline(__always) var centre: GeocentricVector { GeocentricVector(x: x, y: y, z: z) }

    /// The chords from the centre between which a circle's border lies; nil when the circle is too wide for chords.
    @inline(__always) var chords: (least: Double, most: Double)? {
        insideSquared >= 0 ? (insideSquared.squareRoot(), outsideSquared.squareRoot()) : nil
    }

    /// The side that a place is on; nil when it is so near to the border that only the shape itself can decide.
    @inline(__always)
    func side(_ probe: FenceProbe) -> Side? {
        switch kind {
        case .circle:
            let (offX, offY, offZ) = (x - probe.vector.x, y - probe.vector.y, z - probe.vector.z)
            let squared = offX * offX + offY * offY + offZ * offZ
            // An arc is longer than its chord c, by c³/24R² and 0.2 % of that, up to 100 km.
            if squared > outsideSquared { return (false, squared.squareRoot() - reach) }
            guard squared <= insideSquared else { return nil }
            let chord = squared.squareRoot()
            let arc = chord * (1 + squared * (1.003 / (24 * FenceFigure.leastCurvatureRadius * FenceFigure.leastCurvatureRadius)))
            return (true, max(reach - arc, 0))
        case .polygons:
            guard let edges else { return (false, .infinity) }
            return edges.side(probe)
        case .corridor:
            guard let edges else { return (false, .infinity) }
            let (least, most) = edges.distanceBounds(probe)
            if least > reach { return (false, least - reach) }
            return most < reach ? (true, reach - most) : nil
        case .nothing: return (false, .infinity)
        }
    }
}

extension FenceFigure {
    /// Whether a path that ends at a place may come within a circle; true for all other shapes.
    ///
    /// Computed on the plane that touches the ellipsoid at the place: a point at distance d is off by less than d²/scaleLength + d²/R there,
    /// because the path is straight in longitude and latitude and the plane is not.
    @inline(__always)
    func mayCross(_ way: LonLatEdge, _ probe: FenceProbe) -> Bool {
        guard kind == .circle else { return true }
        let (offX, offY, offZ) = (x - probe.vector.x, y - probe.vector.y, z - probe.vector.z)
        let outward = probe.longitudeAngle.cosine * offX + probe.longitudeAngle.sine * offY
        let east = probe.longitudeAngle.cosine * offY - probe.longitudeAngle.sine * offX
        let north = probe.latitudeAngle.cosine * offZ - probe.latitudeAngle.sine * outward
        let (wayEast, wayNorth) = ((way.ax - way.bx) * probe.metresPerLongitude, (way.ay - way.by) * probe.metresPerLatitude)
        let length = wayEast * wayEast + wayNorth * wayNorth
        let share = length > 0 ? min(max((east * wayEast + north * wayNorth) / length, 0), 1) : 0
        let (offEast, offNorth) = (east - share * wayEast, north - share * wayNorth)
        let distance = (offEast * offEast + offNorth * offNorth).squareRoot()
        let furthest = distance + length.squareRoot()
        return distance <= reach + furthest * furthest * (1 / probe.scaleLength + 1 / FenceFigure.leastCurvatureRadius) + 0.01
    }
}

extension FenceShape {
    /// The side of the border that a place is on, in full precision, however the probe was made.
    func preciseSide(_ probe: FenceProbe) -> FenceFigure.Side {
        let signed = signedDistance(FenceProbe(probe.coordinate))
        return (signed <= 0, abs(signed))
    }
}
