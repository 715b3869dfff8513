import Foundation
import Testing
import WaypostTestKit

@testable import Waypost

struct FenceLinterTests {
    private func ring(_ points: [(x: Int, y: Int)]) -> LintRing {
        LintRing(points.map { Coordinate(cuttingLatitudeDegrees: Double($0.y), wrappingLongitudeDegrees: Double($0.x)) })
    }

    /// Every pair of edges against each other.
    private func hasCrossing(_ rings: [LintRing]) -> Bool {
        let edges = rings.flatMap { ring in ring.points.indices.map { (ring.points[$0], ring.points[($0 + 1) % ring.points.count]) } }
        for (index, one) in edges.enumerated() {
            for other in edges[(index + 1)...] {
                let (a, b) = (other.0.side(from: one.0, to: one.1), other.1.side(from: one.0, to: one.1))
                let (c, d) = (one.0.side(from: other.0, to: other.1), one.1.side(from: other.0, to: other.1))
                if a * b < 0, c * d < 0 { return true }
            }
        }
        return false
    }

    @Test func findsACrossingWhereverThereIsOne() {
        var random = SeededGenerator(seed: 3)
        var crossed = 0
        for round in 0..<3_000 {
            // On a coarse grid corners fall on edges and on each other all the time.
            let size = [3, 6, 40][round % 3]
            let rings = (0..<(round % 4 == 0 ? 2 : 1)).map { _ in
                ring(
                    (0..<Int.random(in: 3...8, using: &random)).map { _ in
                        (Int.random(in: 0...size, using: &random), Int.random(in: 0...size, using: &random))
                    })
            }.filter { $0.points.count >= 3 }
            let found = RingSweep.search(rings).crossing != nil
            #expect(found == hasCrossing(rings), "round \(round): \(rings.map(\.points))")
            crossed += found ? 1 : 0
        }
        #expect(crossed > 500)
    }

    @Test func findsWhichRingLiesInWhich() {
        func square(_ x: Int, _ y: Int, _ size: Int, isReversed: Bool = false) -> LintRing {
            let points = [(x, y), (x + size, y), (x + size, y + size), (x, y + size)]
            return ring(isReversed ? points.reversed() : points)
        }
        let rings = [
            square(0, 0, 60), square(5, 5, 20), square(10, 10, 5, isReversed: true), square(30, 30, 10, isReversed: true), square(70, 0, 5),
            square(32, 31, 2), square(45, 5, 10),
        ]
        let found = RingSweep.search(rings)
        #expect(found.crossing == nil && found.touch == nil)
        #expect(found.parents == [-1, 0, 1, 0, -1, 3, 0])
    }

    @Test func alignsHolesAcrossTheAntimeridian() throws {
        let file = try FenceLinter().check(
            [UInt8](
                #"""
                {"type": "Feature", "properties": {"name": "Fiji"}, "geometry": {"type": "Polygon", "coordinates": [
                  [[179, -18], [-179, -18], [-179, -16], [179, -16], [179, -18]],
                  [[-179.8, -17.5], [-179.2, -17.5], [-179.2, -16.5], [-179.8, -17.5]],
                  [[179.2, -17.5], [179.8, -17.5], [179.8, -16.5], [179.2, -17.5]]]}}
                """#.utf8))
        #expect(file.remarks.map(\.problem.code) == ["long_edge"])
    }

    @Test func looksAtLongRingsInOneSweep() {
        var random = SeededGenerator(seed: 5)
        let middle = RandomFences.regions[0]
        var star = RandomFences.star(middle, 5_000, corners: 50_000, &random)
        #expect(RingSweep.search([LintRing(star)]).crossing == nil)
        star.swapAt(20_000, 20_010)
        let found = RingSweep.search([LintRing(star)]).crossing
        #expect(found != nil && (19_990...20_020).contains(found?.edge ?? 0))
    }

    @Test func endsTheSearchForOverlapsInAHeap() throws {
        let centre = RandomFences.regions[0]
        let heap = try (0..<3_000).map { Geofence(id: "\($0)", shape: try .circle(centre: centre, radiusMetres: 100 + Double($0))) }
        let file = try FenceLinter().check(FenceFormat.write(heap, as: .geojson).text.bytes)
        #expect(file.remarks.count == FenceLinter.listedOverlaps + 1)
        guard case .moreOverlaps(let count, let isAtLeast) = file.remarks.first?.problem else {
            Issue.record("\(file.remarks)")
            return
        }
        #expect(count > 50_000 && isAtLeast)
    }

    @Test(arguments: RandomFences.regions) func findsOverlapsAsPairByPair(region: Coordinate) throws {
        var random = SeededGenerator(seed: 11)
        let fences = try (0..<60).map { try RandomFences.fence($0, near: region, &random) }
        var found: Set<[Int]> = []
        #expect(FenceOverlaps.forEach(in: fences) { found.insert([$0, $1]) })
        // Places all over both: none may lie in two fences that are said not to overlap.
        for _ in 0..<800 {
            let place = RandomFences.place(near: region, within: 4_500, &random)
            let holding = fences.indices.filter { fences[$0].shape.signedDistanceMetres(to: place) < -0.5 }
            for (number, first) in holding.enumerated() {
                for second in holding[(number + 1)...] { #expect(found.contains([first, second]), "\(first) and \(second) at \(place)") }
            }
        }
        #expect(!found.isEmpty && found.count < 60 * 59 / 2)
    }
}
