/// One item of a GPX file; items come in the order of the file.
public enum GPXItem: Sendable, Hashable {
    /// The beginning of the file; only when other elements are kept, and then first.
    case head(GPXHead)
    /// A waypoint, `wpt`.
    case waypoint(GPXPoint)
    /// The beginning of a route, `rte`; its points follow.
    case route(GPXPath)
    /// A point of a route, `rtept`; routes are counted from 0 through the file.
    case routePoint(GPXPoint, route: Int)
    /// The beginning of a track, `trk`; its points follow.
    case track(GPXPath)
    /// A point of a track, `trkpt`; segments, including those without points, are counted from 0 through the file.
    case trackPoint(GPXPoint, segment: Int)
    /// The end of a segment that has no points, or has extensions; only when other elements are kept.
    case segmentEnd(GPXOtherElements, segment: Int)
    /// The end of a file that has extensions; only when other elements are kept.
    case end(GPXOtherElements)
}

extension GPXItem {
    /// The point; nil for the head of a track or route.
    public var point: GPXPoint? {
        switch self {
        case .waypoint(let point), .routePoint(let point, _), .trackPoint(let point, _): point
        case .head, .track, .route, .segmentEnd, .end: nil
        }
    }

    /// The report of a track point: a place, or no fix; nil for everything else.
    public var report: PositionReport? {
        guard case .trackPoint(let point, _) = self else { return nil }
        return point.fix == GPXFix.none ? .noFix(NoFix(time: point.position.time)) : .position(point.position)
    }
}

/// A point with everything that GPX says about it.
public struct GPXPoint: Sendable, Hashable {
    /// The place, its time and everything measured.
    public var position: Position
    /// The kind of fix; nil when the file does not say.
    ///
    /// With ``GPXFix/none`` in a track the place is not where the receiver was.
    public var fix: GPXFix?
    /// Its name.
    public var name: String?
    /// Its description, `desc`.
    public var description: String?
    /// Everything else in the file about this point, if kept; nil if there is nothing.
    public var other: GPXOtherElements?

    /// Creates a point at a position, with the position's kind of fix.
    public init(_ position: Position, name: String? = nil, description: String? = nil) {
        self.position = position
        fix = GPXFix(position)
        self.name = name
        self.description = description
    }

    /// Creates a point of which only the place is known, not even the kind of fix.
    @inline(__always)
    init(silentAt place: Coordinate) {
        position = Position(time: nil, coordinate: place)
        fix = nil
        name = nil
        description = nil
        other = nil
    }
}

/// The head of a track or route.
public struct GPXPath: Sendable, Hashable {
    /// Its number, counted from 0 through the file, separately for tracks and routes.
    public var number: Int
    /// Its name, if it comes before the first point.
    public var name: String?
    /// Its description, if it comes before the first point.
    public var description: String?
    /// Everything else before the first point, if it is kept.
    public var other: GPXOtherElements?

    /// Creates the head of a track or route.
    public init(number: Int, name: String? = nil, description: String? = nil) {
        self.number = number
        self.name = name
        self.description = description
    }
}
