import Foundation
import Testing
import WaypostTestKit

@testable import Waypost

struct GeodesicTests {
    static let reference = SharedFolder.path("data/geodesic/geod_dev.tsv")

    @Test(.enabled(if: reference != nil, "set WAYPOST_SHARED to a folder with data/geodesic/geod_dev.tsv"))
    func meetsEveryReferenceGeodesicWithinATenthOfAMillimetre() throws {
        let rows = try GeodesicRow.read(try #require(Self.reference))
        #expect(rows.count == 1_050)
        // The file gives azimuths and coordinates to 1e-9 degrees at the worst, which is 0.1 mm; the goal is 1 mm.
        let missed = rows.filter { row in
            let end = Geodesic.end(from: row.start, azimuthDegrees: row.azimuthDegrees, distanceMetres: row.distanceMetres)
            return abs(Geodesic.distanceMetres(from: row.start, to: row.end) - row.distanceMetres) > 1e-4
                || abs(Geodesic.line(from: row.start, to: row.end).distanceMetres - row.distanceMetres) > 1e-4
                || Geodesic.distanceMetres(from: end.coordinate, to: row.end) > 1e-3
        }
        #expect(missed.map(\.name) == [])
    }

    /// Karney's own examples (Algorithms for geodesics, tables 2, 3 and 5), GeographicLib's manual (New York to London), the quadrant.
    @Test(arguments: [
        (40.0, 0.0, 41.79331020506, 137.84490004377, 10_000_000.0, 30.0, 149.09016931807),
        (-30.12345, 0.0, -30.12344, 0.00005, 4.944208, 77.043533, 77.043508),
        (-30.0, 0.0, 29.9, 179.8, 19_989_832.82761, 161.890524736, 18.090737246),
        (40.6, -73.8, 51.6, -0.5, 5_551_759.400, 51.198882845, 107.821776735),
        (0.0, 20.0, 90.0, 20.0, 10_001_965.729, 0.0, 0.0),
    ])
    func givesThePublishedLines(line: (Double, Double, Double, Double, Double, Double, Double)) throws {
        let start = try #require(Coordinate(latitudeDegrees: line.0, longitudeDegrees: line.1))
        let end = try #require(Coordinate(latitudeDegrees: line.2, longitudeDegrees: line.3))
        let found = Geodesic.line(from: start, to: end)
        #expect(abs(found.distanceMetres - line.4) < 5e-4)
        #expect(abs(found.initialAzimuthDegrees - line.5) < 1e-6)
        #expect(abs(found.finalAzimuthDegrees - line.6) < 1e-6)
    }

    @Test func goesBackTheWayItCame() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let start = Coordinate.random(using: &random)
            let end = Coordinate.random(using: &random)
            let there = Geodesic.line(from: start, to: end)
            let back = Geodesic.line(from: end, to: start)
            #expect(abs(there.distanceMetres - back.distanceMetres) < 1e-7)
            let arrived = Geodesic.end(
                from: start, azimuthDegrees: there.initialAzimuthDegrees, distanceMetres: there.distanceMetres)
            #expect(Geodesic.distanceMetres(from: arrived.coordinate, to: end) < 1e-6)
        }
    }

    @Test func agreesWithTheLongLineWhereTheChordIsUsed() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<5_000 {
            let start = Coordinate.random(using: &random)
            let azimuth = Double.random(in: 0..<360, using: &random)
            let distance = pow(10, Double.random(in: 0..<5, using: &random))
            let end = Geodesic.end(from: start, azimuthDegrees: azimuth, distanceMetres: distance).coordinate
            let found = Geodesic.distanceMetres(from: start, to: end)
            #expect(abs(found - distance) < 1e-6, "\(distance) m at \(azimuth) from \(start)")
            #expect(abs(Geodesic.longLine(from: start, to: end).distanceMetres - distance) < 3e-8)
        }
    }

    @Test func passesAPoleAndTheAntimeridianWithoutNoticing() throws {
        let north = try #require(Coordinate(latitudeDegrees: 90, longitudeDegrees: 0))
        let alsoNorth = try #require(Coordinate(latitudeDegrees: 90, longitudeDegrees: -123.4))
        #expect(Geodesic.distanceMetres(from: north, to: alsoNorth) == 0)
        let here = try #require(Coordinate(latitudeDegrees: 89.9999, longitudeDegrees: 10))
        let opposite = try #require(Coordinate(latitudeDegrees: 89.9999, longitudeDegrees: -170))
        #expect(abs(Geodesic.distanceMetres(from: here, to: opposite) - 22.33880) < 1e-4)
        let east = try #require(Coordinate(latitudeDegrees: -17, longitudeDegrees: 180))
        let west = try #require(Coordinate(latitudeDegrees: -17, longitudeDegrees: -180))
        #expect(Geodesic.distanceMetres(from: east, to: west) < 1e-8)
    }

    @Test func findsALineBetweenAntipodes() throws {
        let start = try #require(Coordinate(latitudeDegrees: 0, longitudeDegrees: 0))
        let end = try #require(Coordinate(latitudeDegrees: 0, longitudeDegrees: 180))
        // Over a pole: two quadrants.
        #expect(abs(Geodesic.distanceMetres(from: start, to: end) - 2 * 10_001_965.72931) < 1e-4)
        // Where Vincenty's method does not converge.
        let nearly = try #require(Coordinate(latitudeDegrees: 0.5, longitudeDegrees: 179.5))
        #expect(abs(Geodesic.line(from: start, to: nearly).distanceMetres - 19_936_288.579) < 1e-3)
    }
}

private struct GeodesicRow {
    var start: Coordinate
    var end: Coordinate
    var azimuthDegrees: Double
    var distanceMetres: Double
    var name: String

    static func read(_ path: String) throws -> [GeodesicRow] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t")
            let numbers = fields.prefix(7).compactMap { Double($0) }
            try #require(numbers.count == 7)
            // Some rows spell longitudes beyond 180 on purpose.
            return GeodesicRow(
                start: Coordinate(cuttingLatitudeDegrees: numbers[0], wrappingLongitudeDegrees: numbers[1]),
                end: Coordinate(cuttingLatitudeDegrees: numbers[3], wrappingLongitudeDegrees: numbers[4]),
                azimuthDegrees: numbers[2], distanceMetres: numbers[6], name: String(line))
        }
    }
}

extension Coordinate {
    /// A place anywhere on the Earth, evenly.
    static func random(using random: inout SeededGenerator) -> Coordinate {
        Coordinate(
            cuttingLatitudeDegrees: asin(Double.random(in: -1...1, using: &random)) * 180 / .pi,
            wrappingLongitudeDegrees: Double.random(in: -180...180, using: &random))
    }
}
