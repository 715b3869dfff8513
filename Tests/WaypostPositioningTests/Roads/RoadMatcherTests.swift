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
        let road = try #require(await manager.currentRoadElement)
        #expect(road.wayNumber == 7 && road.name == "Hauptstraße" && road.roadClass == .primary)
        #expect(!road.kind.contains(.oneWay) && road.kilometresPerHour == 60)
        #expect(await manager.mapMatchMode == .car)
        await manager.setMapMatchMode(.foot)
        #expect(await matcher.mode == .foot)
        await matcher.lose()
        #expect(await matcher.currentRoad == nil)
        await manager.stop()
    }

    @Test func opensTheFileThatTakesThePlaceOfTheOld() async throws {
        let path = try Self.temporary(try Self.roads(latitude: 49.4, name: "Old"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let matcher = try RoadMatcher(path: path, settling: .zero)
        #expect(await matcher.match(try Self.fix(0))?.wayID == 7)
        #expect(await matcher.currentRoad?.name == "Old")
        // One that is no road file changes nothing.
        try AtomicFile.write(Array("nothing".utf8), to: path)
        #expect(await matcher.match(try Self.fix(1))?.wayID == 7)
        #expect(await matcher.currentRoad?.name == "Old")
        let problem = try #require(await matcher.problem)
        #expect(problem.failure == .unusable(path: path, .foreign) && problem.goesOn && problem.readAt != nil)
        #expect(
            problem.words.hasPrefix(
                "\(path): is not a road file; until that is mended, the tracker goes on with the roads that it read at 20"))
        try AtomicFile.write(try Self.roads(latitude: 49.5, name: "New"), to: path)
        #expect(await matcher.match(try Self.fix(2)) == nil)
        // Off the roads a single fix near one is not on it yet.
        for second in 3...8 { _ = await matcher.match(try Self.fix(second, latitude: 49.5)) }
        #expect(await matcher.match(try Self.fix(9, latitude: 49.5)) != nil)
        #expect(await matcher.currentRoad?.name == "New")
        #expect(await matcher.problem == nil)
    }

    /// What is mapped stays, until the tracker is restarted: somebody must be told.
    @Test func saysThatTheFileIsGone() async throws {
        let bytes = try Self.roads(latitude: 49.4, name: "Hauptstraße")
        let path = try Self.temporary(bytes)
        let matcher = try RoadMatcher(path: path, settling: .zero)
        #expect(await matcher.match(try Self.fix(0)) != nil)
        try FileManager.default.removeItem(atPath: path)
        #expect(await matcher.match(try Self.fix(1)) != nil)
        let problem = try #require(await matcher.problem)
        #expect(
            problem.goesOn && problem.words.contains("cannot be read: No such file or directory; until that is mended, the tracker goes on")
        )
        try AtomicFile.write(bytes, to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(await matcher.match(try Self.fix(2)) != nil)
        #expect(await matcher.problem == nil)
    }

    @Test func saysWhyItCannotMatch() throws {
        #expect(throws: RoadFileFailure.self) { try RoadMatcher(path: "/nonexistent.roads") }
        var damaged = try Self.roads(latitude: 49.4, name: "Hauptstraße")
        damaged[360] ^= 1
        let path = try Self.temporary(damaged)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: RoadFileFailure.unusable(path: path, .damaged(part: "nodes"))) { try RoadMatcher(path: path) }
    }

    @Test func matchesToRoadsOfAFile() async throws {
        let path = try Self.temporary(try Self.roads(latitude: 49.4, name: "Hauptstraße"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let manager = PositioningManager(source: ScriptedSource([.position(try Self.fix(0))], stays: true))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.matchPositions(with: try Roads(path: path))
        await manager.start()
        #expect(await log.waits(for: 2))
        #expect(await manager.currentRoadElement?.name == "Hauptstraße")
        await manager.stop()
    }

    /// A file that is copied over where it stands may end before what is looked at: it is left alone until it is whole.
    @Test func leavesAFileThatIsWrittenOver() async throws {
        let bytes = try Self.roads(latitude: 49.4, name: "Hauptstraße")
        let path = try Self.temporary(bytes)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let matcher = try RoadMatcher(path: path, settling: .zero)
        #expect(await matcher.match(try Self.fix(0)) != nil)
        func writeOver(_ bytes: [UInt8]) throws {
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(bytes))
            try file.close()
        }
        try writeOver(Array(bytes.prefix(500)))
        #expect(await matcher.match(try Self.fix(1)) == nil)
        #expect(await matcher.failure == .unusable(path: path, .truncated(bytes: 500, of: UInt64(bytes.count))))
        try writeOver(bytes)
        #expect(await matcher.match(try Self.fix(2)) != nil)
        #expect(await matcher.failure == nil)
    }

    @Test func waitsForAFileThatIsNotThereYet() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "roads-\(UUID().uuidString)").path()
        let matcher = RoadMatcher(openingLater: path, mode: .car) { _ in }
        #expect(await matcher.match(try Self.fix(0)) == nil)
        #expect(await matcher.failure?.description.contains("cannot be read") == true)
        try AtomicFile.write(try Self.roads(latitude: 49.4, name: "Hauptstraße"), to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for second in 1..<60 where await matcher.match(try Self.fix(second)) == nil { try await Task.sleep(for: .milliseconds(100)) }
        #expect(await matcher.currentRoad?.name == "Hauptstraße")
        #expect(await matcher.failure == nil)
    }

    /// A file that is added to a folder is found at once, not when the folder is read again after a minute.
    @Test func findsAFileThatIsAddedToAFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "areas-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let matcher = RoadMatcher(openingLater: folder, mode: .car) { _ in }
        #expect(await matcher.match(try Self.fix(0)) == nil)
        #expect(await matcher.failure == .empty(path: folder))
        try await Task.sleep(for: .milliseconds(20))
        try AtomicFile.write(try Self.roads(latitude: 49.4, name: "Hauptstraße"), to: folder + "/home.roads")
        #expect(await matcher.match(try Self.fix(1)) != nil)
        #expect(await matcher.currentRoad?.name == "Hauptstraße")
        #expect(await matcher.failure == nil)
    }

    /// Two files whose areas overlap, as those of countries do: the roads decide which one it is.
    @Test func crossesOverToTheNextArea() async throws {
        func file(_ name: String, way: Int64, _ places: [(Double, Double)]) throws -> [UInt8] {
            var builder = RoadFileBuilder()
            builder.add(
                try #require(OSMTags(["highway": "primary", "name": name]).way(number: way)), nodes: places.indices.map { Int64($0) + 1 })
            for (index, place) in places.enumerated() {
                let coordinate = try #require(Coordinate(latitudeDegrees: place.0, longitudeDegrees: place.1))
                builder.add(node: Int64(index) + 1, at: coordinate)
            }
            return try #require(builder.finish()).file
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "areas-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: RoadFileFailure.empty(path: folder)) { try RoadMatcher(path: folder) }
        // The western road begins at the border, and the box of its file reaches beyond it.
        try AtomicFile.write(try file("West", way: 1, [(49.5, 8.73), (49.4, 8.68), (49.4, 8.704)]), to: folder + "/b.roads")
        try AtomicFile.write(try file("East", way: 2, [(49.4, 8.704), (49.4, 8.74)]), to: folder + "/a.roads")
        try AtomicFile.write(Array("no roads".utf8), to: folder + "/c.roads")
        let matcher = try RoadMatcher(path: folder, settling: .zero)
        var names: [String?] = []
        for second in 0..<100 {
            _ = await matcher.match(try Self.fix(second))
            names.append(await matcher.currentRoad?.name)
        }
        #expect(names.prefix(35).allSatisfy { $0 == "West" })
        #expect(names.suffix(40).allSatisfy { $0 == "East" }, "\(names)")
        #expect(await matcher.covers(try Self.fix(0).coordinate))
        #expect(await !matcher.covers(try Self.fix(0, latitude: 52).coordinate))
    }
}
