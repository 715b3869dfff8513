import Foundation
import Testing
import WaypostTestKit

@testable import Waypost

struct FenceShapeTests {
    private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
    }

    private func ring(_ corners: [(Double, Double)]) throws -> [Coordinate] { try corners.map { try place($0.0, $0.1) } }

    @Test func holdsItsBorderAndNotItsHole() throws {
        let shape = try FenceShape.polygon([
            try ring([(0, 0), (0, 4), (4, 4), (4, 0)]), try ring([(1, 1), (1, 3), (3, 3), (3, 1), (1, 1)]),
        ])
        for inside in [(0.0, 0.0), (4, 4), (0, 2), (2, 0), (4, 2), (2, 4), (0.5, 0.5), (1, 2), (3, 1), (0.5, 2)] {
            #expect(shape.contains(try place(inside.0, inside.1)), "\(inside)")
        }
        for outside in [(2.0, 2.0), (1.5, 1.1), (-0.1, 2), (4.1, 2), (2, -0.1), (2, 4.1)] {
            #expect(!shape.contains(try place(outside.0, outside.1)), "\(outside)")
        }
    }

    @Test func takesEveryPolygonOfSeveral() throws {
        let shape = try FenceShape.multiPolygon([
            [try ring([(0, 0), (0, 1), (1, 1), (1, 0)])], [try ring([(0.5, 0.5), (0.5, 2), (2, 2), (2, 0.5)])],
        ])
        #expect(shape.contains(try place(0.2, 0.2)))
        #expect(shape.contains(try place(0.7, 0.7)), "where they overlap")
        #expect(shape.contains(try place(1.5, 1.5)))
        #expect(!shape.contains(try place(0.2, 1.5)))
    }

    @Test func liesAcrossTheAntimeridian() throws {
        let shape = try FenceShape.polygon([try ring([(-1, 179), (-1, -179), (1, -179), (1, 179)])])
        for longitude in [179.5, 180, -180, -179.5] { #expect(shape.contains(try place(0, longitude))) }
        for longitude in [178.9, -178.9, 0] { #expect(!shape.contains(try place(0, longitude))) }
        #expect(shape.boundingBox.crossesAntimeridian)
        #expect(abs(shape.signedDistanceMetres(to: try place(0, -178.9)) - 11_131.949) < 0.01)
    }

    @Test func holdsThePoleThatItWindsRound() throws {
        let corners = stride(from: -180.0, to: 180, by: 30).map { longitude -> (Double, Double) in
            (80 + (longitude / 30).truncatingRemainder(dividingBy: 2), longitude)
        }
        let north = try FenceShape.polygon([try ring(corners)])
        let south = try FenceShape.polygon([try ring(corners.map { (-$0.0, $0.1) }.reversed())])
        #expect(try north.contains(place(90, 17)) && north.contains(place(85, 180)) && north.contains(place(85, -180)))
        #expect(try !north.contains(place(79, 10)) && !north.contains(place(-90, 0)))
        #expect(try south.contains(place(-90, 17)) && !south.contains(place(90, 0)) && !south.contains(place(-79, 0)))
        // Written down to the pole and along the antimeridian it is the same area.
        let cut = try FenceShape.polygon([
            try ring([(-90, -180), (-60, -180), (-60, -90), (-60, 0), (-60, 90), (-60, 180), (-90, 180), (-90, -180)])
        ])
        #expect(try cut.contains(place(-75, 180)) && cut.contains(place(-90, 5)) && !cut.contains(place(-59, 180)))
        #expect(cut.signedDistanceMetres(to: try place(-61, 180)) < -111_000, "the antimeridian is no border")
        // A corner on the pole is a corner, where the ring does not come back the way it went.
        let touching = try FenceShape.polygon([try ring([(80, 0), (80, 90), (80, 180), (90, -135), (80, -90)])])
        #expect(try touching.contains(place(85, 45)) && touching.contains(place(89.9, 0)) && touching.contains(place(85, -170)))
        #expect(try !touching.contains(place(79, 45)) && !touching.contains(place(85, -140)) && !touching.contains(place(85, -130)))
    }

    @Test func refusesWhatIsNoArea() throws {
        let centre = try place(1, 2)
        #expect(throws: FenceShapeError.radiusOutOfRange(metres: 0)) { try FenceShape.circle(centre: centre, radiusMetres: 0) }
        #expect(throws: FenceShapeError.self) { try FenceShape.circle(centre: centre, radiusMetres: .nan) }
        #expect(throws: FenceShapeError.widthOutOfRange(metres: -1)) {
            try FenceShape.corridor([centre, try place(1, 3)], widthMetres: -1)
        }
        #expect(throws: FenceShapeError.tooFewPoints) { try FenceShape.corridor([centre, centre], widthMetres: 5) }
        #expect(throws: FenceShapeError.tooFewCorners(polygon: 0, ring: 0)) { try FenceShape.polygon([[centre, try place(1, 3), centre]]) }
        #expect(throws: FenceShapeError.empty) { try FenceShape.multiPolygon([]) }
        let twice = try (0..<12).map { try place(10 + Double($0) / 10, (Double($0) * 60).wrappedDegrees) }
        #expect(throws: FenceShapeError.windsMoreThanOnce(polygon: 0, ring: 0)) { try FenceShape.polygon([twice]) }
    }

    @Test func givesBackItsCornersAsTheyWere() throws {
        for decimals in [7, 12] {
            var random = SeededGenerator(seed: 11)
            let corners = (0..<20).map { _ -> Coordinate in
                let place = RandomFences.place(near: RandomFences.regions[1], within: 500, &random)
                let scale = pow(10, Double(decimals))
                return Coordinate(
                    cuttingLatitudeDegrees: (place.latitudeDegrees * scale).rounded() / scale,
                    wrappingLongitudeDegrees: (place.longitudeDegrees * scale).rounded() / scale)
            }
            guard case .polygons(let rings) = try FenceShape.polygon([corners]) else {
                Issue.record("no polygon")
                return
            }
            #expect(rings.table.header.pointee.isOnGrid == (decimals == 7))
            for (given, kept) in zip(corners, rings.corners[0]) { #expect(Geodesic.distanceMetres(from: given, to: kept) < 1e-6) }
        }
    }

    /// Against the least geodesic distance to thousands of points of every edge.
    @Test(arguments: RandomFences.regions)
    func measuresToTheMillimetreNearTheBorder(region: Coordinate) throws {
        var random = SeededGenerator(seed: 12)
        for id in 0..<40 {
            let fence = try RandomFences.fence(id, near: region, &random)
            let (lines, offset): ([[Coordinate]], Double)
            switch fence.shape {
            case .circle(let circle):
                let place = RandomFences.place(near: circle.centre, within: 2 * circle.radiusMetres, &random)
                let expected = Geodesic.longLine(from: circle.centre, to: place).distanceMetres - circle.radiusMetres
                #expect(abs(fence.shape.signedDistanceMetres(to: place) - expected) < 1e-5)
                continue
            case .polygons(let rings): (lines, offset) = (rings.corners, 0)
            case .corridor(let line, let halfWidth): (lines, offset) = (line.corners, halfWidth)
            }
            let line = try #require(lines.randomElement(using: &random))
            let index = Int.random(in: 1..<line.count, using: &random)
            let near = LonLatEdge(from: line[index - 1], to: line[index]).place(Double.random(in: 0...1, using: &random))
            let place = RandomFences.place(near: near, within: 20, &random)
            var least = Double.infinity
            for line in lines {
                for (start, end) in zip(line, line.dropFirst()) {
                    let edge = LonLatEdge(from: start, to: end)
                    least = min(least, leastDistance(of: edge, from: place))
                }
            }
            let found = fence.shape.signedDistanceMetres(to: place)
            let expected = offset == 0 ? least : abs(least - offset)
            #expect(abs(abs(found) - expected) < 1e-3, "fence \(id): \(found), \(expected)")
        }
    }

    /// By sampling, then by sampling more finely round the best sample.
    private func leastDistance(of edge: LonLatEdge, from place: Coordinate) -> Double {
        var (low, high) = (0.0, 1.0)
        var least = Double.infinity
        for _ in 0..<6 {
            var best = low
            least = .infinity
            for sample in 0...50 {
                let share = low + (high - low) * Double(sample) / 50
                let metres = Geodesic.distanceMetres(from: place, to: edge.place(share))
                if metres < least { (least, best) = (metres, share) }
            }
            let width = (high - low) / 25
            (low, high) = (max(best - width, 0), min(best + width, 1))
        }
        return least
    }

    /// Against the winding number, summed up from angles.
    @Test(arguments: RandomFences.regions.prefix(2))
    func agreesWithTheWindingNumber(region: Coordinate) throws {
        var random = SeededGenerator(seed: 13)
        for id in 0..<60 {
            let corners = RandomFences.star(RandomFences.place(near: region, within: 500, &random), 400, corners: 3 + id, &random)
            let shape = try FenceShape.polygon([corners])
            for _ in 0..<20 {
                let place = RandomFences.place(near: region, within: 1_000, &random)
                var turned = 0.0
                for (start, end) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
                    let first = Self.angle(from: place, to: start)
                    turned += (Self.angle(from: place, to: end) - first).remainder(dividingBy: 2 * .pi)
                }
                #expect(shape.contains(place) == (abs(turned) > .pi))
            }
        }
    }

    private static func angle(from place: Coordinate, to corner: Coordinate) -> Double {
        atan2(
            corner.latitudeDegrees - place.latitudeDegrees,
            (corner.longitudeDegrees - place.longitudeDegrees).wrappedDegrees)
    }
}
