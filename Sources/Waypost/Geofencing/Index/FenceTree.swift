/// A packed R-tree over boxes in space, built once: 16 boxes to a node, in the order of a space-filling curve.
///
/// - Source: Kamel and Faloutsos, On packing R-trees (1993), with the curve of Morton in place of Hilbert's.
/// - Cost: 30 bytes an entry; building takes a sort.
struct FenceTree: Sendable {
    struct Entry: Sendable {
        var box: SpaceBox
        var slot: Int32
    }

    private static let fanOut = 16

    private(set) var slots: [Int32]
    /// The boxes of the entries, then of the nodes over them, level by level; each level begins with a new four.
    private var boxes: [SpaceBoxes] = []
    /// How many boxes each level has, and where its fours start.
    private var levels: [(count: Int, start: Int)] = []

    /// Entries in the order of the curve.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        entries.indices.map { (key: curve(entries[$0].box.middle), index: Int32($0)) }
            .sorted { ($0.key, $0.index) < ($1.key, $1.index) }
            .map { entries[Int($0.index)] }
    }

    /// A tree of entries that ``sorted(_:)`` has put in order.
    init(sorted entries: consuming [Entry]) {
        slots = entries.map(\.slot)
        boxes.reserveCapacity((entries.count * 17 / 16 + 16) / 4)
        // The first level from the entries as they are: a copy of their boxes would be the peak of all.
        var above = addLevel(entries.count) { entries[$0].box }
        while above.count > 1 {
            let level = above
            above = addLevel(level.count) { level[$0] }
        }
    }

    /// Keeps a level of boxes four by four, and gives the boxes of the level above it.
    private mutating func addLevel(_ count: Int, _ box: (Int) -> SpaceBox) -> [SpaceBox] {
        levels.append((count, boxes.count))
        var above = [SpaceBox](repeating: .nothing, count: (count + FenceTree.fanOut - 1) / FenceTree.fanOut)
        for first in stride(from: 0, to: count, by: 4) {
            let four = (first..<min(first + 4, count)).map(box)
            boxes.append(SpaceBoxes(four[...]))
            for box in four { above[first / FenceTree.fanOut].formUnion(box) }
        }
        return above
    }

    var count: Int { slots.count }

    /// The entries with their boxes.
    var entries: [Entry] { slots.indices.map { Entry(box: boxes[$0 / 4][$0 % 4], slot: slots[$0]) } }

    /// Calls the body with the slot of every entry whose box comes within the distance, and that box's squared distance.
    @inline(__always)
    func forEach(near point: SIMD4<Float>, withinSquared limit: Float, _ body: (Int32, Float) -> Void) {
        boxes.withUnsafeBufferPointer { boxes in
            // Nodes whose boxes are near, yet to be opened: their level and their index in it. A level adds 16 at most.
            withUnsafeTemporaryAllocation(of: (level: Int, index: Int).self, capacity: FenceTree.fanOut * (levels.count + 1) + 1) { open in
                open[0] = (levels.count, 0)
                var depth = 1
                while depth > 0 {
                    depth &-= 1
                    let (level, index) = (open[depth].level &- 1, open[depth].index)
                    let (count, start) = levels[level]
                    let first = index &* FenceTree.fanOut
                    for four in stride(from: first, to: min(first &+ FenceTree.fanOut, count), by: 4) {
                        let distances = boxes[start &+ four / 4].distancesSquared(to: point)
                        guard any(distances .<= limit) else { continue }
                        for lane in 0..<4 where distances[lane] <= limit {
                            if level == 0 {
                                body(slots[four &+ lane], distances[lane])
                            } else {
                                open[depth] = (level, four &+ lane)
                                depth &+= 1
                            }
                        }
                    }
                }
            }
        }
    }

    /// The place of a point on the curve of Morton: the bits of its three coordinates in turn, 12 m to a step.
    private static func curve(_ point: SIMD4<Float>) -> UInt64 {
        func spread(_ value: Float) -> UInt64 {
            // 2^20 steps from -6 400 km to 6 400 km.
            var bits = UInt64(max(0, min(1_048_575, (Double(value) + 6.4e6) / 12.8e6 * 1_048_576)))
            bits = (bits | bits << 32) & 0x1F_0000_0000_FFFF
            bits = (bits | bits << 16) & 0x1F_0000_FF00_00FF
            bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
            bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
            bits = (bits | bits << 2) & 0x1249_2492_4924_9249
            return bits
        }
        return spread(point.x) | spread(point.y) << 1 | spread(point.z) << 2
    }
}
