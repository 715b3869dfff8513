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
                "entry 0 \"A\", [0]: latitude -90.5, longitude 10.0 is not on the Earth; they may be swapped",
                "entry 1 \"B\", [1].radius: a radius of 0.0 m; it must be more than 0 and less than half the Earth's circumference",
                "entry 2 \"C\", [2].radius: must be a whole number of metres",
                "entry 3 \"\", [3].name: must be a text that is not empty",
                "entry 4 \"E\", [4].trigger_on_exit: must be true or false",
                "entry 5, [5]: must be an object",
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
            try read("{\"type\": \"FeatureCollection\", \"features\": [\(feature)]}").remarks.first.map {
                "\($0.place ?? ""): \($0.problem)"
            }
        }
        func polygon(_ coordinates: String) throws -> String? {
            try remark(#"{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": \#(coordinates)}}"#)
        }
        #expect(
            try polygon("[[[0, 0], [1, 0], [47, 139]]]")
                == "features[0].geometry.coordinates[0][2]: latitude 139.0, longitude 47.0 is not on the Earth; they may be swapped")
        #expect(try polygon("[[[0, 0], [1, \"a\"], [1, 1]]]") == "features[0].geometry.coordinates[0][1]: must be [longitude, latitude]")
        #expect(try polygon("[[[0, 0], [1, 0], 7]]") == "features[0].geometry.coordinates[0][2]: must be a list, as the one before")
        #expect(try polygon("[[0, 0], [1, 0]]") == "features[0].geometry.coordinates: must be a list of rings, each a list of positions")
        #expect(try polygon("[[[[[0, 0]]]]]") == "features[0].geometry.coordinates[0][0][0][0]: must be [longitude, latitude]")
        #expect(try polygon("null") == "features[0].geometry.coordinates: must be coordinates")
        #expect(
            try polygon("[[[0, 0], [1, 0], [0, 0]]]")
                == "features[0].geometry.coordinates[0]: polygon 0, ring 0 has fewer than three different corners")
        #expect(
            try remark(#"{"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]}}"#)
                == "features[0].properties.radius: must be the radius in metres, which a point needs")
        #expect(
            try remark(#"{"type": "Feature", "geometry": {"type": "MultiPoint", "coordinates": []}}"#)
                == "features[0]: geometry MultiPoint of nothing is not a fence")
        #expect(
            try remark(#"{"type": "Feature", "geometry": null}"#) == "features[0].geometry: must be an object with a type")
    }

    @Test func takesTheAreaOutOfACollectionOfGeometries() throws {
        let file = try read(
            #"""
            {"type": "Feature", "id": 1, "properties": {"name": "Yard"}, "geometry": {"type": "GeometryCollection", "geometries": [
              {"type": "Point", "coordinates": [0.5, 0.5]},
              {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}]}}
            """#)
        #expect(file.fences.map(\.id) == ["1"] && file.entryCount == 1)
        #expect(file.remarks.map(\.description) == ["entry 0 \"Yard\": 1 point beside the area overlooked"])
        #expect(!file.hasDropped)
    }

    @Test func tellsFormatsByTheirContents() throws {
        let point = #"{"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"radius": 5}}"#
        let texts: [(String, FenceFormat)] = [
            ("[\(point)]", .geojson), (point, .geojson), (#"{"bbox": [], "features": []}"#, .geojson), ("[]", .tealium),
            (#"[7, null, {"name": "x", "longitude": 1}]"#, .tealium), (#"{"_type": "waypoint", "lat": 1, "lon": 2, "rad": 5}"#, .owntracks),
            (#"[{"rad": 5, "_type": "waypoint"}]"#, .owntracks), (#"{"waypoints": [], "_type": "waypoints"}"#, .owntracks),
            (#"[{"id": 1, "area": ""}]"#, .traccar), (#"{"name": "x", "area": "CIRCLE (1 2, 3)"}"#, .traccar),
            ("<kml/>", .kml), ("\u{FEFF}<?xml version=\"1.0\"?>\n<!-- x --><k:Placemark xmlns:k=\"x\"></k:Placemark>", .kml),
        ]
        for (text, format) in texts { #expect(try read(text).format == format, "\(text)") }
        var utf16: [UInt8] = [0xFF, 0xFE]
        for unit in point.utf16 { utf16 += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let file = try FenceFormat.read(utf16)
        #expect(file.fences.count == 1 && file.remarks.map(\.problem) == [.utf16])
    }

    @Test func knowsExtensionsThatTell() {
        #expect(["geojson", "OTRW", "kml", "json"].map(FenceFormat.init(fileExtension:)) == [.geojson, .owntracks, .kml, nil])
    }

    @Test func refusesWhatIsNoFenceFile() {
        func refusal(_ text: String) -> String? {
            do throws(FenceFileError) {
                _ = try FenceFormat.read([UInt8](text.utf8))
                return nil
            } catch {
                return error.description
            }
        }
        #expect(refusal("<!DOCTYPE html>") == "begins like HTML or XML, but has no element")
        #expect(refusal("<!DOCTYPE html><HTML><p>")?.hasPrefix("is a web page (HTML)") == true)
        #expect(refusal("<gpx></gpx>") == "is GPX; that is tracks, not fences")
        #expect(refusal("<osm/>") == "is XML of the kind \"osm\", not KML")
        #expect(refusal("  \n") == "is empty")
        #expect(refusal("{\"a\": 1}") == "is JSON, but neither GeoJSON nor fences of Tealium, OwnTracks or Traccar")
        #expect(refusal("{\"type\": \"Point\"}") == "is GeoJSON of type \"Point\"; fences are features")
        #expect(refusal("{\"_type\": \"location\"}") == "is OwnTracks of type \"location\"; fences are waypoints")
        #expect(refusal("[{\"name\": ") == "line 1, column 11: the text ends too early")
        #expect(refusal("PK\u{3}\u{4}...") == "is a ZIP archive; of a KMZ file, unpack doc.kml")
        #expect(refusal("{\"type\": \"FeatureCollection\", \"features\": [" + String(repeating: "[", count: 10_000)) != nil)
        #expect(refusal(String(repeating: "<Document>", count: 10_000)) == "line 1: more than 64 elements inside each other")
        #expect(refusal("<!DOCTYPE kml [<!ENTITY a \"b\">]><kml/>")?.contains("declarations") == true)
        #expect(throws: FenceFileError.tooLong(limit: 3)) {
            try FenceFormat.read([0x5B, 0x5D, 0x20, 0x20], limits: FenceFileLimits(bytes: 3))
        }
        #expect(throws: FenceFileError.tooManyEntries(limit: 1)) {
            try FenceFormat.read([UInt8]("[1, 2]".utf8), limits: FenceFileLimits(entries: 1))
        }
    }

    @Test func boundsItsRemarks() throws {
        let file = try read("[" + String(repeating: "7,", count: 4_999) + "7]")
        #expect(file.remarks.count == FenceFile.listedRemarks && file.unlistedCount == 4_000)
        #expect(file.counts == [.error: 5_000] && file.entryCount == 5_000)
    }

    @Test func stepsOverWhatItDoesNotKnowAtAnyLength() throws {
        let ballast = String(repeating: "[0,{\"a\":[]}],", count: 10_000) + "0"
        let file = try read(
            "{\"type\": \"FeatureCollection\", \"x\": [\(ballast)], \"features\": [{\"type\": \"Feature\", \"y\": [\(ballast)], "
                + "\"geometry\": {\"type\": \"Point\", \"coordinates\": [1, 2]}, \"properties\": {\"radius\": 5, \"name\": [\(ballast)]}}]}"
        )
        #expect(file.fences.map(\.id) == ["0"])
    }
}
