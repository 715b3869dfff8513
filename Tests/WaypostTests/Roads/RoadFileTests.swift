import Testing
import WaypostTestKit

@testable import Waypost

@Suite struct RoadFileTests {
    /// Two roads that cross, a bridge over both, a forbidden turn, a gate, a footpath, and a road that nobody may use.
    static func map() -> DrawnMap {
        var map = DrawnMap()
        map.road(10, [(-300, 0), (-150, 5), (0, 0), (300, 0)], ["highway": "primary", "name": "Hauptstraße", "maxspeed": "70"])
        map.road(11, [(0, -200), (0, 0), (0, 250)], ["highway": "residential", "oneway": "yes"])
        map.road(12, [(-200, -100), (200, 100)], level: 1, ["highway": "motorway", "ref": "A 5", "bridge": "yes", "layer": "1"])
        map.road(13, [(300, 0), (300, 200), (0, 250)], ["highway": "footway"])
        map.road(14, [(0, 0), (50, 300)], ["highway": "residential", "access": "no"])
        map.close(0, 250, ["barrier": "bollard"])
        let via = map.node(DrawnMap.Point(east: 0, north: 0))
        map.restrict(TurnRestriction(from: 10, via: via, to: 11))
        return map
    }

    @Test func readsWhatWasDrawn() throws {
        let file = RoadFileTests.map().file()
        let roads = try Roads(RoadBytes(file))
        #expect(roads.damage() == nil)
        #expect(roads.summary.wayCount == 4 && roads.summary.edgeCount == 6)
        #expect(roads.summary.byteCount == file.count)
        #expect(roads.summary.notice == "(c) OpenStreetMap contributors, ODbL 1.0, https://www.openstreetmap.org/copyright")
        // 600.2 + 450 + 447.2 + 504.1 metres: by Pythagoras, from the drawing.
        #expect(abs(roads.summary.roadMetres - 2_001.8) < 0.6)
        var found: [Int64: Road] = [:]
        for number in 0..<UInt32(roads.edgeCount) {
            let road = roads.road(ofEdge: roads.edge(number))
            found[road.wayNumber] = road
        }
        #expect(found[10] == Road(wayNumber: 10, name: "Hauptstraße", roadClass: .primary, kilometresPerHour: 70, kind: [], layer: 0))
        #expect(found[12]?.kind == [.bridge, .oneWay] && found[12]?.layer == 1 && found[12]?.name == "A 5")
        #expect(found[13]?.name == nil && found[13]?.roadClass == .footway)
        #expect(found[14] == nil)
    }

    @Test func isTheSameFileEveryTime() {
        #expect(RoadFileTests.map().file() == RoadFileTests.map().file())
    }

    @Test func keepsNumbersOfAnySize() throws {
        var map = DrawnMap()
        for number: Int64 in [1, -5, 4_294_967_296, 549_755_813_887] {
            map.road(number, [(Double(number % 97), 0), (Double(number % 97), 90)])
        }
        let roads = try map.roads()
        let numbers = (0..<UInt32(roads.edgeCount)).map { roads.wayNumber(ofEdge: roads.edge($0)) }
        #expect(Set(numbers) == [1, -5, 4_294_967_296, 549_755_813_887])
    }

    @Test func cutsWaysWhereTheExtractHasNoNode() throws {
        var map = DrawnMap()
        map.road(1, [(0, 0), (100, 0), (200, 0), (300, 0), (400, 0)])
        var builder = map.builder
        for (index, east) in [0.0, 100, 200, 300, 400].enumerated() where index != 2 {
            builder.add(node: Int64(1_000 + index), at: DrawnMap.place(east, 0))
        }
        let roads = try Roads(RoadBytes(try #require(builder.finish()).file))
        #expect(roads.summary.edgeCount == 2)
        #expect(abs(roads.summary.roadMetres - 200) < 0.3)
    }

    @Test func makesNoFileWithoutARoad() {
        #expect(RoadFileBuilder().finish() == nil)
        var map = DrawnMap()
        map.road(1, [(0, 0), (0, 0)])
        #expect(map.file().isEmpty)
    }

    @Test func cutsWaysOverTheAntimeridian() throws {
        var builder = RoadFileBuilder()
        let way = try #require(OSMTags(["highway": "primary"]).way(number: 1))
        builder.add(way, nodes: [1, 2, 3, 4])
        for (number, longitude) in [179.98, 179.99, -179.99, -179.98].enumerated() {
            builder.add(node: Int64(number + 1), at: Coordinate(cuttingLatitudeDegrees: 0, wrappingLongitudeDegrees: longitude))
        }
        let roads = try Roads(RoadBytes(try #require(builder.finish()).file))
        #expect(roads.summary.edgeCount == 2)
        #expect(abs(roads.summary.roadMetres - 2 * 1_113.2) < 1)
    }

    // MARK: Damage

    @Test func refusesWhatIsNoRoadFile() throws {
        #expect(throws: RoadFileError.foreign) { try Roads(RoadBytes([])) }
        #expect(throws: RoadFileError.foreign) { try Roads(RoadBytes(Array("<gpx version=\"1.1\"><trk></trk></gpx>".utf8))) }
        var file = RoadFileTests.map().file()
        #expect(throws: RoadFileError.truncated(bytes: file.count - 1, of: UInt64(file.count))) { try Roads(RoadBytes(file.dropLast())) }
        #expect(throws: RoadFileError.damaged(part: "more follows its end")) { try Roads(RoadBytes(file + [0])) }
        file[8] = 9
        #expect(throws: RoadFileError.version(9)) { try Roads(RoadBytes(file)) }
    }

    /// Each flipped byte is found, but for those that fill up a section; with the header mended, nothing that follows from it ends the program.
    @Test func findsEveryFlippedByteAndSurvivesIt() {
        let file = RoadFileTests.map().file()
        var unnoticed = 0
        for index in file.indices {
            for mask: UInt8 in [0xFF, 0x01, 0x80] {
                var damaged = file
                damaged[index] ^= mask
                if let roads = try? Roads(RoadBytes(damaged)), roads.damage() == nil { unnoticed += 1 }
                if mask != 0x01 { #expect(RoadFileContract.violations(reading: damaged) == [], "byte \(index)") }
            }
        }
        // Up to seven bytes between each two of twelve sections.
        #expect(unnoticed <= 3 * 12 * 7)
    }

    @Test func survivesEveryLength() {
        let file = RoadFileTests.map().file()
        for count in stride(from: 0, to: file.count, by: 7) {
            #expect(RoadFileContract.violations(reading: Array(file.prefix(count))) == [], "\(count) bytes")
        }
    }
}
