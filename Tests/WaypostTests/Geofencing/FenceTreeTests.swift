import Testing
import WaypostTestKit

@testable import Waypost

/// Searches that take four boxes or four edges at a time find what is found one by one.
struct FenceTreeTests {
    private static func boxes(_ count: Int, _ random: inout SeededGenerator) -> [SpaceBox] {
        (0..<count).map { _ in
            let low = SIMD4<Float>((0..<3).map { _ in Float.random(in: -6e6...6e6, using: &random) } + [0])
            return SpaceBox(low: low, high: low + SIMD4<Float>((0..<3).map { _ in Float.random(in: 0...2e6, using: &random) } + [0]))
        }
    }

    private static func point(_ random: inout SeededGenerator) -> SIMD4<Float> {
        SIMD4<Float>((0..<3).map { _ in Float.random(in: -7e6...7e6, using: &random) } + [0])
    }

    /// Also those of a four that is not full.
    @Test(arguments: 1...4)
    func measuresFourBoxesAsEachOfThem(count: Int) {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let boxes = Self.boxes(count, &random)
            let four = SpaceBoxes(boxes[...])
            let point = Self.point(&random)
            let distances = four.distancesSquared(to: point)
            for (lane, box) in boxes.enumerated() {
                #expect(distances[lane] == box.distanceSquared(to: point))
                #expect(four[lane].low == box.low && four[lane].high == box.high)
            }
            for lane in count..<4 { #expect(distances[lane].isNaN) }
        }
    }

    /// One node, full nodes and nodes that are not full, of one level up to four.
    @Test(arguments: [0, 1, 4, 15, 16, 17, 33, 255, 256, 257, 5_000])
    func findsEveryBoxWithinADistance(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let entries = Self.boxes(count, &random).enumerated().map { FenceTree.Entry(box: $1, slot: Int32($0 * 3)) }
        let tree = FenceTree(sorted: FenceTree.sorted(entries))
        #expect(tree.count == count)
        #expect(tree.entries.map(\.slot).sorted() == entries.map(\.slot))
        for metres: Float in [0, 1e5, 1e6, 4e6, 3e7, .infinity] {
            let point = Self.point(&random)
            let near = entries.filter { $0.box.distanceSquared(to: point) <= metres * metres }
            var told: [Int32: Float] = [:]
            tree.forEach(near: point, withinSquared: metres * metres) { told[$0] = $1 }
            #expect(told == Dictionary(uniqueKeysWithValues: near.map { ($0.slot, $0.box.distanceSquared(to: point)) }))
        }
    }

    /// On the grid and off it, of one ring and of several, beside the antimeridian too.
    @Test(arguments: [(47.4, 8.5), (-16.8, 179.999)], [true, false])
    func countsTheCrossingsOfEveryEdge(region: (latitude: Double, longitude: Double), isOnGrid: Bool) throws {
        var random = SeededGenerator(seed: 17)
        let middle = Coordinate(cuttingLatitudeDegrees: region.latitude, wrappingLongitudeDegrees: region.longitude)
        func corner(_ place: Coordinate) -> Coordinate {
            guard isOnGrid else { return place }
            return Coordinate(
                cuttingLatitudeDegrees: (place.latitudeDegrees * 1e7).rounded() / 1e7,
                wrappingLongitudeDegrees: (place.longitudeDegrees * 1e7).rounded() / 1e7)
        }
        var (crossed, pieces) = (0, 0)
        for corners in 3...40 {
            var rings = [RandomFences.star(middle, 500, corners: corners, &random).map(corner)]
            if corners % 3 == 0 { rings.append(RandomFences.star(middle, 100, corners: 9, &random).map(corner)) }
            guard case .polygons(let polygons) = try FenceShape.polygon(rings) else { return #expect(Bool(false), "not polygons") }
            let table = polygons.table
            #expect(table.header.pointee.isLocal)
            for group in 0..<table.groupCount {
                let (first, next) = (Int(table.groupStarts[group]), Int(table.groupStarts[group + 1]))
                #expect(table.corners(ofGroup: group) == (first, first + (next - first) & ~3))
            }
            for _ in 0..<20 {
                let way = LonLatEdge(
                    from: RandomFences.place(near: middle, within: 600, &random), to: RandomFences.place(near: middle, within: 600, &random)
                )
                var (found, expected) = (WayCrossings.Found(), WayCrossings(way, turn: table.turned(way.bx) - way.bx))
                for group in 0..<table.groupCount {
                    let (first, end) = table.corners(ofGroup: group)
                    found.formUnion(table.crossings(from: first, count: end - first, way))
                    // A piece of the table says the same where nothing has to be turned.
                    let piece = EdgePiece(0, table, group)
                    #expect(piece.place(in: table) == (first, end - first) && piece.isLocal)
                    if piece.needsTable || region.longitude > 179 { continue }
                    var alone = WayCrossings(way, turn: 0)
                    piece.addCrossings(EdgeTable.GridBox(way, turn: 0), &alone)
                    let same = table.crossings(from: first, count: end - first, way)
                    #expect((alone.found.count, alone.found.isOpen) == (same.count, same.isOpen))
                    pieces += 1
                }
                for ring in table.rings {
                    for index in Int(ring.start)..<Int(ring.end) - 1 { expected.add(table.corner(index), table.corner(index + 1)) }
                }
                #expect((found.count, found.isOpen) == (expected.found.count, expected.found.isOpen))
                #expect(found.crossing.first == expected.found.crossing.first && found.crossing.last == expected.found.crossing.last)
                crossed += found.count
            }
        }
        #expect(crossed > 500)
        #expect((isOnGrid && region.longitude < 179) == (pieces > 0))
    }

    /// Where rings may touch, a crossing need not change the side.
    @Test func tellsWhetherRingsAreApart() throws {
        func square(_ east: Double, _ north: Double, _ size: Double) -> [Coordinate] {
            [(0.0, 0.0), (size, 0), (size, size), (0, size)].map {
                Coordinate(cuttingLatitudeDegrees: 47 + (north + $0.1) / 1e4, wrappingLongitudeDegrees: 8 + (east + $0.0) / 1e4)
            }
        }
        func areApart(_ polygons: [[[Coordinate]]]) throws -> Bool {
            guard case .polygons(let rings) = try FenceShape.multiPolygon(polygons) else { return false }
            return rings.table.header.pointee.areRingsApart
        }
        let outer = square(0, 0, 10)
        #expect(try areApart([[outer]]))
        #expect(try areApart([[outer, square(2, 2, 2), square(6, 6, 2)]]))
        #expect(try areApart([[outer, square(2, 2, 2)], [square(20, 0, 10), square(22, 2, 2)]]))
        // A hole that touches its ring, leads over it or lies beside it, and holes that touch each other.
        for hole in [square(0, 2, 2), square(-1, 2, 2), square(9, 2, 2), square(12, 2, 2)] { #expect(try !areApart([[outer, hole]])) }
        #expect(try !areApart([[outer, square(2, 2, 3), square(4, 4, 2)]]))
        // Polygons that touch or overlap, one in the hole of another one, and a hole that is another polygon's.
        #expect(try !areApart([[outer], [square(10, 0, 10)]]))
        #expect(try !areApart([[outer], [square(5, 5, 10)]]))
        #expect(try !areApart([[outer, square(2, 2, 6)], [square(4, 4, 2)]]))
        #expect(try !areApart([[outer], [square(20, 0, 10), square(2, 2, 2)]]))
        // More than are looked at.
        #expect(try !areApart([[outer] + (0..<40).map { square(0.1 + Double($0) * 0.2, 1, 0.1) }]))
    }

    /// What a look leaves unmeasured is found all the same, and what is far from every border is measured again.
    @Test func measuresOnlyWhereStepsAreShorterThanTheWayToABorder() throws {
        var random = SeededGenerator(seed: 3)
        let middle = Coordinate(cuttingLatitudeDegrees: 47.4, wrappingLongitudeDegrees: 8.5)
        let fences = try (0..<300).map { id in
            let centre = RandomFences.place(near: middle, within: 500, &random)
            return Geofence(id: "\(id)", shape: try .polygon([RandomFences.star(centre, 80, corners: 20, &random)]))
        }
        func monitor(steps metres: Double) -> GeofenceMonitor {
            var monitor = GeofenceMonitor(fences: FenceIndex(fences), rule: .exact)
            var quiet = 0
            for second in 0..<(metres > 1 ? 60 : 200) {
                let place = Geodesic.end(from: middle, azimuthDegrees: 77, distanceMetres: metres * Double(second)).coordinate
                if monitor.window.isQuiet(place) { quiet += 1 }
                _ = monitor.process(.fix(place, second: Double(second)))
                #expect(Set(monitor.fencesInside.map(\.id)) == Set(fences.filter { $0.shape.contains(place) }.map(\.id)))
            }
            #expect(metres > 1 ? quiet < 10 : quiet > 100, "\(quiet) quiet steps of \(metres) m")
            return monitor
        }
        #expect(monitor(steps: 0.3).window.isOpen)
        #expect(monitor(steps: 8).window.isOpen)
    }
}
