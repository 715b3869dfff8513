/// A packed R-tree over boxes in space, built once: 16 boxes to a node, in the order of a space-filling curve.
///
/// - Source: Kamel and Faloutsos, On packing R-trees (1993), with the curve of Morton in place of Hilbert's.
/// - Cost: 38 bytes an entry; building takes a sort.
struct FenceTree: Sendable {
    struct Entry: Sendable {
        var box: SpaceBox
        var slot: Int32
    }

    private static let fanOut = 16

    private(set) var slots: [Int32]
    /// The boxes of the entries, then of the nodes over them, level by level.
    private var boxes: [SpaceBox]
    /// Where each level starts in `boxes`; the last one is the end.
    private var levels: [Int]

    /// Entries in the order of the curve.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        entries.indices.map { (key: curve(entries[$0].box.middle), index: Int32($0)) }
            .sorted { ($0.key, $0.index) < ($1.key, $1.index) }
            .map { entries[Int($0.index)] }
    }

    /// A tree of entries that ``sorted(_:)`` has put in order.
    init(sorted entries: consuming [Entry]) {
        slots = entries.map(\.slot)
        boxes = entries.map(\.box)
        levels = [0, boxes.count]
        while levels[levels.count - 1] - levels[levels.count - 2] > FenceTree.fanOut {
            let (start, end) = (levels[levels.count - 2], levels[levels.count - 1])
            for first in stride(from: start, to: end, by: FenceTree.fanOut) {
                var box = SpaceBox.nothing
                for index in first..<min(first + FenceTree.fanOut, end) { box.formUnion(boxes[index]) }
                boxes.append(box)
            }
            levels.append(boxes.count)
        }
    }

    var count: Int { slots.count }

    /// The entries with their boxes.
    var entries: [Entry] { slots.indices.map { Entry(box: boxes[$0], slot: slots[$0]) } }

    /// Calls the body with the slot of every entry whose box comes within the distance, and that box's squared distance.
    @inline(__always)
    func forEach(near point: SIMD4<Float>, withinSquared limit: Float, _ body: (Int32, Float) -> Void) {
        boxes.withUnsafeBufferPointer { boxes in
            // Nodes whose boxes are near, yet to be opened: their level and their index in it. A level adds 16 at most.
            withUnsafeTemporaryAllocation(of: (level: Int, index: Int).self, capacity: FenceTree.fanOut * levels.count + 1) { open in
                open[0] = (levels.count - 1, 0)
                var depth = 1
                while depth > 0 {
                    depth &-= 1
                    let (level, index) = open[depth]
                    let start = levels[level &- 1]
                    let first = start &+ index &* FenceTree.fanOut
                    for child in first..<min(first &+ FenceTree.fanOut, levels[level]) {
                        let distance = boxes[child].distanceSquared(to: point)
                        guard distance <= limit else { continue }
                        if level == 1 {
                            body(slots[child], distance)
                        } else {
                            open[depth] = (level &- 1, child &- start)
                            depth &+= 1
                        }
                    }
                }
            }
        }
    }

    /// Appends the slots of all entries whose boxes come within the distance.
    ///
    /// Level by level, and without a branch on what a box says: reads that wait for memory wait together.
    func collect(
        near point: SIMD4<Float>, withinSquared limit: Float, into slots: inout [Int32], _ nodes: inout (open: [Int32], next: [Int32])
    ) {
        nodes.open.removeAll(keepingCapacity: true)
        nodes.open.append(0)
        for level in stride(from: levels.count - 1, to: 0, by: -1) {
            let (start, end) = (levels[level - 1], levels[level])
            nodes.next.removeAll(keepingCapacity: true)
            for node in nodes.open {
                let first = start + Int(node) * FenceTree.fanOut
                let last = min(first + FenceTree.fanOut, end)
                boxes.withUnsafeBufferPointer { boxes in
                    withUnsafeTemporaryAllocation(of: Int32.self, capacity: FenceTree.fanOut) { found in
                        var count = 0
                        for child in first..<last {
                            found[count] = Int32(truncatingIfNeeded: child &- start)
                            count &+= boxes[child].distanceSquared(to: point) <= limit ? 1 : 0
                        }
                        nodes.next.append(contentsOf: found[..<count])
                    }
                }
            }
            swap(&nodes.open, &nodes.next)
        }
        for place in nodes.open { slots.append(self.slots[Int(place)]) }
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
