import Waypost
import WaypostSystem

/// The corners of a route, read from a GPX file: those of its first route that has any; if none has, those of its tracks, one after the
/// other.
struct RouteFile: RecordingSink {
    /// More corners than any real route has, and as much memory as a small device can spare.
    static let mostCorners = 200_000

    private var route: [Coordinate] = []
    private var routeNumber: Int?
    private var track: [Coordinate] = []

    /// Reads the file.
    ///
    /// - Errors: it cannot be opened or read, is not GPX, or holds no point or too many.
    static func corners(path: String) throws(PositionSourceError) -> [Coordinate] {
        var found = RouteFile()
        var file: RecordingFile
        do throws(SystemError) {
            file = try RecordingFile(path: path, decoder: RecordingFormat.gpx.makeDecoder())
        } catch {
            throw .cannotOpen(path: path, reason: error.reason)
        }
        do throws(SystemError) {
            while try file.read(into: &found) {}
        } catch {
            throw .cannotRead(path: path, reason: error.reason)
        }
        if let refusal = file.decoder.refusal { throw .unusable(path: path, reason: refusal) }
        let corners = found.route.isEmpty ? found.track : found.route
        if corners.isEmpty { throw .unusable(path: path, reason: "holds no point of a route or track") }
        if corners.count > mostCorners { throw .unusable(path: path, reason: "holds more than \(mostCorners) points of a route") }
        return corners
    }

    mutating func add(_ position: Position) {}

    mutating func add(_ item: RecordingItem) {
        guard case .item(let item) = item else { return }
        switch item {
        case .routePoint(let point, let number):
            if routeNumber == nil { routeNumber = number }
            if number == routeNumber, route.count <= RouteFile.mostCorners { route.append(point.position.coordinate) }
        case .trackPoint(let point, _) where point.fix != GPXFix.none:
            if track.count <= RouteFile.mostCorners { track.append(point.position.coordinate) }
        case .head, .waypoint, .route, .track, .trackPoint, .segmentEnd, .end: break
        }
    }
}
