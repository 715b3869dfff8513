/// Items with their boxes in a ``BorderTree``, near together in memory what is near on the Earth.
///
/// - Cost: 9 bytes an item beside itself; building takes a sort.
struct BorderItems<Item: Sendable>: Sendable {
    let tree: BorderTree
    /// In the order of the tree's boxes.
    private let items: [Item]
    /// What is too wide for a tree.
    let wide: [(box: AngleBox, item: Item)]

    /// Those items, each with its box.
    init(_ all: [Item], _ boxes: [AngleBox]) {
        wide = boxes.indices.filter { boxes[$0].width >= BorderTree.widestBox }.map { (boxes[$0], all[$0]) }
        var order: [(key: UInt64, place: Int32)] = []
        order.reserveCapacity(boxes.count)
        for place in boxes.indices where boxes[place].width < BorderTree.widestBox { order.append((boxes[place].curve, Int32(place))) }
        order.sort { ($0.key, $0.place) < ($1.key, $1.place) }
        items = order.map { all[Int($0.place)] }
        tree = BorderTree(order.count) { boxes[Int(order[$0].place)] }
    }

    var first: Item? { items.first }

    /// Calls the body with every item of some blocks of the tree: with the node over them, and with the block's memory and the item's lane.
    @inline(__always)
    func forEach(in found: [BorderTree.Found], _ body: (UnsafePointer<Item>, BorderTree.Node, UnsafeRawPointer, Int) -> Void) {
        items.withUnsafeBufferPointer { items in
            tree.nodes.withUnsafeBufferPointer { nodes in
                tree.blocks.withUnsafeBytes { blocks in
                    guard let items = items.baseAddress, let blocks = blocks.baseAddress else { return }
                    for part in found {
                        let (node, inNode) = Int(part.block).quotientAndRemainder(dividingBy: BorderTree.blocksPerNode)
                        let first = items + Int(nodes[node].first) + 8 * inNode
                        let block = blocks + Int(part.block) &* MemoryLayout<BorderBlock>.stride
                        var lanes = part.lanes
                        while lanes != 0 {
                            let lane = lanes.trailingZeroBitCount
                            body(first + lane, nodes[node], block, lane)
                            lanes &= lanes &- 1
                        }
                    }
                }
            }
        }
    }
}
