import Foundation
import Testing
import Waypost
import WaypostGeofences

/// A folder with fence files and state, and a walk through a circle.
final class FenceFixture: Sendable {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-fences-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
    }

    deinit {
        // What is left behind in the temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var file: String { folder + "/fences.geojson" }

    func write(_ text: String, to name: String = "fences.geojson") throws {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    /// A GeoJSON file with circles of 50 m so far to the north of home.
    func writeCircles(_ circles: [(name: String, metres: Double)], to name: String = "fences.geojson") throws {
        let features = try circles.map { circle in
            let place = try FenceFixture.place(circle.metres)
            return """
                {"type":"Feature","properties":{"name":"\(circle.name)","radius":50},
                 "geometry":{"type":"Point","coordinates":[\(place.longitudeDegrees),\(place.latitudeDegrees)]}}
                """
        }
        try write(#"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}", to: name)
    }

    func keeper(rule: BorderRule = .exact, path: String? = nil) throws -> GeofenceKeeper {
        var settings = GeofenceKeeper.Settings(path: path ?? file, stateFolder: folder + "/state")
        settings.rule = rule
        return try GeofenceKeeper(settings)
    }

    /// So many metres to the north of home.
    static func place(_ metres: Double) throws -> Coordinate {
        let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        return Geodesic.end(from: home, azimuthDegrees: metres < 0 ? 180 : 0, distanceMetres: abs(metres)).coordinate
    }

    static func fix(_ second: Int, metres: Double) throws -> Position {
        Position(time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(second) * 1_000), coordinate: try place(metres))
    }

    /// A walk that comes in after 10 s, goes out after 30 s, and so on: a fix every second, 5 m a second, there and back.
    static func walk(seconds: Int = 80) throws -> [Position] {
        try (0..<seconds).map { second in
            let way = Double(second % 80) * 5
            return try fix(second, metres: 100 - (way <= 200 ? way : 400 - way))
        }
    }
}
