/// The fences, found by place.
///
/// Fences come and go while it is in use: new ones go into a small list, lists into trees, small trees into bigger ones (the logarithmic
/// method of Bentley and Saxe), so that an addition costs a few comparisons per fence on the average and never a rebuild of everything.
/// What is near on the Earth is near in memory: slots follow the curve of the trees, except those of fences that were added later.
/// - Cost: one tree entry and one slot a fence beside the fence itself; a search grows with the logarithm of the fences and with those found.
public struct FenceIndex: Sendable {
    /// Fences by slot; the slot of a fence never changes.
    private var slots: [Geofence] = []
    /// By slot: what the innermost loops need of the fence's shape.
    private var figures: [FenceFigure] = []
    /// By slot: the place of the fence among all in the order in which they came.
    private var ranks: [Int] = []
    private var nextRank = 0
    /// By slot: the fence's key, for the state of monitors.
    private var keys: [UInt64] = []
    /// By slot: whether its fence has not been removed.
    private var isAlive: [Bool] = []
    /// By slot: whether somebody wants to hear of stays.
    private var tellsStays: [Bool] = []
    private var slotOfID: [String: Int32] = [:]
    /// Slots that no tree knows any longer.
    private var free: [Int32] = []
    /// Slots of removed fences that trees still know.
    private var dead: [Int32] = []
    /// The removed fences themselves, kept until everything is made anew: trees may know where their edges are.
    private var removed: [Geofence] = []
    private var recent: [FenceTree.Entry] = []
    /// The tree at place i holds at most `recentLimit` << 2i entries.
    private var trees: [FenceTree?] = []
    /// The borders of the fences of each tree, once a rule needs them.
    private var borders: FenceBorders?
    var hasBorders: Bool { borders != nil }

    private static let recentLimit = 64
    /// What stands in the slot of a removed fence.
    private static let nothing = Geofence(
        id: "", shape: .circle(FenceCircle(centre: Coordinate(cuttingLatitudeDegrees: 0, wrappingLongitudeDegrees: 0), radiusMetres: 1)))

    /// No fences.
    public init() {}

    /// Those fences; of several with one id the last one.
    public init(_ fences: some Sequence<Geofence>) {
        let all = Array(fences)
        slotOfID.reserveCapacity(all.count)
        for (place, fence) in all.enumerated() { slotOfID[fence.id] = Int32(place) }
        var entries: [FenceTree.Entry] = []
        entries.reserveCapacity(slotOfID.count)
        for (place, fence) in all.enumerated() where slotOfID[fence.id] == Int32(place) {
            entries.append(FenceTree.Entry(box: SpaceBox(fence.shape), slot: Int32(place)))
        }
        entries = FenceTree.sorted(entries)
        slots.reserveCapacity(entries.count)
        figures.reserveCapacity(entries.count)
        keys.reserveCapacity(entries.count)
        ranks.reserveCapacity(entries.count)
        isAlive.reserveCapacity(entries.count)
        tellsStays.reserveCapacity(entries.count)
        slotOfID.removeAll(keepingCapacity: true)
        for place in entries.indices {
            let rank = Int(entries[place].slot)
            entries[place].slot = insert(all[rank], rank: rank)
        }
        nextRank = all.count
        plant(entries)
    }

    /// Makes what a rule needs beside the fences, 25 bytes a group of edges and 49 a circle for `exact`, nothing for `robust`.
    ///
    /// A monitor does it by itself; who makes several of one index does it once.
    public mutating func prepare(for rule: BorderRule) {
        guard rule == .exact, !hasBorders else { return }
        borders = FenceBorders()
        for (place, tree) in trees.enumerated() { plantBorders(tree?.slots, at: place) }
    }

    /// How many fences there are.
    public var count: Int { slotOfID.count }

    /// The fences, in the order in which they came.
    public var fences: [Geofence] { inOrder(slots.indices.lazy.filter { isAlive[$0] }.map { Int32($0) }).map { slots[Int($0)] } }

    /// The first time at which a fence expires, milliseconds since 1970.
    ///
    /// May be earlier: the time of a fence that is gone.
    private(set) var nextExpiry = Int64.max

    /// The fences whose time is over; looks when the next one's is.
    mutating func expired(at time: UTCTime) -> [Geofence] {
        var expired: [Geofence] = []
        nextExpiry = .max
        for fence in fences {
            guard let expires = fence.expires else { continue }
            if expires > time { nextExpiry = min(nextExpiry, expires.millisecondsSince1970) } else { expired.append(fence) }
        }
        return expired
    }

    /// The fence of that id.
    public subscript(id: String) -> Geofence? { slotOfID[id].map { slots[Int($0)] } }

    /// Adds a fence; the one of the same id is gone then.
    public mutating func add(_ fence: Geofence) {
        let slot = insert(fence, rank: nextRank)
        nextRank += 1
        recent.append(FenceTree.Entry(box: SpaceBox(fence.shape), slot: slot))
        if recent.count > FenceIndex.recentLimit { pack() }
    }

    /// Removes a fence; nil when there is none of that id.
    @discardableResult
    public mutating func remove(id: String) -> Geofence? {
        guard let slot = slotOfID.removeValue(forKey: id) else { return nil }
        let fence = slots[Int(slot)]
        slots[Int(slot)] = FenceIndex.nothing
        figures[Int(slot)] = .nothing
        isAlive[Int(slot)] = false
        tellsStays[Int(slot)] = false
        dead.append(slot)
        if hasBorders { removed.append(fence) }
        if dead.count > max(FenceIndex.recentLimit, count / 2) { rebuild() }
        return fence
    }

    /// The fences whose area comes within that distance of a place, and the distance to their border in metres, negative inside; nearest
    /// border first.
    public func fences(within metres: Double, of place: Coordinate) -> [(fence: Geofence, signedDistanceMetres: Double)] {
        let probe = FenceProbe(place)
        var found: [(fence: Geofence, signedDistanceMetres: Double)] = []
        forEachSlot(near: probe, within: metres) { slot, _ in
            let fence = slots[Int(slot)]
            let distance = fence.shape.signedDistance(probe)
            if distance <= metres { found.append((fence, distance)) }
        }
        return found.sorted { (abs($0.signedDistanceMetres), $0.fence.id) < (abs($1.signedDistanceMetres), $1.fence.id) }
    }

    // MARK: Slots

    /// One more than the greatest slot.
    var slotCount: Int { slots.count }

    /// The fence in a slot.
    @inline(__always)
    func fence(_ slot: Int32) -> Geofence? { isAlive[Int(slot)] ? slots[Int(slot)] : nil }

    /// Which events the fence in a slot tells; none when there is no fence.
    @inline(__always)
    func notifications(_ slot: Int32) -> FenceNotifications { isAlive[Int(slot)] ? slots[Int(slot)].notifications : [] }

    /// The id and the name of the fence in a slot.
    @inline(__always)
    func names(_ slot: Int32) -> (id: String, name: String) { (slots[Int(slot)].id, slots[Int(slot)].name) }

    /// How long a stay in the fence in a slot has to be to be told, seconds; nil when nobody wants to hear of it.
    @inline(__always)
    func dwellSeconds(_ slot: Int32) -> Double? { tellsStays[Int(slot)] ? slots[Int(slot)].dwellSeconds : nil }

    /// Whether a fence is in a slot.
    @inline(__always)
    func isUsed(_ slot: Int32) -> Bool { isAlive[Int(slot)] }

    /// The place of a fence among all in the order in which they came.
    func rank(_ slot: Int32) -> Int { ranks[Int(slot)] }

    /// Slots in the order in which their fences came.
    func inOrder(_ slots: some Sequence<Int32>) -> [Int32] { slots.sorted { ranks[Int($0)] < ranks[Int($1)] } }

    /// Puts visits in the order in which they began, then of their fences' ids; false when they are.
    func sort(_ begun: inout [BegunVisit]) -> Bool {
        // Not by methods: a copy of the index would be made for them.
        slots.withUnsafeBufferPointer { slots in
            func isBefore(_ visit: BegunVisit, _ other: BegunVisit) -> Bool {
                visit.order != other.order ? visit.order < other.order : slots[Int(visit.slot)].id < slots[Int(other.slot)].id
            }
            var place = 1
            while place < begun.count, !isBefore(begun[place], begun[place - 1]) { place += 1 }
            if place >= begun.count { return false }
            begun.sort(by: isBefore)
            return true
        }
    }

    /// The key of the fence in a slot.
    func key(_ slot: Int32) -> UInt64 { keys[Int(slot)] }

    /// The slot of a fence.
    func slot(ofID id: String) -> Int32? { slotOfID[id] }

    /// What the body says of the shape in a slot, which is not copied; nil when there is none.
    @inline(__always)
    func withShape<Result>(_ slot: Int32, _ body: (FenceShape) -> Result) -> Result? {
        isAlive[Int(slot)] ? body(slots[Int(slot)].shape) : nil
    }

    /// What the innermost loops need of the shape in a slot.
    @inline(__always)
    func figure(_ slot: Int32) -> FenceFigure { figures[Int(slot)] }

    /// The side of a fence's border that a place is on; far outside when there is none.
    @inline(__always)
    func side(_ slot: Int32, _ probe: FenceProbe) -> FenceFigure.Side {
        figures[Int(slot)].side(probe) ?? slots[Int(slot)].shape.preciseSide(probe)
    }

    /// Whether a way that ends at a place may meet the border of a fence; false only when it surely does not.
    @inline(__always)
    func mayCross(_ slot: Int32, _ way: LonLatEdge, _ probe: FenceProbe) -> Bool { figures[Int(slot)].mayCross(way, probe) }

    /// Calls the body with every slot whose fence's box comes within the distance, and with a distance that the area is not nearer than.
    @inline(__always)
    func forEachSlot(near probe: FenceProbe, within metres: Double, _ body: (Int32, Double) -> Void) {
        let point = probe.vector.single
        // Half a metre for each rounding to floats.
        let limit = Float(metres + 1)
        func report(_ slot: Int32, _ squared: Float) {
            if isAlive[Int(slot)] { body(slot, max(Double(squared.squareRoot()) - 1, 0)) }
        }
        for entry in recent {
            let squared = entry.box.distanceSquared(to: point)
            if squared <= limit * limit { report(entry.slot, squared) }
        }
        for case let tree? in trees { tree.forEach(near: point, withinSquared: limit * limit, report) }
    }

    /// Fills a window with the borders that may lead through its frame.
    func fill(_ window: inout BorderWindow) {
        let point = window.frame.middle.vector.single
        let limit = Float(window.frame.reach + 1) * Float(window.frame.reach + 1)
        for entry in recent where entry.box.distanceSquared(to: point) <= limit { window.add(whole: entry.slot) }
        borders?.fill(&window)
    }

    private mutating func insert(_ fence: Geofence, rank: Int) -> Int32 {
        remove(id: fence.id)
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
            slots[Int(slot)] = fence
            figures[Int(slot)] = FenceFigure(fence.shape)
            ranks[Int(slot)] = rank
            keys[Int(slot)] = fence.key
            isAlive[Int(slot)] = true
            tellsStays[Int(slot)] = fence.dwellSeconds != nil
        } else {
            slot = Int32(slots.count)
            slots.append(fence)
            figures.append(FenceFigure(fence.shape))
            ranks.append(rank)
            keys.append(fence.key)
            isAlive.append(true)
            tellsStays.append(fence.dwellSeconds != nil)
        }
        nextExpiry = min(nextExpiry, fence.expires?.millisecondsSince1970 ?? .max)
        slotOfID[fence.id] = slot
        return slot
    }

    /// Makes a tree of the recent entries and of every smaller tree that would not leave room for them.
    private mutating func pack() {
        var entries = recent
        recent.removeAll(keepingCapacity: true)
        var place = 0
        while place < trees.count {
            if let tree = trees[place] {
                entries += tree.entries
                trees[place] = nil
                borders?.uproot(at: place)
            }
            if entries.count <= FenceIndex.recentLimit << (2 * place) { break }
            place += 1
        }
        if place == trees.count { trees.append(nil) }
        plant(FenceTree.sorted(entries.filter { isAlive[Int($0.slot)] }), at: place)
    }

    /// One tree of everything; the slots of removed fences can be used again.
    private mutating func rebuild() {
        let entries = FenceTree.sorted(
            slots.indices.filter { isAlive[$0] }.map { FenceTree.Entry(box: SpaceBox(slots[$0].shape), slot: Int32($0)) })
        free += dead
        (dead, removed) = ([], [])
        plant(entries)
    }

    private mutating func plant(_ entries: [FenceTree.Entry]) {
        recent = []
        var place = 0
        while entries.count > FenceIndex.recentLimit << (2 * place) { place += 1 }
        trees = Array(repeating: nil, count: place + 1)
        if hasBorders { borders = FenceBorders() }
        plant(entries, at: place)
    }

    private mutating func plant(_ sorted: [FenceTree.Entry], at place: Int) {
        if hasBorders { plantBorders(sorted.map(\.slot), at: place) }
        trees[place] = FenceTree(sorted: sorted)
    }

    private mutating func plantBorders(_ planted: [Int32]?, at place: Int) {
        // Taken out, or a copy of all trees would be made.
        var borders = self.borders
        self.borders = nil
        borders?.plant(planted, at: place, figures) { slots[Int($0)].shape.boundingBox }
        self.borders = borders
    }
}
