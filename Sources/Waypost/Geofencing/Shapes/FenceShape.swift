/// The area of a fence.
///
/// Edges are straight in longitude and latitude (RFC 7946, section 3.1.1) and take the short way round the globe. The border is part of the area.
public enum FenceShape: Sendable, Hashable {
    /// Everything within a geodesic distance of a place.
    case circle(FenceCircle)
    /// Polygons with their holes; the area is the union of all of them.
    case polygons(FenceRings)
    /// Everything within half the width of a line.
    case corridor(FenceRings, halfWidthMetres: Double)

    /// The largest radius: no place is further than half way round the Earth from the centre.
    static let largestRadiusMetres = 20_003_931.5

    /// Creates a circle.
    ///
    /// - Throws: when the radius is not a positive number of metres, or reaches beyond the antipode.
    public static func circle(centre: Coordinate, radiusMetres: Double) throws(FenceShapeError) -> FenceShape {
        guard radiusMetres > 0, radiusMetres <= largestRadiusMetres else { throw .radiusOutOfRange(metres: radiusMetres) }
        return .circle(FenceCircle(centre: centre, radiusMetres: radiusMetres))
    }

    /// Creates one polygon from its outer ring and its holes, closed or not.
    ///
    /// A ring that winds round the globe once contains the pole of the hemisphere in which most of it lies.
    public static func polygon(_ rings: [[Coordinate]]) throws(FenceShapeError) -> FenceShape {
        .polygons(try FenceRings(polygons: [rings]))
    }

    /// Creates an area of several polygons.
    public static func multiPolygon(_ polygons: [[[Coordinate]]]) throws(FenceShapeError) -> FenceShape {
        .polygons(try FenceRings(polygons: polygons))
    }

    /// Creates a corridor from a line and its full width in metres.
    public static func corridor(_ line: [Coordinate], widthMetres: Double) throws(FenceShapeError) -> FenceShape {
        guard widthMetres > 0, widthMetres <= largestRadiusMetres else { throw .widthOutOfRange(metres: widthMetres) }
        return .corridor(try FenceRings(line: line), halfWidthMetres: widthMetres / 2)
    }

    /// A box that contains the area.
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
    /// - Accuracy: 10 micrometres up to 10 km from the border of a circle and 1 km from an edge; beyond that, the edge found nearest on a
    ///   flat map may be further than the true nearest one by a share of up to `distance / distance to the pole`.
    /// - Cost: one geodesic for a circle, a pass over the nearby vertices for the others.
    public func signedDistanceMetres(to coordinate: Coordinate) -> Double {
        signedDistance(FenceProbe(coordinate))
    }
}

/// A place and a radius round it.
public struct FenceCircle: Sendable, Hashable {
    /// The centre.
    public let centre: Coordinate
    /// The radius in metres.
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

    /// The centre in the geocentric frame.
    @inline(__always) var vector: GeocentricVector { GeocentricVector(x: x, y: y, z: z) }

    /// The distance from the centre, in metres.
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
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FenceShapeError: Error, Hashable, Sendable {
    /// A radius that is not a positive number of metres on this Earth.
    case radiusOutOfRange(metres: Double)
    /// A width that is not a positive number of metres on this Earth.
    case widthOutOfRange(metres: Double)
    /// Fewer than three different corners, in this ring of this polygon, counted from 0.
    case tooFewCorners(polygon: Int, ring: Int)
    /// A line with fewer than two different points.
    case tooFewPoints
    /// A ring that winds round the globe more than once.
    case windsMoreThanOnce(polygon: Int, ring: Int)
    /// No polygon, or a polygon without a ring.
    case empty
}
