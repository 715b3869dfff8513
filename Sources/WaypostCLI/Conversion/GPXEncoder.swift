import Waypost
import WaypostSystem

/// GPX 1.1: waypoints, routes and tracks as they come; reports become one track, with a segment for each stretch without a loss.
struct GPXEncoder: ReportEncoder {
    let takesWaypoints = true
    let takesRoutes = true
    // A conversion keeps points without time; only the log requires it.
    private var writer = GPXWriter(creator: "waypost \(WaypostVersion.text)", precision: .exchange, requiresTime: false)
    private var hasBegun = false
    /// The route of the last point.
    private var route: Int?
    /// The elements at the end of another GPX file.
    private var ending = GPXOtherElements()
    /// Whether a track with its own head is open, and whether it is another input's.
    private var isInTrack = false
    private var isBehindTrack = false
    /// Waypoints and route points that came after what must follow them.
    private(set) var lateItems = 0

    func begin(_ text: inout TextBuffer) {}

    /// Writes the head of the document; another GPX file's head comes before everything else.
    private mutating func beginOnce(_ head: GPXHead = GPXHead(), to text: inout TextBuffer) {
        if hasBegun { return }
        writer.begin(head: head, into: &text)
        hasBegun = true
    }

    mutating func beginInput(_ text: inout TextBuffer) { isBehindTrack = isInTrack }

    /// Items without a track must not join a track of another input.
    private mutating func leaveTrack(_ text: inout TextBuffer) {
        guard isBehindTrack else { return }
        (isInTrack, isBehindTrack) = (false, false)
        writer.beginTrack(into: &text)
    }

    mutating func add(_ position: Position, after isBreak: Bool, to text: inout TextBuffer) {
        if !hasBegun { beginOnce(to: &text) }
        leaveTrack(&text)
        if isBreak { writer.breakSegment(into: &text) }
        writer.point(position, into: &text)
    }

    mutating func add(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer) {
        if !hasBegun, case .head(let head) = item { return beginOnce(head, to: &text) }
        if !hasBegun { beginOnce(to: &text) }
        switch item {
        case .head: break
        case .trackPoint(let point, _):
            leaveTrack(&text)
            if isBreak { writer.breakSegment(into: &text) }
            writer.point(point, into: &text)
        case .waypoint(let point):
            if !writer.waypoint(point, into: &text) { lateItems += 1 }
        case .routePoint(let point, let route):
            // JSON lines have no route heads, only their numbers.
            if let last = self.route, last != route { writer.beginRoute(into: &text) }
            self.route = route
            if !writer.routePoint(point, into: &text) { lateItems += 1 }
        case .segmentEnd(let other, _):
            if isBreak { writer.breakSegment(into: &text) }
            writer.endSegment(other, into: &text)
        case .track(let path):
            (isInTrack, isBehindTrack) = (true, false)
            writer.begin(track: path, into: &text)
        case .route(let path):
            route = path.number
            if !writer.begin(route: path, into: &text) { lateItems += 1 }
        case .end(let other): ending.add(extensionsOf: other)
        }
    }

    mutating func end(_ text: inout TextBuffer) {
        beginOnce(to: &text)
        writer.end(ending, into: &text)
    }
}
