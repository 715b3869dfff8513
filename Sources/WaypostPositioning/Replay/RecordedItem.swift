import Waypost

/// An item of a recording, for a replay.
enum RecordedItem {
    case point(Position, beginsSegment: Bool)
    /// The receiver reported, at that time, that it had no fix.
    case noFix(UTCTime?)
}

/// Keeps the items of a recording that are played: fixes, reports without a fix, and points of tracks.
struct RecordedItems: RecordingSink {
    /// The items since they were last fetched.
    var items: [RecordedItem] = []
    /// Whether the recording had any of them.
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
        case .report(.noFix(let report)): addNoFix(at: report.time)
        case .item(let item):
            switch item {
            case .trackPoint(let point, _) where point.fix == GPXFix.none: addNoFix(at: point.position.time)
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

    private mutating func addNoFix(at time: UTCTime?) {
        hasAny = true
        items.append(.noFix(time))
    }
}
