import Foundation
import Testing
import WaypostTestKit

@testable import Waypost

struct FenceWritingTests {
    private let now = FenceFormatContract.now

    /// Fences of every shape round a place, with everything that a fence can have.
    private func fences(near centre: Coordinate, count: Int, _ random: inout SeededGenerator) throws -> [Geofence] {
        let names = ["Yard", "Zürich \"Süd\"", "a<b>&'c'", "日本 🚚", "tab\there", "line\nfeed", "\\", "{}[],:", "7", "null"]
        return try (0..<count).map { index in
            var fence = try RandomFences.fence(index, near: centre, &random)
            fence.name = "\(names[index % names.count]) \(index)"
            if index % 9 == 0 { fence.id = fence.name }
            if index % 3 == 0 { fence.dwellSeconds = Double(Int.random(in: 1...7_200, using: &random)) / 8 }
            if index % 5 == 0 { fence.expires = now.advanced(byMilliseconds: Int64.random(in: 1...100_000_000_000, using: &random)) }
            if index % 4 == 0 { fence.notifications = FenceNotifications(rawValue: UInt8.random(in: 0...15, using: &random)) }
            if index % 11 == 0 {
                // Seven decimals, as most files have.
                let places = (0..<3).map { _ in RandomFences.place(near: centre, within: 500, &random) }
                    .compactMap {
                        Coordinate(
                            latitudeDegrees: ($0.latitudeDegrees * 1e7).rounded() / 1e7,
                            longitudeDegrees: ($0.longitudeDegrees * 1e7).rounded() / 1e7)
                    }
                fence.shape = try .multiPolygon([
                    [places], [RandomFences.star(centre, 900, corners: 9, &random), RandomFences.star(centre, 90, corners: 5, &random)],
                ])
            }
            return fence
        }
    }

    @Test(arguments: RandomFences.regions, FenceFormat.allCases)
    func readsWhatItWrites(region: Coordinate, format: FenceFormat) throws {
        var random = SeededGenerator(seed: 7)
        let fences = try fences(near: region, count: 200, &random)
        #expect(FenceFormatContract.violations(writing: fences, as: format) == [])
    }

    @Test func keepsEverythingInGeoJSONAndKML() throws {
        var random = SeededGenerator(seed: 8)
        for region in RandomFences.regions {
            let fences = try fences(near: region, count: 120, &random)
            for format in [FenceFormat.geojson, .kml] {
                let export = FenceFormat.write(fences, as: format)
                #expect(export.remarks == [] && export.count == fences.count)
                #expect(try FenceFormat.read(export.text.bytes).fences == fences)
            }
        }
    }

    @Test func keepsRingsRoundPolesFromAnyMeridian() throws {
        for first in [-180.0, 180, 0, 179.5, -33] {
            let ring = stride(from: 0.0, to: 360, by: 60).map {
                Coordinate(cuttingLatitudeDegrees: 80, wrappingLongitudeDegrees: first + $0)
            }
            let fence = Geofence(id: "pole", shape: try .polygon([ring]))
            for format in [FenceFormat.geojson, .kml, .traccar] {
                #expect(try FenceFormat.read(FenceFormat.write([fence], as: format).text.bytes).fences == [fence], "\(first) \(format)")
            }
        }
    }

    @Test func keepsRingsRoundPolesWithCornersOnThem() throws {
        let rings: [[(Double, Double)]] = [
            // Touches the pole; without the corner there its neighbours are half a turn apart, and either way would do.
            [(89, 180), (88, -90), (89, 0), (90, 90), (88, 180)],
            [(90, 0), (80, 0), (80, 120), (80, -120)],
            [(80, 0), (80, 120), (80, -120), (80, 0), (90, 0)],
            [(-90, -180), (-60, -180), (-60, -90), (-60, 0), (-60, 90), (-60, 180), (-90, 180)],
            // An edge of exactly half a turn, beside a ring that goes round the globe.
            [(0, 5), (0, 1), (0, -179), (1, 180)],
            [(90, 170), (80, -170), (80, 10), (80, 100)],
        ]
        for ring in rings {
            let corners = try ring.map { try #require(Coordinate(latitudeDegrees: $0.0, longitudeDegrees: $0.1)) }
            let fence = Geofence(id: "pole", shape: try .polygon([corners]))
            for format in [FenceFormat.geojson, .kml, .traccar] {
                #expect(try FenceFormat.read(FenceFormat.write([fence], as: format).text.bytes).fences == [fence], "\(ring) \(format)")
            }
        }
    }

    @Test func saysWhatAFormatDoesNotKeep() throws {
        let centre = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        let circle = Geofence(
            id: "c", name: "Circle", shape: try .circle(centre: centre, radiusMetres: 12.5), dwellSeconds: 60,
            expires: now.advanced(byMilliseconds: 60_000), notifications: [.enter, .pass])
        let corners = try [(47.0, 8.0), (47.0, 8.1), (47.1, 8.1)].map {
            try #require(Coordinate(latitudeDegrees: $0.0, longitudeDegrees: $0.1))
        }
        let inner = try [(47.02, 8.05), (47.02, 8.06), (47.03, 8.06)].map {
            try #require(Coordinate(latitudeDegrees: $0.0, longitudeDegrees: $0.1))
        }
        let fences = [
            circle, Geofence(id: "p", shape: try .polygon([corners, inner])),
            Geofence(id: "m", shape: try .multiPolygon([[corners], [inner]])),
            Geofence(id: "r", shape: try .corridor(corners, widthMetres: 20)),
        ]
        func remarks(_ format: FenceFormat, now: UTCTime? = nil) -> [String] {
            FenceFormat.write(fences, as: format, now: now).remarks.map(\.description)
        }
        #expect(remarks(.geojson) == [] && remarks(.kml) == [])
        #expect(
            remarks(.tealium, now: now) == [
                "entry 0 \"Circle\": the id \"c\" becomes \"Circle\"", "entry 0 \"Circle\": the radius of 12.5 m becomes 13.0 m",
                "entry 0 \"Circle\": what it tells (enter, pass) becomes enter, dwell, pass",
                "entry 1 \"p\": is left out: Tealium has circles only", "entry 2 \"m\": is left out: Tealium has circles only",
                "entry 3 \"r\": is left out: Tealium has circles only",
            ])
        #expect(remarks(.tealium).contains("entry 0 \"Circle\": the expiry is lost"))
        #expect(
            remarks(.owntracks).prefix(4) == [
                "entry 0 \"Circle\": the radius of 12.5 m becomes 13.0 m", "entry 0 \"Circle\": the dwell of 60.0 s is lost",
                "entry 0 \"Circle\": the expiry is lost",
                "entry 0 \"Circle\": what it tells (enter, pass) becomes enter, exit, dwell, pass",
            ])
        #expect(
            remarks(.traccar) == [
                "entry 1 \"p\": is left out: Traccar has no holes", "entry 2 \"m\": is left out: Traccar has one polygon a geofence",
            ])
    }

    @Test func leavesOutWhatWouldReplaceAnother() throws {
        let centre = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        let shape = try FenceShape.circle(centre: centre, radiusMetres: 50)
        let fences = [Geofence(id: "1", name: "Gate", shape: shape), Geofence(id: "2", name: "Gate", shape: shape)]
        let export = FenceFormat.write(fences, as: .tealium)
        #expect(export.count == 1 && export.hasDropped)
        #expect(try FenceFormat.read(export.text.bytes).fences.map(\.name) == ["Gate"])
        let gone = Geofence(id: "x", shape: shape, expires: now)
        #expect(FenceFormat.write([gone], as: .tealium, now: now).remarks.map(\.problem) == [.notExpressible("it has expired")])
    }

    @Test func saysWhatXMLCannotHold() throws {
        let centre = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        let fence = Geofence(id: "1", name: " bell\u{7} ", shape: try .circle(centre: centre, radiusMetres: 50))
        #expect(
            FenceFormat.write([fence], as: .kml).remarks.map(\.description) == [
                "entry 0 \" bell\\u0007 \": the name becomes \"bell\u{FFFD}\""
            ])
        #expect(try FenceFormat.read(FenceFormat.write([fence], as: .geojson).text.bytes).fences == [fence])
    }

    @Test func knowsWaypointsByTheSameNumberEveryTime() throws {
        let centre = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        let fences = try (0..<500).map { Geofence(id: "fence \($0)", shape: try .circle(centre: centre, radiusMetres: 50)) }
        let all = FenceFormat.write(fences, as: .owntracks).text.string
        let some = FenceFormat.write(Array(fences[100..<102]), as: .owntracks).text.string
        for line in some.split(separator: "\n") where line.contains("\"rid\":\"fence 100\"") { #expect(all.contains(line.dropLast())) }
        let stamps = all.split(separator: "\n").compactMap { line in
            line.firstRange(of: "\"tst\":").map { line[$0.upperBound...].prefix(10) }
        }
        #expect(Set(stamps).count == 500)
    }

    @Test func writesNumbersThatAreNone() throws {
        let centre = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        let fence = Geofence(id: "1", shape: try .circle(centre: centre, radiusMetres: 50), dwellSeconds: .nan)
        for format in FenceFormat.allCases {
            let export = FenceFormat.write([fence], as: format)
            #expect(export.count == 1 && export.remarks.contains { $0.description.contains("dwell of nan s is lost") }, "\(format)")
        }
    }
}
