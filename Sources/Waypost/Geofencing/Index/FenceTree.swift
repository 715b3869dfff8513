/// The slots of fences with their boxes in space, in a ``PackedTree``: 16 boxes to a node, four to a block.
///
/// - Cost: 30 bytes an entry; building takes a sort.
struct FenceTree: Sendable {
    struct Entry: Sendable {
        var box: SpaceBox
        var slot: Int32
    }

    /// The boxes that come within a distance of a point.
    struct Query {
        var point: SIMD4<Float>
        var limitSquared: Float
    }

    struct Node: PackedTreeNode {
        struct Hits {
            var distancesSquared: SIMD4<Float>
            var limitSquared: Float
        }

        static var fanOut: Int { 16 }
        static var blocksPerNode: Int { 4 }
        static var boxesPerBlock: Int32 { 4 }

        let first: Int32
        private let blockCount: Int32

        init(over whole: SpaceBox, _ boxes: [SpaceBox], first: Int32, _ blocks: inout [SpaceBoxes]) {
            self.first = first
            blockCount = Int32((boxes.count + 3) / 4)
            for place in stride(from: 0, to: Self.fanOut, by: 4) {
                blocks.append(SpaceBoxes(boxes.dropFirst(place).prefix(4)))
            }
        }

        @inline(__always)
        var usedBlockCount: Int { Int(blockCount) }

        static func union(_ box: SpaceBox, _ other: SpaceBox) -> SpaceBox? {
            var union = box
            union.formUnion(other)
            return union
        }

        @inline(__always)
        func seen(_ query: Query) -> Query? { query }

        @inline(__always)
        static func hits(_ block: SpaceBoxes, _ query: Query) -> Hits? {
            let distances = block.distancesSquared(to: query.point)
            guard any(distances .<= query.limitSquared) else { return nil }
            return Hits(distancesSquared: distances, limitSquared: query.limitSquared)
        }

        @inline(__always)
        static func forEach(_ hits: Hits, _ body: (Int) -> Void) {
            for lane in 0..<4 where hits.distancesSquared[lane] <= hits.limitSquared { body(lane) }
        }
    }

    private let tree: PackedTree<Node>
    /// In the order of the tree's boxes.
    let slots: [Int32]

    /// Entries in the order of the curve.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        PackedTree<Node>.order(entries.indices) { entries[$0].box.curve }.map { entries[Int($0)] }
    }

    /// A tree of entries that ``sorted(_:)`` has put in order.
    init(sorted entries: consuming [Entry]) {
        slots = entries.map(\.slot)
        tree = PackedTree(entries.count) { entries[$0].box }
    }

    var count: Int { slots.count }

    /// The entries with their boxes.
    var entries: [Entry] { slots.indices.map { Entry(box: tree.blocks[$0 / 4][$0 % 4], slot: slots[$0]) } }

    /// Calls the body with the slot of every entry whose box comes within the distance, and that box's squared distance.
    @inline(__always)
    func forEach(near point: SIMD4<Float>, withinSquared limit: Float, _ body: (Int32, Float) -> Void) {
        tree.search(Query(point: point, limitSquared: limit)) { _, first, hits in
            Node.forEach(hits) { lane in body(slots[Int(first) &+ lane], hits.distancesSquared[lane]) }
        }
    }
}
