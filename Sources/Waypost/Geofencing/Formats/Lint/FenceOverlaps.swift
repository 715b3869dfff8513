/// Finds the pairs of fences that have places in common.
///
/// Each fence lies in grid cells of about its own size, and is compared with the fences in its cells and in the cells of larger fences
/// around it.
enum FenceOverlaps {
    /// The average number of box comparisons per fence; without a limit, overlapping fences would need a quadratic number.
    private static let comparisonsPerFence = 50
    /// The average number of edges compared with other fences, per fence.
    private static let edgesPerFence = 400
    private static let leastWork = 200_000

    private struct Cell: Hashable {
        var level: Int8
        var x: Int32
        var y: Int32
    }

    /// Calls the body with each pair of overlapping fences, the earlier one first.
    ///
    /// - Returns: whether all pairs were compared.
    static func forEach(in fences: [Geofence], _ body: (Int, Int) -> Void) -> Bool {
        let boxes = fences.map(\.shape.boundingBox)
        let levels = boxes.map(level)
        // Larger ones first: a fence is compared with those of its own size or larger.
        let order = fences.indices.sorted { (-levels[$0], $0) < (-levels[$1], $1) }
        var cells: [Cell: [Int32]] = [:]
        var usedLevels: [Int] = []
        var seen = [Int32](repeating: -1, count: fences.count)
        var comparisons = max(fences.count * comparisonsPerFence, leastWork)
        var edges = max(fences.count * edgesPerFence, leastWork)
        for fence in order {
            if usedLevels.last != levels[fence] { usedLevels.append(levels[fence]) }
            for level in usedLevels {
                for cell in self.cells(of: boxes[fence], level: level) {
                    for other in cells[cell] ?? [] where seen[Int(other)] != Int32(fence) {
                        seen[Int(other)] = Int32(fence)
                        comparisons -= 1
                        guard comparisons > 0, edges > 0 else { return false }
                        let pair = (min(Int(other), fence), max(Int(other), fence))
                        guard boxes[pair.0].intersects(boxes[pair.1]) else { continue }
                        if overlap(fences[pair.0].shape, fences[pair.1].shape, &edges) { body(pair.0, pair.1) }
                    }
                }
            }
            for cell in self.cells(of: boxes[fence], level: levels[fence]) { cells[cell, default: []].append(Int32(fence)) }
        }
        return true
    }

    // MARK: Cells

    /// The level whose cells are as wide as the box or wider: 0 is the whole globe, each level half the previous one.
    private static func level(_ box: BoundingBox) -> Int {
        let size = max(box.widthDegrees, box.northDegrees - box.southDegrees, 1e-5)
        return -max(0, min(24, Int((360 / size).exponent)))
    }

    /// The cells that a box lies in: at most four of its own level.
    private static func cells(of box: BoundingBox, level: Int) -> [Cell] {
        let count = Int32(1) << Int32(-level)
        let size = 360 / Double(count)
        let (west, south) = (((box.westDegrees + 180) / size).rounded(.down), ((box.southDegrees + 90) / size).rounded(.down))
        let (east, north) = (
            ((box.westDegrees + 180 + box.widthDegrees) / size).rounded(.down), ((box.northDegrees + 90) / size).rounded(.down)
        )
        var cells: [Cell] = []
        for y in Int32(south)...Int32(north) {
            for x in Int32(west)...min(Int32(east), Int32(west) + count - 1) { cells.append(Cell(level: Int8(level), x: x % count, y: y)) }
        }
        return cells
    }

    // MARK: Pairs

    /// An overlap of less than this is a common border, in metres.
    private static let tolerance = 0.1

    /// Whether two shapes have an area in common.
    private static func overlap(_ one: FenceShape, _ other: FenceShape, _ edges: inout Int) -> Bool {
        let (first, second) = (Outline(one), Outline(other))
        edges -= first.places.count + second.places.count
        // If two outlines do not cross, the deepest place of one in the other is a corner.
        for place in first.places where other.signedDistanceMetres(to: place) < first.reachMetres - tolerance { return true }
        for place in second.places where one.signedDistanceMetres(to: place) < second.reachMetres - tolerance { return true }
        guard first.places.count > 1, second.places.count > 1 else { return false }
        // All corners are outside: then the outlines cross, or they have nothing in common.
        let (ways, shape) = first.places.count < second.places.count ? (first.ways, other) : (second.ways, one)
        edges -= ways.count
        return ways.contains { way in
            guard let crossing = shape.crossing(way) else { return false }
            // Edges that lie on each other only touch.
            return crossing.last > crossing.first
                && shape.signedDistanceMetres(to: way.place((crossing.first + crossing.last) / 2)) < -tolerance
        }
    }

    /// The corners of a shape, and how far its area reaches beyond them.
    private struct Outline {
        var places: [Coordinate]
        var reachMetres: Double
        private var rings: [[Coordinate]]

        init(_ shape: FenceShape) {
            switch shape {
            case .circle(let circle):
                (rings, reachMetres) = ([[circle.centre]], circle.radiusMetres)
            case .polygons(let polygon):
                (rings, reachMetres) = (polygon.corners, 0)
            case .corridor(let line, let halfWidth):
                (rings, reachMetres) = (line.corners, halfWidth)
            }
            places = Array(rings.joined())
        }

        var ways: [LonLatEdge] {
            rings.flatMap { ring in ring.indices.dropLast().map { LonLatEdge(from: ring[$0], to: ring[$0 + 1]) } }
        }
    }
}
