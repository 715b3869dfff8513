/// The ways, cut at junctions.
struct RoadEdges {
    struct Edge {
        /// Nodes of the file.
        var from, to: Int
        var way: Int
        /// The places between the two nodes.
        var shape: [RoadPlace]
        var length: Int
    }

    /// A node at which edges meet.
    struct Node {
        var place: RoadPlace
        var closed: UInt8
        /// Its index among the nodes of ways.
        var source: Int
    }

    var nodes: [Node] = []
    var edges: [Edge] = []
    /// For each node the first edge that begins there, and one more at the end.
    private(set) var firstEdges: [Int] = []
    /// For each node the edges that end there.
    private(set) var arrivals: [[UInt32]] = []
    private(set) var grid = RoadGrid(south: 0, west: 0, north: 0, east: 0)
    private(set) var box: (south: Int32, west: Int32, north: Int32, east: Int32) = (0, 0, 0, 0)

    /// A shape may leave out places that are this close to the line without them.
    private static let shapeMetres = 0.4

    init(_ builder: borrowing RoadFileBuilder) {
        wayNumbers = builder.ways.map(\.number)
        let isJunction = RoadEdges.junctions(builder)
        var nodeOf: [Int: Int] = [:]
        for way in 0..<builder.ways.count {
            var start: Int?
            var shape: [RoadPlace] = []
            var last: RoadPlace?
            for reference in builder.firstReferences[way]..<builder.firstReferences[way + 1] {
                let source = Int(builder.references[reference])
                guard let place = builder.places[source], RoadEdges.isNear(last, place) else {
                    (start, shape, last) = (nil, [], nil)
                    // Beyond a jump a new piece begins here.
                    if let place = builder.places[source] {
                        last = place
                        start = node(source, place, builder, &nodeOf)
                    }
                    continue
                }
                if place == last, !isJunction[source] { continue }
                last = place
                guard let begin = start else {
                    start = node(source, place, builder, &nodeOf)
                    continue
                }
                guard isJunction[source] else {
                    shape.append(place)
                    continue
                }
                let end = node(source, place, builder, &nodeOf)
                append(from: begin, to: end, way: way, shape: shape)
                (start, shape) = (end, [])
            }
        }
    }

    /// Whether a node ends an edge: it ends a piece of a way, is on a way twice or on several, or not every mode can pass.
    private static func junctions(_ builder: borrowing RoadFileBuilder) -> [Bool] {
        var uses = [UInt8](repeating: 0, count: builder.numbers.count)
        for way in 0..<builder.ways.count {
            var last: Int?
            let range = builder.firstReferences[way]..<builder.firstReferences[way + 1]
            for reference in range {
                let source = Int(builder.references[reference])
                guard let place = builder.places[source] else {
                    if let last { uses[last] = 2 }
                    last = nil
                    continue
                }
                let isNear = last.map { RoadEdges.isNear(builder.places[$0], place) } ?? false
                if let last, !isNear { uses[last] = 2 }
                let isEnd = last == nil || !isNear || reference == range.upperBound - 1 || builder.closed[source] != 0
                if source != last { uses[source] = isEnd ? 2 : min(uses[source] + 1, 2) }
                if isEnd { uses[source] = 2 }
                last = source
            }
        }
        return uses.map { $0 >= 2 }
    }

    private static func isNear(_ last: RoadPlace?, _ place: RoadPlace) -> Bool {
        guard let last else { return true }
        return abs(Int64(last.longitude) - Int64(place.longitude)) < Int64(180 * RoadPlace.unitsPerDegree)
    }

    private mutating func node(
        _ source: Int, _ place: RoadPlace, _ builder: borrowing RoadFileBuilder, _ nodeOf: inout [Int: Int]
    ) -> Int {
        if let node = nodeOf[source] { return node }
        nodes.append(Node(place: place, closed: builder.closed[source], source: source))
        nodeOf[source] = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func append(from: Int, to: Int, way: Int, shape: [RoadPlace]) {
        let places = [nodes[from].place] + shape + [nodes[to].place]
        let decimetres = (RoadPlane.metres(along: places) * 10).rounded()
        if from == to, shape.isEmpty { return }
        edges.append(
            Edge(
                from: from, to: to, way: way, shape: RoadEdges.simplified(places),
                length: max(1, min(Int(decimetres), RoadFileLayout.greatestLength))))
    }

    /// The places between the ends that the shape needs.
    ///
    /// - Source: D. H. Douglas and T. K. Peucker, Algorithms for the reduction of the number of points (1973).
    private static func simplified(_ places: [RoadPlace]) -> [RoadPlace] {
        guard places.count > 2 else { return [] }
        let plane = RoadPlane(around: places[0])
        let points = places.map { plane.point($0) }
        var isKept = [Bool](repeating: false, count: places.count)
        var spans = [(0, places.count - 1)]
        while let (first, last) = spans.popLast() {
            var farthest = shapeMetres
            var middle: Int?
            for index in first + 1..<max(last, first + 1) {
                let distance = RoadShape.metres(from: points[index], toLine: points[first], points[last])
                if distance > farthest { (farthest, middle) = (distance, index) }
            }
            guard let middle else { continue }
            isKept[middle] = true
            spans.append((first, middle))
            spans.append((middle, last))
        }
        return places.indices.filter { isKept[$0] }.map { places[$0] }
    }

    // MARK: Order

    /// Orders nodes by cell and edges by node, so that what is near in the world is near in the file, and notes which edges each node has.
    mutating func sort() {
        var places = nodes.map(\.place)
        for edge in edges { places += edge.shape }
        box = places.reduce((.max, .max, .min, .min)) {
            (min($0.0, $1.latitude), min($0.1, $1.longitude), max($0.2, $1.latitude), max($0.3, $1.longitude))
        }
        grid = RoadGrid(south: box.south, west: box.west, north: box.north, east: box.east)

        let order = nodes.indices.map { (grid.cell(nodes[$0].place), $0) }.sorted { $0 < $1 }.map(\.1)
        var numberOf = [Int](repeating: 0, count: nodes.count)
        for (number, node) in order.enumerated() { numberOf[node] = number }
        nodes = order.map { nodes[$0] }
        for index in edges.indices {
            edges[index].from = numberOf[edges[index].from]
            edges[index].to = numberOf[edges[index].to]
        }
        let edgeOrder = edges.indices.sorted { (edges[$0].from, edges[$0].to, $0) < (edges[$1].from, edges[$1].to, $1) }
        edges = edgeOrder.map { edges[$0] }

        firstEdges = [Int](repeating: 0, count: nodes.count + 1)
        arrivals = [[UInt32]](repeating: [], count: nodes.count)
        for (number, edge) in edges.enumerated() {
            firstEdges[edge.from + 1] += 1
            if arrivals[edge.to].count < RoadFileLayout.greatestArrivalCount { arrivals[edge.to].append(UInt32(number)) }
        }
        for node in nodes.indices { firstEdges[node + 1] += firstEdges[node] }
    }

    /// The arcs that leave a node.
    private func leavingArcs(_ node: Int) -> [UInt32] {
        (firstEdges[node]..<firstEdges[node + 1]).map { UInt32($0 * 2) } + arrivals[node].map { $0 * 2 + 1 }
    }

    // MARK: Restrictions

    /// A pair of arcs that may not follow each other, and the modes for which that is so.
    struct Turn: Hashable {
        var from, to: UInt32
        var modes: UInt32
    }

    /// What the restrictions forbid, in order.
    func forbiddenTurns(_ restrictions: [TurnRestriction], nodes numbers: [Int64]) -> [Turn] {
        var nodeOf: [Int64: Int] = [:]
        let vias = Set(restrictions.map(\.via))
        for (index, node) in nodes.enumerated() where vias.contains(numbers[node.source]) { nodeOf[numbers[node.source]] = index }
        var modesOf: [UInt64: UInt32] = [:]
        for restriction in restrictions {
            guard let node = nodeOf[restriction.via] else { continue }
            let leaving = leavingArcs(node)
            let modes = restriction.modes.reduce(0) { $0 | $1.closedBit }
            let allowed = leaving.filter { wayNumbers[edges[Int($0 / 2)].way] == restriction.to }
            guard !allowed.isEmpty else { continue }
            // The arc that comes in is the other direction of one that leaves.
            for from in leaving.filter({ wayNumbers[edges[Int($0 / 2)].way] == restriction.from }).map({ $0 ^ 1 }) {
                for to in leaving {
                    let isNamed = allowed.contains(to)
                    let isBack = to == from ^ 1
                    let isForbidden = restriction.isOnly ? !isNamed && !isBack : isNamed && (isBack == restriction.isUTurn || !isBack)
                    if isForbidden { modesOf[UInt64(from) << 32 | UInt64(to), default: 0] |= modes }
                }
            }
        }
        return modesOf.keys.sorted().map { Turn(from: UInt32($0 >> 32), to: UInt32(truncatingIfNeeded: $0), modes: modesOf[$0] ?? 0) }
    }

    /// The numbers of the ways in the map.
    var wayNumbers: [Int64] = []
}
