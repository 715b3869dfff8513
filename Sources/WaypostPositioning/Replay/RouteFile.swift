import Waypost
import WaypostSystem

/// The corners of a route, read from a GPX file: those of its first route that has any; of its tracks, one behind the other, when no
/// route has.
struct RouteFile {
    /// More corners than any route has that somebody drives, and as much memory as a small box can spare.
    static let mostCorners = 200_000

    private var route: [Coordinate] = []
    private var routeNumber: Int?
    private var track: [Coordinate] = []

    /// Reads the file.
    ///
    /// - Errors: it cannot be opened or read, is no GPX, or holds no point or too many.
    static func corners(path: String) throws(PositionSourceError) -> [Coordinate] {
        var found = RouteFile()
        var reader = GPXReader()
        let file: FileReader
        do throws(SystemError) {
            if Syscalls.isFolder(path) { throw SystemError.isFolder(path) }
            file = try FileReader(path: path)
        } catch {
            throw .cannotOpen(path: path, reason: error.reason)
        }
        while true {
            let bytes: [UInt8]
            do throws(SystemError) { bytes = try file.read() } catch { throw .cannotRead(path: path, reason: error.reason) }
            do throws(GPXError) {
                if bytes.isEmpty {
                    _ = try reader.finish()
                    break
                }
                try reader.read(bytes.span) { found.add($0) }
            } catch {
                throw .unusable(path: path, reason: error.description)
            }
        }
        let corners = found.route.isEmpty ? found.track : found.route
        if corners.isEmpty { throw .unusable(path: path, reason: "holds no point of a route or track") }
        if corners.count > mostCorners { throw .unusable(path: path, reason: "holds more than \(mostCorners) points of a route") }
        return corners
    }

    private mutating func add(_ item: GPXItem) {
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
