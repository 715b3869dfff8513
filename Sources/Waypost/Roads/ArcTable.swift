/// Numbers for arcs: a hash table that is emptied at once, and so is used again and again.
struct ArcTable {
    private struct Slot {
        var arc: UInt32
        var round: UInt32
        var value: Int32
    }

    private var slots: [Slot]
    private var round: UInt32 = 1
    private(set) var count = 0

    init(capacity: Int = 64) {
        slots = Array(repeating: Slot(arc: 0, round: 0, value: 0), count: max(capacity, 8).roundedUpToPowerOfTwo)
    }

    mutating func removeAll() {
        count = 0
        round &+= 1
        guard round == 0 else { return }
        for index in slots.indices { slots[index].round = 0 }
        round = 1
    }

    @inline(__always)
    private static func hash(_ arc: UInt32) -> Int { Int(truncatingIfNeeded: (UInt64(arc) &* 0x9E37_79B9_7F4A_7C15) >> 32) }

    subscript(arc: RoadArc) -> Int? {
        @inline(__always) get {
            let mask = slots.count &- 1
            var index = ArcTable.hash(arc.raw) & mask
            while slots[index].round == round {
                if slots[index].arc == arc.raw { return Int(slots[index].value) }
                index = (index &+ 1) & mask
            }
            return nil
        }
    }

    /// Adds an arc that is not there yet.
    mutating func add(_ arc: RoadArc, _ value: Int) {
        if count * 2 >= slots.count { grow() }
        insert(arc.raw, Int32(value))
        count += 1
    }

    private mutating func insert(_ arc: UInt32, _ value: Int32) {
        let mask = slots.count &- 1
        var index = ArcTable.hash(arc) & mask
        while slots[index].round == round { index = (index &+ 1) & mask }
        slots[index] = Slot(arc: arc, round: round, value: value)
    }

    private mutating func grow() {
        let old = slots.filter { $0.round == round }
        slots = Array(repeating: Slot(arc: 0, round: 0, value: 0), count: slots.count * 2)
        for slot in old { insert(slot.arc, slot.value) }
    }
}

extension Int {
    fileprivate var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

/// A heap of numbers, the one of least cost first.
struct CostHeap {
    private var entries: [(cost: Double, value: Int32)] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    mutating func push(_ value: Int, cost: Double) {
        entries.append((cost, Int32(value)))
        var child = entries.count &- 1
        while child > 0 {
            let parent = (child &- 1) / 2
            if entries[parent].cost <= entries[child].cost { return }
            entries.swapAt(parent, child)
            child = parent
        }
    }

    mutating func pop() -> (cost: Double, value: Int)? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        if entries.isEmpty { return (first.cost, Int(first.value)) }
        var parent = 0
        let count = entries.count
        while true {
            var child = 2 &* parent &+ 1
            guard child < count else { break }
            if child &+ 1 < count, entries[child &+ 1].cost < entries[child].cost { child &+= 1 }
            if last.cost <= entries[child].cost { break }
            entries[parent] = entries[child]
            parent = child
        }
        entries[parent] = last
        return (first.cost, Int(first.value))
    }
}
