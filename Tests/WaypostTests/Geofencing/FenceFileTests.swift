import Testing

@testable import Waypost

struct FenceFileTests {
    private func read(_ text: String, now: UTCTime? = nil) throws -> FenceFile { try FenceFormat.read([UInt8](text.utf8), now: now) }

    @Test func readsTealiumCircles() throws {
        let now = UTCTime(millisecondsSince1970: 1_000)
        let file = try read(
            """
            [{"name": "Yard", "latitude": 35.1, "longitude": 136.8, "radius": 100, "trigger_on_enter": true, "trigger_on_exit": false, "x": [1]},
             {"name": "Store", "latitude": 90, "longitude": -180, "radius": 1.0, "trigger_on_enter": true, "trigger_on_exit": true,
              "expire_after": 3600000, "minimum_dwell_time": 60000}]
            """, now: now)
        #expect(file.format == .tealium && file.remarks.isEmpty)
        let centre = try #require(Coordinate(latitudeDegrees: 35.1, longitudeDegrees: 136.8))
        #expect(
            file.fences.first
                == Geofence(
                    id: "Yard", shape: try .circle(centre: centre, radiusMetres: 100), notifications: [.enter, .pass, .dwell]))
        #expect(file.fences.last?.dwellSeconds == 60 && file.fences.last?.expires == now.advanced(byMilliseconds: 3_600_000))
    }

    @Test func dropsAndNamesBadEntriesOnly() throws {
        let file = try read(
            """
            [{"name": "A", "latitude": -90.5, "longitude": 10, "radius": 100, "trigger_on_enter": true, "trigger_on_exit": true},
             {"name": "B", "latitude": 1, "longitude": 1, "radius": 0, "trigger_on_enter": true, "trigger_on_exit": true},
             {"name": "C", "latitude": 1, "longitude": 1, "radius": 100.5, "trigger_on_enter": true, "trigger_on_exit": true},
             {"name": "", "latitude": 1, "longitude": 1, "radius": 1, "trigger_on_enter": true, "trigger_on_exit": true},
             {"name": "E", "latitude": 1, "longitude": 1, "radius": 1, "trigger_on_enter": true},
             7,
             {"name": "Fine", "latitude": 1, "longitude": 1, "radius": 1, "trigger_on_enter": true, "trigger_on_exit": true}]
            """)
        #expect(file.fences.map(\.name) == ["Fine"])
        #expect(file.hasDropped)
        #expect(
            file.remarks.map(\.description) == [
                "entry 0 \"A\": latitude, longitude: latitude -90.5, longitude 10.0 is not on the Earth; they may be swapped",
                "entry 1 \"B\": a radius of 0.0 m; it must be more than 0 and less than half the Earth's circumference",
                "entry 2 \"C\": radius must be a whole number of metres",
                "entry 3 \"\": name must be a text that is not empty",
                "entry 4 \"E\": trigger_on_exit must be true or false",
                "entry 5: the entry must be an object",
            ])
    }

    @Test func overlooksTrailingCommasAndAByteOrderMark() throws {
        let file = try read(
            "\u{FEFF}[{\"name\": \"a,]\", \"latitude\": 1, \"longitude\": 1, \"radius\": 1, \"trigger_on_enter\": true, \"trigger_on_exit\": true, },\n]"
        )
        #expect(file.fences.map(\.name) == ["a,]"])
        #expect(file.remarks.map(\.problem) == [.byteOrderMark, .trailingCommas(count: 2)])
        #expect(!file.hasDropped)
    }

    @Test func letsTheLastOfEqualNamesCount() throws {
        let entry = "\"latitude\": 1, \"longitude\": 1, \"trigger_on_enter\": true, \"trigger_on_exit\": true"
        let file = try read("[{\"name\": \"Gate\", \"radius\": 50, \(entry)}, {\"name\": \"Gate\", \"radius\": 75, \(entry)}]")
        let centre = try #require(Coordinate(latitudeDegrees: 1, longitudeDegrees: 1))
        #expect(file.fences.map(\.shape) == [try .circle(centre: centre, radiusMetres: 75)])
        #expect(file.remarks.map(\.problem) == [.repeatedID("Gate")])
    }

    @Test func readsGeoJSONOfEveryKind() throws {
        let file = try read(
            """
            {"type": "FeatureCollection", "bbox": [0, 0, 1, 1], "features": [
              {"type": "Feature", "id": 7, "geometry": {"type": "Point", "coordinates": [8.5, 47.4, 400]},
               "properties": {"name": "Circle", "radius": 120.5, "dwell_seconds": 30, "expires": "2027-01-01T00:00:00Z", "notify": ["enter"]}},
              {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1]], [[0.7, 0.2], [0.8, 0.2], [0.8, 0.3]]]}, "properties": null},
              {"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 0], [1, 1], [0, 0]]], [[[179, 0], [-179, 0], [180, 1]]]]}, "properties": {"name": "Two"}},
              {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 0]]}, "properties": {"id": "road", "width": 25}}
            ]}
            """)
        #expect(file.format == .geojson && file.remarks.isEmpty)
        #expect(file.fences.map(\.id) == ["7", "1", "Two", "road"])
        #expect(file.fences.map(\.name) == ["Circle", "1", "Two", "road"])
        let circle = try #require(file.fences.first)
        #expect(circle.dwellSeconds == 30 && circle.notifications == [.enter])
        #expect(circle.expires == UTCTime(rfc3339: "2027-01-01T00:00:00Z"))
        let inHole = try #require(Coordinate(latitudeDegrees: 0.22, longitudeDegrees: 0.77))
        #expect(!file.fences[1].shape.contains(inHole))
        let besideRoad = try #require(Coordinate(latitudeDegrees: 0.0001, longitudeDegrees: 0.5))
        #expect(file.fences[3].shape.contains(besideRoad))
    }

    @Test func saysWhereGeoJSONIsWrong() throws {
        func remark(_ feature: String) throws -> String? {
            try read("{\"type\": \"FeatureCollection\", \"features\": [\(feature)]}").remarks.first?.problem.description
        }
        #expect(
            try remark(#"{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [47, 139]]]}}"#)
                == "geometry.coordinates[0][2]: latitude 139.0, longitude 47.0 is not on the Earth; they may be swapped")
        #expect(
            try remark(#"{"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]}}"#)
                == "properties.radius must be the metres of a circle")
        #expect(
            try remark(#"{"type": "Feature", "geometry": {"type": "MultiPoint", "coordinates": []}}"#) == "geometry MultiPoint is no fence")
        #expect(try remark(#"{"type": "Feature", "geometry": null}"#) == "geometry must be an object with a type")
        #expect(
            try remark(#"{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 0]]]}}"#)
                == "polygon 0, ring 0 has fewer than three different corners")
    }

    @Test func refusesWhatIsNoFenceFile() {
        #expect(throws: FenceFileError.notFences("begins like HTML or XML")) { try read("<!DOCTYPE html>") }
        #expect(throws: FenceFileError.notFences("is empty")) { try read("  \n") }
        #expect(throws: FenceFileError.notFences("is JSON, but not GeoJSON")) { try read("{\"a\": 1}") }
        #expect(throws: FenceFileError.notFences("is GeoJSON of type Point; fences are features")) { try read("{\"type\": \"Point\"}") }
        #expect(throws: FenceFileError.self) { try read("[{\"name\": ") }
        #expect(throws: FenceFileError.self) {
            try read("{\"type\": \"FeatureCollection\", \"features\": [" + String(repeating: "[", count: 10_000))
        }
        #expect(throws: FenceFileError.tooLong(limit: 3)) { try FenceFormat.read([0x5B, 0x5D, 0x20, 0x20], maximumBytes: 3) }
    }
}
