import Waypost
import WaypostSystem

/// GPX 1.1: waypoints, routes and tracks as they come; of reports one track, a segment for each stretch without a loss.
struct GPXEncoder: ReportEncoder {
    // A conversion keeps points without time; only the log insists on it.
    private var writer = GPXWriter(creator: "waypost \(WaypostVersion.text)", precision: .exchange, requiresTime: false)
    /// The route that the last point was in.
    private var route: Int?
    /// Waypoints and points of routes that came after what must follow them.
    private(set) var lateItems = 0

    mutating func begin(_ text: inout TextBuffer) { writer.begin(into: &text) }

    mutating func add(_ report: PositionReport, after isBreak: Bool, to text: inout TextBuffer) {
        if isBreak { writer.breakSegment(into: &text) }
        if case .position(let position) = report { writer.point(position, into: &text) }
    }

    mutating func add(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer) {
        switch item {
        case .trackPoint(let point, _):
            if isBreak { writer.breakSegment(into: &text) }
            writer.point(point, into: &text)
        case .waypoint(let point):
            if !writer.waypoint(point, into: &text) { lateItems += 1 }
        case .routePoint(let point, let route):
            // Lines of JSON have no heads of routes, only their numbers.
            if let last = self.route, last != route { writer.beginRoute(into: &text) }
            self.route = route
            if !writer.routePoint(point, into: &text) { lateItems += 1 }
        case .track(let path): writer.beginTrack(name: path.name, description: path.description, into: &text)
        case .route(let path):
            route = path.number
            writer.beginRoute(name: path.name, description: path.description, into: &text)
        }
    }

    mutating func end(_ text: inout TextBuffer) { writer.end(into: &text) }
}
