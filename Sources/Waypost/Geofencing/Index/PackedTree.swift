/// A packed R-tree, built once from boxes in the order of a space-filling curve.
///
/// What its boxes are, how a node keeps them and what is looked for are the node's. A node's boxes lie in blocks, each of which is compared
/// as a whole; the boxes of a leaf are numbered as they were given.
/// - Source: Kamel and Faloutsos, On packing R-trees (1993), with the curve of Morton in place of Hilbert's.
struct PackedTree<Node: PackedTreeNode>: Sendable {
    /// Level by level, the leaves first.
    private(set) var nodes: [Node] = []
    /// The same number for each node, in its order.
    private(set) var blocks: [Node.Block] = []
    /// How many nodes are leaves, and where those start that every search looks at.
    private var leafCount = 0
    private var top = 0

    /// What a search has room for: the boxes of a node are open at each level at most, beside the nodes at the top.
    private static var mostLevels: Int { 8 }

    /// A tree of that many boxes, given in the order of the curve.
    init(_ count: Int, _ box: (Int) -> Node.Box) {
        let leafCount = (count + Node.fanOut - 1) / Node.fanOut
        blocks.reserveCapacity((leafCount * 17 / 16 + 1) * Node.blocksPerNode)
        // The first level from the boxes as they are: a copy of them would be the peak of all.
        var above = addLevel(count, from: 0, box)
        self.leafCount = nodes.count
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

    /// Numbers in the order of their places on the curve.
    static func order(_ numbers: some Sequence<Int>, along curve: (Int) -> UInt64) -> [Int32] {
        numbers.map { (key: curve($0), number: Int32($0)) }.sorted { ($0.key, $0.number) < ($1.key, $1.number) }.map(\.number)
    }

    /// Keeps a level of boxes, and gives those of the nodes over them.
    private mutating func addLevel(_ count: Int, from start: Int, _ box: (Int) -> Node.Box) -> [Node.Box] {
        var above: [Node.Box] = []
        var first = 0
        while first < count {
            var whole = box(first)
            var next = first + 1
            while next < min(first + Node.fanOut, count), let union = Node.union(whole, box(next)) {
                whole = union
                next += 1
            }
            nodes.append(Node(over: whole, (first..<next).map(box), first: Int32(start + first), &blocks))
            above.append(whole)
            first = next
        }
        return above
    }

    /// Calls the body with every block of a leaf in which there are hits: its place, the number of its first box, and the hits.
    @inline(__always)
    func search(_ query: Node.Query, _ body: (_ block: Int, _ first: Int32, _ hits: Node.Hits) -> Void) {
        // Nodes that may have hits, yet to be opened; the ones at the top first.
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: nodes.count - top + Self.mostLevels * Node.fanOut) { open in
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
                        guard let seen = node.seen(query) else { continue }
                        var block = number &* Node.blocksPerNode
                        var first = node.first
                        for _ in 0..<node.usedBlockCount {
                            if let hits = Node.hits(blocks[block], seen) {
                                if number < leafCount {
                                    body(block, first, hits)
                                } else {
                                    Node.forEach(hits) { lane in
                                        open[depth] = first &+ Int32(truncatingIfNeeded: lane)
                                        depth &+= 1
                                    }
                                }
                            }
                            block &+= 1
                            first &+= Node.boxesPerBlock
                        }
                    }
                }
            }
        }
    }
}

/// What a ``PackedTree`` is made of: some boxes, the blocks in which they lie, and what is looked for among them.
protocol PackedTreeNode: Sendable {
    associatedtype Box
    associatedtype Block: Sendable
    associatedtype Query
    /// What is looked for, as a node sees it.
    associatedtype Seen
    /// What was found in a block; never nothing.
    associatedtype Hits

    /// The most boxes in a node.
    static var fanOut: Int { get }
    /// How many blocks each node has, used or not.
    static var blocksPerNode: Int { get }
    static var boxesPerBlock: Int32 { get }

    /// A node over those boxes, which it appends to the blocks.
    init(over whole: Box, _ boxes: [Box], first: Int32, _ blocks: inout [Block])
    /// The number of its first box: of a leaf as they were given, else of the nodes.
    var first: Int32 { get }
    /// How many of its blocks have boxes.
    var usedBlockCount: Int { get }
    /// The least box that holds both; nil when there is none.
    static func union(_ box: Box, _ other: Box) -> Box?
    /// Nil when there can be no hit in the node.
    func seen(_ query: Query) -> Seen?
    /// Nil when there are none.
    static func hits(_ block: Block, _ seen: Seen) -> Hits?
    /// Calls the body with each box of a block that was hit, by its place there.
    static func forEach(_ hits: Hits, _ body: (Int) -> Void)
}
