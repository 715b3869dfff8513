/// What a GPX file holds, in the order of the file.
public enum GPXItem: Sendable, Hashable {
    /// A waypoint, `wpt`.
    case waypoint(GPXPoint)
    /// A route begins, `rte`; its points follow.
    case route(GPXPath)
    /// A point of a route, `rtept`; routes are counted from 0 through the file.
    case routePoint(GPXPoint, route: Int)
    /// A track begins, `trk`; its points follow.
    case track(GPXPath)
    /// A point of a track, `trkpt`; segments are counted from 0 through the file, those without points too.
    case trackPoint(GPXPoint, segment: Int)
}

extension GPXItem {
    /// The point, nil for the head of a track or route.
    public var point: GPXPoint? {
        switch self {
        case .waypoint(let point), .routePoint(let point, _), .trackPoint(let point, _): point
        case .track, .route: nil
        }
    }
}

/// A place with what GPX says of it.
public struct GPXPoint: Sendable, Hashable {
    /// The place, its time and everything measured.
    public var position: Position
    /// Its name.
    public var name: String?
    /// Its description, `desc`.
    public var description: String?

    /// A point at that position.
    public init(_ position: Position, name: String? = nil, description: String? = nil) {
        self.position = position
        self.name = name
        self.description = description
    }
}

/// The head of a track or route.
public struct GPXPath: Sendable, Hashable {
    /// Which one it is, counted from 0 through the file, tracks and routes each by themselves.
    public var number: Int
    /// Its name, when that stands before its first point.
    public var name: String?
    /// Its description, when that stands before its first point.
    public var description: String?

    /// The head of that track or route.
    public init(number: Int, name: String? = nil, description: String? = nil) {
        self.number = number
        self.name = name
        self.description = description
    }
}
