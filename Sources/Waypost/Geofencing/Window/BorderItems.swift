/// Items with their boxes in a ``PackedTree``, near together in memory what is near on the Earth.
///
/// - Cost: 9 bytes an item beside itself; building takes a sort.
struct BorderItems<Item: Sendable>: Sendable {
    let tree: PackedTree<BorderNode>
    /// In the order of the tree's boxes.
    private let items: [Item]
    /// What is too wide for a tree.
    let wide: [(box: AngleBox, item: Item)]

    /// Those items, each with its box.
    init(_ all: [Item], _ boxes: [AngleBox]) {
        wide = boxes.indices.filter { boxes[$0].width >= BorderNode.widestBox }.map { (boxes[$0], all[$0]) }
        let narrow = boxes.indices.lazy.filter { boxes[$0].width < BorderNode.widestBox }
        let order = PackedTree<BorderNode>.order(narrow) { boxes[$0].curve }
        items = order.map { all[Int($0)] }
        tree = PackedTree(order.count) { boxes[Int(order[$0])] }
    }

    var first: Item? { items.first }

    /// Calls the body with every item of some blocks of the tree: with the node over them, and with the block's memory and the item's lane.
    @inline(__always)
    func forEach(in found: [BorderNode.Found], _ body: (UnsafePointer<Item>, BorderNode, UnsafeRawPointer, Int) -> Void) {
        items.withUnsafeBufferPointer { items in
            tree.nodes.withUnsafeBufferPointer { nodes in
                tree.blocks.withUnsafeBytes { blocks in
                    guard let items = items.baseAddress, let blocks = blocks.baseAddress else { return }
                    for part in found {
                        let (node, inNode) = Int(part.block).quotientAndRemainder(dividingBy: BorderNode.blocksPerNode)
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
