/// A node of a ``PackedTree`` over boxes of latitudes and longitudes: 32 of them, eight to a block.
///
/// A node has the boxes in it with 16 bits for each side, from a place in its middle, in units that are as small as its size allows: eight
/// boxes to a line of the cache. They are rounded outward, so that what is found may be too much, never too little. Boxes are not wider than
/// a quarter of a turn and nodes than half of one, so that nothing wraps within; the few nodes that are left at the top are all looked at.
/// - Cost: 9 bytes a box.
struct BorderNode: PackedTreeNode {
    typealias Box = AngleBox

    /// The boxes of a block that touch what is sought.
    struct Hits {
        /// 16 bits a box: zeros for a touch (``BorderBlock/misses(_:)``).
        var off: SIMD2<UInt64>
    }

    /// Eight boxes some of which touch what is sought: the place of the block, and a bit for each of those boxes, the first one's the lowest.
    struct Found {
        var block: Int32
        var lanes: UInt32
    }

    static var fanOut: Int { 32 }
    static var blocksPerNode: Int { 4 }
    static var boxesPerBlock: Int32 { 8 }
    /// A box that is wider has no place in a tree.
    static let widestBox: Int32 = 1 << 30

    /// The middle, and how many bits of a ``BinaryAngle`` its units leave out.
    let column: Int32
    let row: Int32
    let shift: Int32
    let first: Int32

    init(over whole: AngleBox, _ boxes: [AngleBox], first: Int32, _ blocks: inout [BorderBlock]) {
        let (halfWidth, halfHeight) = (whole.width / 2 + 1, whole.height / 2 + 1)
        let (column, row) = (whole.west &+ halfWidth, whole.south &+ halfHeight)
        var shift: Int32 = 0
        while max(halfWidth, halfHeight) >> shift >= 32_767 { shift += 1 }
        (self.column, self.row, self.shift, self.first) = (column, row, shift, first)
        let start = blocks.count
        blocks += Array(repeating: BorderBlock(), count: Self.blocksPerNode)
        blocks.withUnsafeMutableBytes { bytes in
            guard let memory = bytes.baseAddress?.advanced(by: start * MemoryLayout<BorderBlock>.stride) else { return }
            for (place, box) in boxes.enumerated() {
                let (west, south) = (box.west &- column, box.south &- row)
                BorderBlock.store(
                    Int16(west >> shift), Int16(south >> shift), Int16((west + box.width) >> shift),
                    Int16((south + box.height) >> shift), in: memory, at: place)
            }
        }
    }

    @inline(__always)
    var usedBlockCount: Int { Self.blocksPerNode }

    static func union(_ box: AngleBox, _ other: AngleBox) -> AngleBox? { box.union(other) }

    @inline(__always)
    func seen(_ query: AngleBox) -> BorderBlock? { query.block(column: column, row: row, shift: shift) }

    @inline(__always)
    static func hits(_ block: BorderBlock, _ sides: BorderBlock) -> Hits? {
        let off = block.misses(sides)
        return off.x & off.y != .max ? Hits(off: off) : nil
    }

    @inline(__always)
    static func forEach(_ hits: Hits, _ body: (Int) -> Void) {
        var lanes = BorderBlock.lanes(hits.off).lanes
        while lanes != 0 {
            body(lanes.trailingZeroBitCount)
            lanes &= lanes &- 1
        }
    }
}

extension PackedTree<BorderNode> {
    /// Appends the blocks with boxes that touch another one; gives the number of those boxes.
    func find(touching query: AngleBox, into found: inout [BorderNode.Found]) -> Int {
        var count = 0
        search(query) { block, _, hits in
            let touching = BorderBlock.lanes(hits.off)
            found.append(BorderNode.Found(block: Int32(truncatingIfNeeded: block), lanes: touching.lanes))
            count &+= touching.count
        }
        return count
    }
}
