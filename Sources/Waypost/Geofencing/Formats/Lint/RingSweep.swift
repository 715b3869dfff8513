/// Finds edges of a polygon's rings that cross, and which ring lies in which.
///
/// A line sweeps over the map from west to east and keeps the edges that it cuts in order from south to north. The two edges of a
/// crossing are neighbours before it, so only neighbours are compared. The first crossing ends the search.
///
/// - Source: M. Shamos and D. Hoey, "Geometric Intersection Problems", FOCS 1976.
/// - Cost: O(n log n) steps for n edges, in whole numbers: rounding neither hides nor invents a crossing.
struct RingSweep {
    /// Where two edges meet: each begins at a point of its ring.
    struct Meeting {
        var ring: Int
        var edge: Int
        var otherRing: Int
        var otherEdge: Int
        var latitude: Double
        var longitude: Double
    }

    /// The result of a search.
    struct Result {
        var crossing: Meeting?
        /// A corner on another edge or corner that is not its neighbour in the ring; the first one found.
        var touch: Meeting?
        /// The ring that directly contains each ring, -1 for none; complete when nothing crosses.
        var parents: [Int]
    }

    private struct Edge {
        var left: LintRing.Point
        var right: LintRing.Point
        var ring: Int32
        var index: Int32
        /// Whether the ring follows it from left to right.
        var isForward: Bool
    }

    private var edges: [Edge] = []
    private var order = SweepOrder()
    private let ringSizes: [Int]
    private let isCounterClockwise: [Bool]
    private var isSeen: [Bool]
    private var result: Result

    /// Searches the rings of one polygon, none of which winds round the globe, or a single one that does.
    static func search(_ rings: [LintRing]) -> Result {
        guard let outer = rings.first else { return Result(parents: []) }
        var sweep = RingSweep([outer] + rings.dropFirst().map { $0.shifted(to: outer) })
        sweep.run()
        return sweep.result
    }

    private init(_ rings: [LintRing]) {
        ringSizes = rings.map(\.points.count)
        isCounterClockwise = rings.map { $0.doubledArea > 0 }
        isSeen = rings.map { _ in false }
        result = Result(parents: rings.map { _ in -1 })
        edges.reserveCapacity(ringSizes.reduce(0, +))
        for (number, ring) in rings.enumerated() {
            for (index, point) in ring.points.enumerated() {
                let next = ring.points[index + 1 < ring.points.count ? index + 1 : 0]
                guard point != next else { continue }
                edges.append(
                    Edge(
                        left: min(point, next), right: max(point, next), ring: Int32(number), index: Int32(index),
                        isForward: point < next))
            }
        }
    }

    private mutating func run() {
        // At one place, ends come before beginnings, so that an edge is never present together with those it follows.
        let starts = edges.indices.sorted { edges[$0].left < edges[$1].left }
        let ends = edges.indices.sorted { edges[$0].right < edges[$1].right }
        var next = 0
        for end in ends {
            while next < starts.count, edges[starts[next]].left < edges[end].right {
                begin(starts[next])
                next += 1
                if result.crossing != nil { return }
            }
            finish(end)
            if result.crossing != nil { return }
        }
        if result.touch == nil { result.touch = commonCorner() }
    }

    /// A place that is twice a corner of a ring; edges that only end there never become neighbours of those that only begin there.
    private func commonCorner() -> Meeting? {
        func corner(_ edge: Edge) -> LintRing.Point { edge.isForward ? edge.left : edge.right }
        let sorted = edges.sorted { (corner($0), $0.ring) < (corner($1), $1.ring) }
        for (one, other) in zip(sorted, sorted.dropFirst()) where one.ring == other.ring && corner(one) == corner(other) {
            return meeting(one, other, at: (Double(corner(one).x), Double(corner(one).y)))
        }
        return nil
    }

    private mutating func begin(_ edge: Int) {
        let edges = edges
        let (below, above) = order.insert(Int32(edge)) { RingSweep.isBelow($0, $1, edges) }
        let ring = Int(edges[edge].ring)
        if !isSeen[ring] {
            isSeen[ring] = true
            if let below { result.parents[ring] = container(above: Int(below)) }
        }
        if let below { compare(Int(below), edge) }
        if let above { compare(edge, Int(above)) }
    }

    private mutating func finish(_ edge: Int) {
        let edges = edges
        let (below, above) = order.remove(Int32(edge)) { RingSweep.isBelow($0, $1, edges) }
        if let below, let above { compare(Int(below), Int(above)) }
    }

    /// The innermost ring that contains the places just above an edge.
    private func container(above edge: Int) -> Int {
        let ring = Int(edges[edge].ring)
        return edges[edge].isForward == isCounterClockwise[ring] ? ring : result.parents[ring]
    }

    /// Whether the first edge is cut further south than the second; the line cuts both at once.
    private static func isBelow(_ first: Int32, _ second: Int32, _ edges: [Edge]) -> Bool {
        let (one, other) = (edges[Int(first)], edges[Int(second)])
        // The edge that begins later is compared with the line of the other one.
        if !(other.left < one.left) {
            var side = other.left.side(from: one.left, to: one.right)
            if side == 0 { side = other.right.side(from: one.left, to: one.right) }
            return side == 0 ? first < second : side > 0
        }
        var side = one.left.side(from: other.left, to: other.right)
        if side == 0 { side = one.right.side(from: other.left, to: other.right) }
        return side == 0 ? first < second : side < 0
    }

    /// Compares two edges.
    private mutating func compare(_ first: Int, _ second: Int) {
        let (one, other) = (edges[first], edges[second])
        if one.ring == other.ring {
            let distance = abs(Int(one.index) - Int(other.index))
            if distance == 1 || distance == ringSizes[Int(one.ring)] - 1 { return }
        }
        let (a, b) = (other.left.side(from: one.left, to: one.right), other.right.side(from: one.left, to: one.right))
        let (c, d) = (one.left.side(from: other.left, to: other.right), one.right.side(from: other.left, to: other.right))
        if a * b < 0, c * d < 0 {
            result.crossing = meeting(one, other, at: RingSweep.crossing(one, other))
        } else if result.touch == nil, let corner = RingSweep.touch(one, other, a, b, c, d) {
            result.touch = meeting(one, other, at: (Double(corner.x), Double(corner.y)))
        }
    }

    /// The end of one edge that lies on the other edge.
    private static func touch(_ one: Edge, _ other: Edge, _ a: Int, _ b: Int, _ c: Int, _ d: Int) -> LintRing.Point? {
        func isWithin(_ point: LintRing.Point, _ edge: Edge) -> Bool { !(point < edge.left) && !(edge.right < point) }
        if a == 0, isWithin(other.left, one) { return other.left }
        if b == 0, isWithin(other.right, one) { return other.right }
        if c == 0, isWithin(one.left, other) { return one.left }
        if d == 0, isWithin(one.right, other) { return one.right }
        return nil
    }

    private static func crossing(_ one: Edge, _ other: Edge) -> (x: Double, y: Double) {
        let (east, north) = (Double(one.right.x - one.left.x), Double(one.right.y - one.left.y))
        let (otherEast, otherNorth) = (Double(other.right.x - other.left.x), Double(other.right.y - other.left.y))
        let cross = east * otherNorth - north * otherEast
        let (offEast, offNorth) = (Double(other.left.x - one.left.x), Double(other.left.y - one.left.y))
        let share = cross == 0 ? 0 : (offEast * otherNorth - offNorth * otherEast) / cross
        return (Double(one.left.x) + share * east, Double(one.left.y) + share * north)
    }

    private func meeting(_ one: Edge, _ other: Edge, at place: (x: Double, y: Double)) -> Meeting {
        let (first, second) = (one.ring, one.index) < (other.ring, other.index) ? (one, other) : (other, one)
        return Meeting(
            ring: Int(first.ring), edge: Int(first.index), otherRing: Int(second.ring), otherEdge: Int(second.index),
            latitude: place.y / 1e9, longitude: (place.x / 1e9).wrappedDegrees)
    }
}

/// Numbers in an order defined only by comparisons, in blocks of a few hundred: neighbours are at hand, and little moves.
private struct SweepOrder {
    private static let fullBlock = 512

    private var blocks: [[Int32]] = []

    /// Inserts a number; returns the numbers directly below and above it.
    mutating func insert(_ number: Int32, _ isBelow: (Int32, Int32) -> Bool) -> (below: Int32?, above: Int32?) {
        guard !blocks.isEmpty else {
            blocks = [[number]]
            return (nil, nil)
        }
        let (block, place) = position(of: number, isBelow)
        blocks[block].insert(number, at: place)
        let neighbours = self.neighbours(block, place)
        if blocks[block].count > SweepOrder.fullBlock {
            let half = SweepOrder.fullBlock / 2
            blocks.insert(Array(blocks[block][half...]), at: block + 1)
            blocks[block].removeSubrange(half...)
        }
        return neighbours
    }

    /// Removes a number; returns the numbers that were directly below and above it.
    mutating func remove(_ number: Int32, _ isBelow: (Int32, Int32) -> Bool) -> (below: Int32?, above: Int32?) {
        var (block, place) = position(of: number, isBelow)
        if block >= blocks.count || place >= blocks[block].count || blocks[block][place] != number {
            // The first place of a block belongs to the end of the previous one.
            let next = block + 1
            if next < blocks.count, blocks[next].first == number {
                (block, place) = (next, 0)
            } else if let found = search(number) {
                (block, place) = found
            } else {
                return (nil, nil)
            }
        }
        let neighbours = self.neighbours(block, place)
        blocks[block].remove(at: place)
        if blocks[block].isEmpty { blocks.remove(at: block) }
        return neighbours
    }

    /// The place after every number that is below.
    private func position(of number: Int32, _ isBelow: (Int32, Int32) -> Bool) -> (block: Int, place: Int) {
        let next = SweepOrder.firstIndex(blocks.count) { !isBelow(blocks[$0][0], number) }
        let block = max(next - 1, 0)
        guard block < blocks.count else { return (0, 0) }
        return (block, SweepOrder.firstIndex(blocks[block].count) { !isBelow(blocks[block][$0], number) })
    }

    /// The place of a number that comparisons do not find, as among edges that lie on each other.
    private func search(_ number: Int32) -> (block: Int, place: Int)? {
        for block in blocks.indices {
            if let place = blocks[block].firstIndex(of: number) { return (block, place) }
        }
        return nil
    }

    private func neighbours(_ block: Int, _ place: Int) -> (below: Int32?, above: Int32?) {
        let below = place > 0 ? blocks[block][place - 1] : (block > 0 ? blocks[block - 1].last : nil)
        let above = place + 1 < blocks[block].count ? blocks[block][place + 1] : (block + 1 < blocks.count ? blocks[block + 1].first : nil)
        return (below, above)
    }

    /// The first index up to a count for which the condition holds; it must hold for all later ones.
    private static func firstIndex(_ count: Int, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
