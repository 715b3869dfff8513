import Foundation
import Testing
import Waypost

struct TrackSimplifierTests {
    private let origin: Coordinate

    init() throws {
        origin = try #require(Coordinate(latitudeDegrees: 47.378, longitudeDegrees: 8.54))
    }

    /// Positions along a path of metres east and north.
    private func positions(_ path: [(Double, Double)]) -> [TrackPoint] {
        let frame = LocalFrame(origin: origin)
        return path.map {
            TrackPoint(Position(time: nil, coordinate: frame.coordinate(PlanePoint(eastMetres: $0.0, northMetres: $0.1))))
        }
    }

    private func simplified(_ positions: [TrackPoint], _ tolerance: Double) -> [TrackPoint] {
        var simplifier = TrackSimplifier(toleranceMetres: tolerance)
        var kept: [TrackPoint] = []
        for position in positions {
            if let next = simplifier.add(position) { kept.append(next) }
        }
        if let last = simplifier.end() { kept.append(last) }
        return kept
    }

    /// How far a place is from the nearest piece of a line, by plain arithmetic in the plane.
    private func distance(_ position: TrackPoint, to line: [TrackPoint]) -> Double {
        let frame = LocalFrame(origin: origin)
        let place = frame.point(position.coordinate)
        let corners = line.map { frame.point($0.coordinate) }
        return zip(corners, corners.dropFirst()).map { start, end in
            let (dx, dy) = (end.eastMetres - start.eastMetres, end.northMetres - start.northMetres)
            let (px, py) = (place.eastMetres - start.eastMetres, place.northMetres - start.northMetres)
            let length = dx * dx + dy * dy
            let along = length == 0 ? 0 : min(1, max(0, (px * dx + py * dy) / length))
            let (x, y) = (px - along * dx, py - along * dy)
            return (x * x + y * y).squareRoot()
        }.min() ?? .infinity
    }

    @Test func keepsTheEndsOfAStraightLine() {
        let line = positions((0..<1_000).map { (Double($0) * 10, Double($0) * 3) })
        let kept = simplified(line, 1)
        #expect(kept == [line[0], line[999]])
    }

    @Test func keepsTheCornersOfASquare() {
        var sides: [(Double, Double)] = (0..<50).map { (Double($0), 0) }
        sides += (0..<50).map { (50, Double($0)) }
        sides += (0..<50).map { (50 - Double($0), 50) }
        #expect(simplified(positions(sides), 1).count <= 6)
    }

    @Test func keepsTheWayBack() {
        let there = (0...100).map { (Double($0), 0.0) }
        let kept = simplified(positions(there + there.reversed()), 2)
        #expect(distance(positions([(100, 0)])[0], to: kept) < 3)
        #expect(kept.count <= 4)
    }

    @Test func keepsEverythingWithoutTolerance() {
        let line = positions((0..<20).map { (Double($0), 0.0) })
        #expect(simplified(line, 0) == line)
    }

    /// Whatever the path, what was left out is where the line is.
    @Test(arguments: [1.0, 5, 25]) func leavesOutOnlyWhatTheLinePasses(tolerance: Double) {
        var random = Steps()
        for _ in 0..<40 {
            var (x, y, heading) = (0.0, 0.0, 0.0)
            let path = (0..<400).map { _ -> (Double, Double) in
                heading += Double.random(in: -0.5...0.5, using: &random)
                let step = Double.random(in: 0...20, using: &random)
                (x, y) = (x + step * heading.sine, y + step * heading.cosine)
                return (x, y)
            }
            let all = positions(path)
            let kept = simplified(all, tolerance)
            #expect(kept.count < all.count)
            // Across the line by the tolerance, and by as much beyond the end of a piece.
            #expect(all.allSatisfy { distance($0, to: kept) <= tolerance * 1.45 })
        }
    }
}

/// The same numbers in every run, by the MMIX generator of Knuth.
private struct Steps: RandomNumberGenerator {
    private var state: UInt64 = 7

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 32
    }
}

extension Double {
    fileprivate var sine: Double { sin(self) }
    fileprivate var cosine: Double { cos(self) }
}
