import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem

@Suite struct RoadMatcherTests {
    /// A road from west to east at that latitude.
    private static func roads(latitude: Double, name: String) throws -> [UInt8] {
        var builder = RoadFileBuilder()
        let way = try #require(OSMTags(["highway": "primary", "name": name]).way(number: 7))
        builder.add(way, nodes: [1, 2])
        for (number, longitude) in [(1, 8.69), (2, 8.71)] {
            let place = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
            builder.add(node: Int64(number), at: place)
        }
        return try #require(builder.finish()).file
    }

    private static func fix(_ second: Int, latitude: Double = 49.40003) throws -> Position {
        var fix = Position(
            time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(second) * 1_000),
            coordinate: try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: 8.7 + 0.0001 * Double(second))))
        fix.speedMetresPerSecond = 7.2
        fix.courseDegrees = 90
        return fix
    }

    private static func temporary(_ bytes: [UInt8]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "roads-\(UUID().uuidString)").path()
        try AtomicFile.write(bytes, to: path)
        return path
    }

    @Test func putsTheManagersPositionsOnTheRoad() async throws {
        let path = try Self.temporary(try Self.roads(latitude: 49.4, name: "Hauptstraße"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let matcher = try RoadMatcher(path: path)
        let manager = PositioningManager(
            source: ScriptedSource([.position(try Self.fix(0)), .position(try Self.fix(1))], stays: true))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.matchPositions(with: matcher)
        await manager.start()
        #expect(await log.waits(for: 4))
        let match = try #require(await manager.mapMatchedPosition)
        #expect(match.wayID == 7 && match.isConfident)
        #expect(abs(match.position.coordinate.latitudeDegrees - 49.4) < 1e-7)
        #expect(await manager.currentPosition == match.position)
        #expect(await matcher.currentRoad?.name == "Hauptstraße")
        await matcher.lose()
        #expect(await matcher.currentRoad == nil)
        await manager.stop()
    }

    @Test func opensTheFileThatTakesThePlaceOfTheOld() async throws {
        let path = try Self.temporary(try Self.roads(latitude: 49.4, name: "Old"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let matcher = try RoadMatcher(path: path, refresh: .zero)
        #expect(await matcher.match(try Self.fix(0))?.wayID == 7)
        #expect(await matcher.currentRoad?.name == "Old")
        // One that is no road file changes nothing.
        try AtomicFile.write(Array("nothing".utf8), to: path)
        #expect(await matcher.match(try Self.fix(1))?.wayID == 7)
        #expect(await matcher.currentRoad?.name == "Old")
        try AtomicFile.write(try Self.roads(latitude: 49.5, name: "New"), to: path)
        #expect(await matcher.match(try Self.fix(2)) == nil)
        // Off the roads a single fix near one is not on it yet.
        for second in 3...8 { _ = await matcher.match(try Self.fix(second, latitude: 49.5)) }
        #expect(await matcher.match(try Self.fix(9, latitude: 49.5)) != nil)
        #expect(await matcher.currentRoad?.name == "New")
    }

    @Test func saysWhyItCannotMatch() throws {
        #expect(throws: RoadMatcher.Failure.self) { try RoadMatcher(path: "/nonexistent.roads") }
        var damaged = try Self.roads(latitude: 49.4, name: "Hauptstraße")
        damaged[360] ^= 1
        let path = try Self.temporary(damaged)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: RoadMatcher.Failure.unusable(path: path, .damaged(part: "nodes"))) { try RoadMatcher(path: path) }
    }
}
