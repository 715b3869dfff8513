/// The fences that are watched when their number is limited: those with the nearest borders.
struct FenceActivity: Sendable {
    private var isActive: [Bool] = []
    private var staleAt = -Double.infinity

    /// A choice stands until the object has travelled this far, or a twentieth of the distance to the furthest border chosen.
    private static let leastMetres = 25.0

    func isStale(at odometer: Double) -> Bool { odometer >= staleAt }

    /// Whether a fence is watched; all are before the first choice.
    @inline(__always)
    func has(_ slot: Int32) -> Bool { isActive.isEmpty || isActive[Int(slot)] }

    /// Chooses fences by growing circles until enough borders are inside.
    mutating func choose(_ count: Int, of index: FenceIndex, round probe: FenceProbe, at odometer: Double) {
        isActive = Array(repeating: false, count: index.slotCount)
        var radius = 500.0
        var near: [(metres: Double, rank: Int, slot: Int32)] = []
        repeat {
            near.removeAll(keepingCapacity: true)
            index.forEachSlot(near: probe, within: radius) { slot, _ in
                let signed = index.withShape(slot) { $0.signedDistance(probe) } ?? .infinity
                // Fences that the object is inside are always watched, in addition to the others.
                if signed <= 0 { isActive[Int(slot)] = true }
                if abs(signed) <= radius { near.append((abs(signed), index.rank(slot), slot)) }
            }
            radius *= 4
        } while near.count < count && radius < 1e8
        near.sort { ($0.metres, $0.rank) < ($1.metres, $1.rank) }
        for (_, _, slot) in near.prefix(count) { isActive[Int(slot)] = true }
        staleAt = odometer + max(FenceActivity.leastMetres, (near.prefix(count).last?.metres ?? 0) / 20)
    }
}
