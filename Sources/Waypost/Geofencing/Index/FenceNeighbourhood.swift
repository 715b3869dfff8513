/// The fences round a moving place whose border may matter soon, and how far the place may go until then.
///
/// An odometer counts an upper bound of the way from stop to stop; a stop is where fences were looked at. Each fence has the reading at which
/// its border could be met at the earliest. Up to the least of them nothing can happen, and the same is true of the circle that the index was
/// asked for last. So a fix in between costs one comparison: whether it is still in a disc round the last stop.
struct FenceNeighbourhood: Sendable {
    /// By place: the reading at which the fence in `slots` is looked at again; `-infinity` for at every fix.
    private var dues: [Double] = []
    private var slots: [Int32] = []
    /// By slot: whether it is in `slots`.
    private var isGathered: [Bool] = []
    /// What it read at the last stop.
    private(set) var odometer = 0.0
    private var stop: TravelDisc?
    private var gatherAt = -Double.infinity
    private var radius = 300.0
    /// A border this near to the place may matter already, metres.
    var lookahead = 0.0

    /// How many fences a circle should bring: fewer cost searches, more cost comparisons.
    private static let fewest = 24
    private static let most = 96
    private static let smallestRadius = 50.0
    private static let largestRadius = 2.1e7
    /// A micrometre: a border that is met exactly is not looked at twice in one place.
    ///
    /// It is more than the roundings of the odometer, too (2^-53 of 10^7 m).
    private static let smallestClearance = 1e-6

    /// Whether nothing can have happened on a straight way from a place for which that was true, too.
    @inline(__always)
    func isQuiet(_ place: Coordinate) -> Bool { stop?.contains(place, margin: lookahead) ?? false }

    var mustGather: Bool { odometer + lookahead >= gatherAt }

    /// The slots of the fences that are looked after.
    var gathered: [Int32] { slots }

    /// Whether the fence in a slot is looked after.
    func has(_ slot: Int32) -> Bool { Int(slot) < isGathered.count && isGathered[Int(slot)] }

    /// Forgets everything; the index or the place has changed.
    mutating func clear() {
        for slot in slots { isGathered[Int(slot)] = false }
        dues.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        gatherAt = -.infinity
        stop = nil
    }

    /// Counts the way from the last stop by way of the last place to this one; gives a length that the last way does not exceed.
    @inline(__always)
    mutating func travel(_ way: LonLatEdge) -> Double {
        guard let bounds = stop?.bounds(of: way) else {
            clear()
            return way.longestMetres
        }
        odometer += bounds.furthestMetres
        return bounds.longestMetres
    }

    /// Finds the fences within the circle, at least `reach` metres wide; the ones that one is inside of are always there.
    mutating func gather(
        _ index: FenceIndex, round probe: FenceProbe, reach: Double, looksAtAll: Bool, visits: some Sequence<Int32>
    ) {
        if isGathered.count < index.slotCount {
            isGathered += Array(repeating: false, count: index.slotCount - isGathered.count)
        }
        let reach = reach + lookahead
        let circle = max(radius, reach)
        var found = 0
        // Before the others: on a way that is not known one may have been left far behind, which is no reason to look at it later.
        for slot in visits where !isGathered[Int(slot)] {
            isGathered[Int(slot)] = true
            slots.append(slot)
            dues.append(odometer)
        }
        index.forEachSlot(near: probe, within: circle) { slot, clearance in
            // The ones whose boxes hold the place come with every circle.
            if clearance > 0 { found += 1 }
            if isGathered[Int(slot)] { return }
            isGathered[Int(slot)] = true
            slots.append(slot)
            dues.append(looksAtAll || clearance <= reach ? odometer : odometer + clearance)
        }
        gatherAt = odometer + circle
        if found > FenceNeighbourhood.most {
            radius = max(radius / 2, FenceNeighbourhood.smallestRadius)
        } else if found < FenceNeighbourhood.fewest {
            radius = min(radius * 2, FenceNeighbourhood.largestRadius)
        }
    }

    /// Fences to be looked at in one place, one after the other.
    struct Round {
        fileprivate var place = 0
        fileprivate var earliest = Double.infinity
    }

    /// The next fence of a round whose border may have been met.
    @inline(__always)
    func next(_ round: inout Round) -> Int32? {
        dues.withUnsafeBufferPointer { dues in
            while round.place < dues.count {
                let due = dues[round.place]
                if due <= odometer + lookahead { return slots[round.place] }
                round.earliest = min(round.earliest, due)
                round.place += 1
            }
            return nil
        }
    }

    /// Sets how far the place may travel before the fence that `next` gave is looked at again, nil for not at all; one that is out of the
    /// circle leaves.
    @inline(__always)
    mutating func settle(_ round: inout Round, clearance: Double?, isOutside: Bool) {
        let due = clearance.map { odometer + max($0, FenceNeighbourhood.smallestClearance) } ?? -.infinity
        if isOutside, due > gatherAt {
            isGathered[Int(slots[round.place])] = false
            let (lastSlot, lastDue) = (slots.removeLast(), dues.removeLast())
            if round.place < slots.count { (slots[round.place], dues[round.place]) = (lastSlot, lastDue) }
        } else {
            dues[round.place] = due
            round.earliest = min(round.earliest, due)
            round.place += 1
        }
    }

    /// The round is over: this place is the stop from which the next ones are measured.
    @inline(__always)
    mutating func stop(at probe: FenceProbe, after round: Round) {
        stop = TravelDisc(round: probe, metres: min(round.earliest, gatherAt) - odometer)
    }
}
