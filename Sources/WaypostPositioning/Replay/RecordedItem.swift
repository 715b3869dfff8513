import Waypost

/// What a recording holds, for a replay.
enum RecordedItem {
    case point(Position, beginsSegment: Bool)
    /// The receiver said that it had no fix.
    case loss
}

/// Keeps of a recording what is played: fixes, reports without one, and points of tracks.
struct RecordedItems: RecordingSink {
    /// What came since they were last taken.
    var items: [RecordedItem] = []
    /// Whether there was any of them.
    private(set) var hasAny = false
    /// Whether there was a point of a route, which is not played.
    private(set) var hasRoute = false
    /// Whether there was a waypoint, which is not played either.
    private(set) var hasWaypoint = false
    /// The segment of the last point of a track.
    private var lastSegment: Int?

    mutating func add(_ position: Position) {
        hasAny = true
        items.append(.point(position, beginsSegment: false))
    }

    mutating func add(_ item: RecordingItem) {
        switch item {
        case .report(.position(let position)): add(position)
        case .report(.noFix): addLoss()
        case .item(let item):
            switch item {
            case .trackPoint(let point, _) where point.fix == GPXFix.none: addLoss()
            case .trackPoint(let point, let segment):
                hasAny = true
                items.append(.point(point.position, beginsSegment: segment != lastSegment))
                lastSegment = segment
            case .routePoint: hasRoute = true
            case .waypoint: hasWaypoint = true
            case .head, .route, .track, .segmentEnd, .end: break
            }
        case .report(.sky): break
        }
    }

    private mutating func addLoss() {
        hasAny = true
        items.append(.loss)
    }
}
