/// The fences round a moving place whose border may matter soon, and how far the place may travel until then.
///
/// An odometer counts an upper bound of the way travelled. A fence is looked at again when the odometer reaches the reading at which its border
/// could be met; the index is asked again when the way could lead out of the circle that was gathered last. In between a fix costs one addition
/// and one comparison.
struct FenceNeighbourhood: Sendable {
    /// The fences that are looked at again at a reading.
    private var heap = DueHeap()
    /// The fences that are looked at by every fix.
    private(set) var watched: [Int32] = []
    /// By slot: whether the heap has it.
    private var isGathered: [Bool] = []
    private(set) var odometer = 0.0
    private var gatherAt = -Double.infinity
    private var radius = 300.0

    /// How many fences a circle should bring: fewer cost searches, more cost memory.
    private static let fewest = 32
    private static let most = 256
    private static let smallestRadius = 50.0
    private static let largestRadius = 2.1e7

    /// Whether nothing can have happened.
    @inline(__always)
    var isQuiet: Bool { odometer < gatherAt && odometer < (heap.first?.due ?? .infinity) && watched.isEmpty }

    var mustGather: Bool { odometer >= gatherAt }

    @inline(__always)
    mutating func travel(_ metres: Double) {
        odometer += metres
    }

    /// Whether the heap or the watch has a fence.
    func has(_ slot: Int32) -> Bool { isGathered[Int(slot)] }

    /// Forgets everything; the index or the place has changed.
    mutating func clear() {
        heap.removeAll()
        watched.removeAll()
        for place in isGathered.indices { isGathered[place] = false }
        gatherAt = -.infinity
    }

    /// Finds the fences within the circle, at least `reach` metres wide; the ones that one is inside of are always there.
    mutating func gather(
        _ index: FenceIndex, round probe: FenceProbe, reach: Double, looksAtAll: Bool, visits: some Sequence<Int32>
    ) {
        if isGathered.count < index.slotCount {
            isGathered += Array(repeating: false, count: index.slotCount - isGathered.count)
        }
        let circle = max(radius, reach)
        var found = 0
        index.forEachSlot(near: probe, within: circle) { slot, clearance in
            found += 1
            if isGathered[Int(slot)] { return }
            isGathered[Int(slot)] = true
            heap.insert(DueHeap.Entry(due: looksAtAll || clearance <= reach ? odometer : odometer + clearance, slot: slot))
        }
        for slot in visits where !isGathered[Int(slot)] {
            isGathered[Int(slot)] = true
            heap.insert(DueHeap.Entry(due: odometer, slot: slot))
        }
        gatherAt = odometer + circle
        if found > FenceNeighbourhood.most {
            radius = max(radius / 2, FenceNeighbourhood.smallestRadius)
        } else if found < FenceNeighbourhood.fewest {
            radius = min(radius * 2, FenceNeighbourhood.largestRadius)
        }
    }

    /// The next fence whose border may have been met.
    var nextDue: Int32? {
        guard let first = heap.first, first.due <= odometer else { return nil }
        return first.slot
    }

    /// Sets how far the place may travel before the fence of ``nextDue`` is looked at again, nil for at every fix; one that is out of the circle
    /// leaves.
    mutating func settleNext(clearance: Double?, isOutside: Bool) {
        guard let first = heap.first else { return }
        guard let clearance else {
            heap.removeFirst()
            watched.append(first.slot)
            return
        }
        let due = odometer + max(clearance, FenceNeighbourhood.smallestClearance)
        if isOutside, due > gatherAt {
            isGathered[Int(first.slot)] = false
            heap.removeFirst()
        } else {
            heap.replaceFirst(due: due)
        }
    }

    /// Looks at a watched fence only when the place has travelled that far.
    mutating func unwatch(at place: Int, clearance: Double) {
        heap.insert(DueHeap.Entry(due: odometer + max(clearance, FenceNeighbourhood.smallestClearance), slot: watched[place]))
        watched.swapAt(place, watched.count - 1)
        watched.removeLast()
    }

    /// A micrometre: a border that is met exactly is not looked at twice in one place.
    private static let smallestClearance = 1e-6
}
