/// A packed R-tree over boxes of latitudes and longitudes, built once: 32 boxes to a node, in the order of a space-filling curve.
///
/// A node has the boxes in it with 16 bits for each side, from a place in its middle, in units that are as small as its size allows: eight
/// boxes to a line of the cache. They are rounded outward, so that what is found may be too much, never too little. Boxes are not wider than
/// a quarter of a turn and nodes than half of one, so that nothing wraps within; the few nodes that are left at the top are all looked at.
/// - Source: Kamel and Faloutsos, On packing R-trees (1993), with the curve of Morton in place of Hilbert's.
/// - Cost: 9 bytes a box; building takes a sort.
struct BorderTree: Sendable {
    /// Eight boxes some of which touch what is sought: the place of the block, and a bit for each of those boxes, the first one's the lowest.
    struct Found {
        var block: Int32
        var lanes: UInt32
    }

    /// What the units of a node are, and what is in it.
    struct Node: Sendable {
        /// The middle, and how many bits of a ``BinaryAngle`` its units leave out.
        var column: Int32
        var row: Int32
        var shift: Int32
        /// The first of the nodes or boxes in it.
        var first: Int32
    }

    /// Level by level, the one over the boxes first.
    private(set) var nodes: [Node] = []
    private(set) var blocks: [BorderBlock] = []
    /// How many nodes are over boxes, and where those start that every search looks at.
    private var leafCount = 0
    private var top = 0

    private static let fanOut = 32
    /// What a search has room for: 32 nodes a level are open at most, beside those at the top.
    private static let mostLevels = 8
    static let blocksPerNode = 4
    /// A box that is wider has no place in a tree.
    static let widestBox: Int32 = 1 << 30

    /// A tree of boxes in the order of their ``AngleBox/curve``.
    init(_ count: Int, _ box: (Int) -> AngleBox) {
        var above = addLevel(count, from: 0, box)
        leafCount = nodes.count
        var levelCount = 1
        while above.count > 1, levelCount < Self.mostLevels {
            levelCount += 1
            let (level, start) = (above, top)
            top = nodes.count
            above = addLevel(level.count, from: start) { level[$0] }
            // What lies all round the globe is not put together.
            if 2 * above.count > level.count { break }
        }
    }

    /// Keeps a level of boxes, and gives those of the nodes over them.
    private mutating func addLevel(_ count: Int, from start: Int, _ box: (Int) -> AngleBox) -> [AngleBox] {
        var above: [AngleBox] = []
        var first = 0
        while first < count {
            var whole = box(first)
            var next = first + 1
            while next < min(first + Self.fanOut, count), let union = whole.union(box(next)) {
                whole = union
                next += 1
            }
            add(whole, first: start + first, (first..<next).map(box))
            above.append(whole)
            first = next
        }
        return above
    }

    private mutating func add(_ whole: AngleBox, first: Int, _ boxes: [AngleBox]) {
        let (halfWidth, halfHeight) = (whole.width / 2 + 1, whole.height / 2 + 1)
        var node = Node(column: whole.west &+ halfWidth, row: whole.south &+ halfHeight, shift: 0, first: Int32(first))
        while max(halfWidth, halfHeight) >> node.shift >= 32_767 { node.shift += 1 }
        nodes.append(node)
        let start = blocks.count
        blocks += Array(repeating: BorderBlock(), count: Self.blocksPerNode)
        blocks.withUnsafeMutableBytes { bytes in
            guard let memory = bytes.baseAddress?.advanced(by: start * MemoryLayout<BorderBlock>.stride) else { return }
            for (place, box) in boxes.enumerated() {
                let (west, south) = (box.west &- node.column, box.south &- node.row)
                BorderBlock.store(
                    Int16(west >> node.shift), Int16(south >> node.shift), Int16((west + box.width) >> node.shift),
                    Int16((south + box.height) >> node.shift), in: memory, at: place)
            }
        }
    }

    /// Appends the blocks with boxes that touch another one; gives the number of those boxes.
    func find(touching query: AngleBox, into found: inout [Found]) -> Int {
        var count = 0
        // Nodes whose boxes touch it, yet to be opened; the ones at the top first.
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: nodes.count - top + Self.mostLevels * Self.fanOut) { open in
            var depth = 0
            while top + depth < nodes.count {
                open[depth] = Int32(top + depth)
                depth += 1
            }
            nodes.withUnsafeBufferPointer { nodes in
                blocks.withUnsafeBufferPointer { blocks in
                    while depth > 0 {
                        depth &-= 1
                        let number = Int(open[depth])
                        let node = nodes[number]
                        guard let sides = query.block(column: node.column, row: node.row, shift: node.shift) else { continue }
                        var block = number &* Self.blocksPerNode
                        var child = node.first
                        for _ in 0..<Self.blocksPerNode {
                            let off = blocks[block].misses(sides)
                            if off.x & off.y != .max {
                                let touching = BorderBlock.lanes(off)
                                if number < leafCount {
                                    found.append(Found(block: Int32(truncatingIfNeeded: block), lanes: touching.lanes))
                                    count &+= touching.count
                                } else {
                                    var lanes = touching.lanes
                                    while lanes != 0 {
                                        open[depth] = child &+ Int32(truncatingIfNeeded: lanes.trailingZeroBitCount)
                                        depth &+= 1
                                        lanes &= lanes &- 1
                                    }
                                }
                            }
                            block &+= 1
                            child &+= 8
                        }
                    }
                }
            }
        }
        return count
    }
}
