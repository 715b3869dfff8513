/// The borders of the fences of an index, tree by tree: what its ``BorderWindow``s are filled from.
///
/// With ``BorderWindow`` this is all that the rest knows of this folder. It is made for `exact` only, and no other rule pays for it.
/// - Cost: 25 bytes a group of edges, 49 a circle; a tree takes a sort.
struct FenceBorders: Sendable {
    private var trees: [BorderPieces?] = []

    /// Keeps the borders of the fences in those slots for the tree at a place, in the place of those before; nil for none.
    mutating func plant(_ slots: [Int32]?, at place: Int, _ figures: [FenceFigure], box: (Int32) -> BoundingBox) {
        while trees.count <= place { trees.append(nil) }
        trees[place] = slots.map { BorderPieces($0, figures, box: box) }
    }

    /// Forgets the borders of the tree at a place.
    mutating func uproot(at place: Int) {
        if place < trees.count { trees[place] = nil }
    }

    /// Adds to a window what may lead through its frame.
    func fill(_ window: inout BorderWindow) {
        for case let pieces? in trees { window.add(pieces) }
    }
}
