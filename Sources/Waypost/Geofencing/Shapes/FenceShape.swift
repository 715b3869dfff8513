/// The area of a fence.
///
/// Edges are straight in longitude and latitude (RFC 7946, section 3.1.1), and take the short way round the globe. A border belongs to the area.
public enum FenceShape: Sendable, Hashable {
    /// Everything within a geodesic distance of a place.
    case circle(FenceCircle)
    /// Polygons, with their holes; the area is what lies in any of them.
    case polygons(FenceRings)
    /// Everything within half the width of a line.
    case corridor(FenceRings, halfWidthMetres: Double)

    /// The widest fence: further than half round the Earth from its centre there is nothing.
    static let largestRadiusMetres = 20_003_931.5

    /// A circle.
    ///
    /// - Throws: when the radius is not a positive number of metres, or reaches beyond the antipode.
    public static func circle(centre: Coordinate, radiusMetres: Double) throws(FenceShapeError) -> FenceShape {
        guard radiusMetres > 0, radiusMetres <= largestRadiusMetres else { throw .radiusOutOfRange(metres: radiusMetres) }
        return .circle(FenceCircle(centre: centre, radiusMetres: radiusMetres))
    }

    /// One polygon: its outer ring and its holes, closed or not.
    ///
    /// A ring that winds round the globe once holds the pole of the hemisphere in which most of it lies.
    public static func polygon(_ rings: [[Coordinate]]) throws(FenceShapeError) -> FenceShape {
        .polygons(try FenceRings(polygons: [rings]))
    }

    /// Several polygons.
    public static func multiPolygon(_ polygons: [[[Coordinate]]]) throws(FenceShapeError) -> FenceShape {
        .polygons(try FenceRings(polygons: polygons))
    }

    /// A line and its whole width in metres.
    public static func corridor(_ line: [Coordinate], widthMetres: Double) throws(FenceShapeError) -> FenceShape {
        guard widthMetres > 0, widthMetres <= largestRadiusMetres else { throw .widthOutOfRange(metres: widthMetres) }
        return .corridor(try FenceRings(line: line), halfWidthMetres: widthMetres / 2)
    }

    /// A box that holds the area.
    public var boundingBox: BoundingBox {
        switch self {
        case .circle(let circle): BoundingBox(around: circle.centre, radiusMetres: circle.radiusMetres)
        case .polygons(let rings): rings.boundingBox
        case .corridor(let line, let halfWidth): line.boundingBox.expanded(byMetres: halfWidth)
        }
    }

    /// Whether the place lies in the area or on its border.
    public func contains(_ coordinate: Coordinate) -> Bool {
        contains(FenceProbe(coordinate))
    }

    /// The distance to the border in metres, negative inside.
    ///
    /// - Accuracy: 10 micrometres up to 10 km from the border of a circle and 1 km from an edge; beyond, the edge that is found nearest
    ///   on a flat map may be up to `distance / distance to the pole` of itself further than the nearest one.
    /// - Cost: one geodesic for a circle, a pass over the vertices near by for the others.
    public func signedDistanceMetres(to coordinate: Coordinate) -> Double {
        signedDistance(FenceProbe(coordinate))
    }
}

/// A place and a distance round it.
public struct FenceCircle: Sendable, Hashable {
    /// The middle.
    public let centre: Coordinate
    /// Metres.
    public let radiusMetres: Double
    private let x: Double
    private let y: Double
    private let z: Double

    init(centre: Coordinate, radiusMetres: Double) {
        self.centre = centre
        self.radiusMetres = radiusMetres
        let vector = GeocentricVector(centre)
        x = vector.x
        y = vector.y
        z = vector.z
    }

    /// The middle in the geocentric frame.
    @inline(__always) var vector: GeocentricVector { GeocentricVector(x: x, y: y, z: z) }

    /// The distance from the middle, metres.
    @inline(__always)
    func distance(_ probe: FenceProbe) -> Double {
        let chordSquared = (vector - probe.vector).lengthSquared
        guard chordSquared <= Geodesic.longestShortLineMetres * Geodesic.longestShortLineMetres else {
            return Geodesic.distanceMetres(from: centre, to: probe.coordinate)
        }
        return Geodesic.arcMetres(
            chordSquared: chordSquared, latitudeDegrees: (centre.latitudeDegrees + probe.latitude) / 2,
            northwardDegrees: probe.latitude - centre.latitudeDegrees)
    }
}

/// Why a shape cannot be made.
public enum FenceShapeError: Error, Hashable, Sendable {
    /// A radius that is not a positive number of metres on this Earth.
    case radiusOutOfRange(metres: Double)
    /// A width that is not a positive number of metres on this Earth.
    case widthOutOfRange(metres: Double)
    /// Fewer than three different corners; which ring of which polygon, counted from 0.
    case tooFewCorners(polygon: Int, ring: Int)
    /// A line of fewer than two different points.
    case tooFewPoints
    /// A ring that winds round the globe more than once.
    case windsMoreThanOnce(polygon: Int, ring: Int)
    /// No polygon, or a polygon without a ring.
    case empty
}
