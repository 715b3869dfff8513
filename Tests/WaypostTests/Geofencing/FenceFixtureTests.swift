import Foundation
import Testing

@testable import Waypost

/// The traps of fence files, one fixture a kind: what the linter says of each, and where.
struct FenceFixtureTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Data/fences").standardized
    private static let now = UTCTime(millisecondsSince1970: 1_772_323_200_000)

    private func check(_ name: String) throws -> FenceFile {
        try FenceLinter(now: Self.now).check([UInt8](Data(contentsOf: Self.folder.appending(path: name))))
    }

    /// `3 problem place`, the entry first.
    private func findings(_ file: FenceFile) -> [String] {
        file.remarks.map { remark in
            [remark.index.map(String.init) ?? "-", remark.problem.code, remark.place ?? ""].joined(separator: " ")
        }
    }

    @Test func namesSwappedCoordinates() throws {
        let whole = try check("swapped.geojson")
        #expect(
            findings(whole) == [
                "- file_seems_swapped ", "0 coordinate_out_of_range features[0].geometry.coordinates",
                "1 coordinate_out_of_range features[1].geometry.coordinates[0][0]",
            ])
        #expect(whole.fences.map(\.name) == ["South gate"])
        let one = try check("one-swapped.geojson")
        #expect(
            findings(one) == [
                "2 seems_swapped features[2]", "4 corner_seems_swapped features[4].geometry.coordinates[0][2]",
                "4 huge features[4].geometry.coordinates[0]",
            ])
    }

    @Test func namesRingsThatAreNotWhatTheyShouldBe() throws {
        let file = try check("rings.geojson")
        #expect(
            findings(file) == [
                "0 unclosed_ring features[0].geometry.coordinates[0]", "1 crosses_itself features[1].geometry.coordinates[0][0]",
                "2 repeated_corners features[2].geometry.coordinates[0]", "3 no_area features[3].geometry.coordinates[0]",
                "4 hole_outside features[4].geometry.coordinates[1]", "5 hole_in_hole features[5].geometry.coordinates[2]",
                "6 rings_cross features[6].geometry.coordinates[0][1]", "7 touches_itself features[7].geometry.coordinates[0][2]",
                "8 too_few_corners features[8].geometry.coordinates[0]",
            ])
        #expect(file.remarks[1].problem == .crossesItself(corner: 2, latitude: 47.05, longitude: 9.05))
        #expect(file.fences.count == 8)
    }

    @Test func readsRingsAcrossTheAntimeridianAndRoundPoles() throws {
        let file = try check("globe.geojson")
        #expect(
            findings(file) == [
                "0 long_edge features[0].geometry.coordinates[0][0]", "2 holds_pole features[2].geometry.coordinates[0]",
                "2 long_edge features[2].geometry.coordinates[0][2]", "3 winds_more_than_once features[3].geometry.coordinates[0]",
            ])
        let dateline = try #require(Coordinate(latitudeDegrees: -16.9, longitudeDegrees: 180))
        let pole = try #require(Coordinate(latitudeDegrees: 90, longitudeDegrees: 0))
        #expect(file.fences[0].shape.contains(dateline) && !file.fences[1].shape.contains(dateline) && file.fences[2].shape.contains(pole))
    }

    @Test func namesCirclesAndPropertiesThatCannotBeMeant() throws {
        let file = try check("circles.geojson")
        #expect(
            findings(file) == [
                "0 radius_out_of_range features[0].properties.radius", "1 radius_out_of_range features[1].properties.radius",
                "2 invalid_value features[2].properties.radius", "3 invalid_value features[3].properties.radius",
                "4 radius_out_of_range features[4].properties.radius", "5 smaller_than_accuracy features[5].properties.radius",
                "6 huge features[6].properties.radius", "7 null_island features[7].geometry.coordinates", "8 expired features[8]",
                "9 long_dwell features[9]", "10 tells_nothing features[10]", "12 repeated_id features[12]", "13 same_name features[13]",
                "13 same_area features[13]", "15 odd_name features[15]", "15 overlaps features[15]",
            ])
        #expect(file.remarks.last?.problem == .overlaps(entry: 14, name: "Left"))
        #expect(file.counts == [.error: 5, .warning: 10, .note: 1])
    }

    @Test func readsWaypointsOfOwnTracks() throws {
        let file = try check("phone.otrw")
        #expect(file.format == .owntracks && file.fences.map(\.id) == ["a1", "Shop", "1700000005"])
        #expect(file.fences.map(\.name) == ["Home", "Shop", "1700000005"])
        #expect(
            findings(file) == [
                "1 invalid_value waypoints[1].rad", "3 unknown_geometry waypoints[3]", "4 coordinate_out_of_range waypoints[4]",
            ])
        let shop = try #require(Coordinate(latitudeDegrees: 47.5, longitudeDegrees: 8.6))
        #expect(file.fences[1].shape == (try .circle(centre: shop, radiusMetres: 40.5)))
    }

    @Test func readsAreasOfTraccarLatitudeFirst() throws {
        let file = try check("server.traccar.json")
        #expect(file.format == .traccar && file.fences.map(\.id) == ["1", "2", "3", "r4"])
        #expect(
            findings(file)
                == [
                    "4 coordinate_out_of_range [4].area, corner 0", "5 unknown_geometry [5].area",
                    "6 unknown_geometry [6].area",
                    "7 invalid_value [7].area, corner 1",
                ])
        let line = try [(47.0, 9.0), (47.1, 9.1), (47.2, 9.1)].map {
            try #require(Coordinate(latitudeDegrees: $0.0, longitudeDegrees: $0.1))
        }
        #expect(file.fences[2].shape == (try .corridor(line, widthMetres: 25)))
        guard case .corridor(_, let usual) = file.fences[3].shape else { throw TestFailure() }
        #expect(usual == 25 && file.fences[3].dwellSeconds == 60 && file.fences[3].notifications == [.enter, .dwell])
        #expect(file.fences[3].expires == UTCTime(rfc3339: "2030-01-01T00:00:00Z"))
    }

    @Test func readsPlacemarksOfKML() throws {
        let file = try check("earth.kml")
        #expect(file.format == .kml && file.fences.map(\.name) == ["Yard & Co", "Two", "Road", "Circle", "Open bow"])
        #expect(file.fences.map(\.id) == ["p1", "Two", "Road", "Circle", "Open bow"])
        #expect(
            findings(file) == [
                "1 overlooked_geometry line 15", "4 invalid_value line 27, ExtendedData radius", "5 unknown_geometry line 28",
                "6 coordinate_out_of_range line 32", "7 unclosed_ring line 36", "7 crosses_itself line 36, corner 0",
            ])
        let inHole = try #require(Coordinate(latitudeDegrees: 47.022, longitudeDegrees: 8.028))
        let inYard = try #require(Coordinate(latitudeDegrees: 47.05, longitudeDegrees: 8.05))
        #expect(!file.fences[0].shape.contains(inHole) && file.fences[0].shape.contains(inYard))
        guard case .polygons(let two) = file.fences[1].shape, case .corridor(let road, let halfWidth) = file.fences[2].shape else {
            throw TestFailure()
        }
        #expect(two.ringsPerPolygon == [1, 1] && road.edgeCount == 1 && halfWidth == 12.5)
        #expect(file.fences[2].notifications == [.enter, .exit] && file.fences[3].dwellSeconds == 60)
    }

    @Test func refusesFilesThatAreDamagedAsAWhole() {
        func refusal(_ name: String) -> String? {
            do {
                _ = try check(name)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(refusal("nan.geojson") == "line 2, column 74: unexpected \"N\"")
        #expect(refusal("login.html") == "is a web page (HTML); was the address wrong, or a login page in the way?")
        #expect(refusal("cut.kml") == "line 18: the file ends within an element")
        #expect(refusal("mismatched.kml")?.hasSuffix("an end tag that does not match the start tag") == true)
    }

    private struct TestFailure: Error {}
}

/// Tealium's samples, which come with the results that are expected.
struct FenceSampleTests {
    private func read(_ name: String) throws -> FenceFile? {
        guard let path = SharedFolder.path("data/fences/samples/\(name).json") else { return nil }
        return try FenceFormat.read([UInt8](Data(contentsOf: URL(filePath: path))), now: UTCTime(millisecondsSince1970: 1_772_323_200_000))
    }

    @Test(.enabled(if: SharedFolder.path("data/fences/samples/01_six_keys.json") != nil, "the shared samples are not at hand"))
    func readsTheSamplesAsExpected() throws {
        let six = try #require(try read("01_six_keys"))
        #expect(six.fences.count == 3 && six.remarks.isEmpty)
        let eight = try #require(try read("02_eight_keys_cross_platform"))
        #expect(eight.fences.map(\.dwellSeconds) == [nil, 60] && eight.fences.map { $0.expires != nil } == [false, true])
        #expect(eight.remarks.isEmpty)
        let mixed = try #require(try read("03_range_invalid_mixed"))
        #expect(mixed.fences.map(\.name) == ["Good_Yard", "Edge_Pole_Dateline"])
        #expect(mixed.remarks.map(\.index) == [1, 2, 3, 4, 5] && mixed.remarks.allSatisfy { $0.isDropped && $0.name != nil })
        let commas = try #require(try read("04_trailing_commas"))
        #expect(commas.fences.count == 2 && commas.remarks.map(\.problem) == [.trailingCommas(count: 2)])
        let types = try #require(try read("05_type_error_rejects_whole_file"))
        #expect(types.fences.map(\.name) == ["Fine"] && types.counts == [.error: 2])
        let duplicates = try #require(try read("06_duplicate_names"))
        #expect(duplicates.fences.count == 1 && duplicates.remarks.map(\.problem) == [.repeatedID("Gate")])
        let row = try #require(try read("07_sixty_in_a_line"))
        #expect(row.fences.count == 60 && row.remarks.isEmpty)
    }
}
