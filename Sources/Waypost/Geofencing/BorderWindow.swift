/// The borders round a moving place, small and in one piece: what each step of its way is held against.
///
/// A window is a box of latitudes and longitudes. It has the boxes of the groups of edges in it, on a grid of 16 bits, eight to a line of the
/// cache, and the circles whose borders lead through it. A step that stays in the window can meet only what its own box touches. That box
/// is made wider than the step, so that the distance to the nearest border comes out as well: steps within it cost one comparison.
///
/// Boxes are rounded outward, so that what is found may be too much, never too little; whether a border was crossed is for others to tell.
struct BorderWindow: Sendable {
    /// A group of edges that a step may meet, or a fence that has to be looked at as a whole.
    struct Hit: Sendable {
        var slot: Int32
        /// In the fence's table; -1 for the whole fence.
        var group: Int32
    }

    /// Eight groups of edges, by the sides of their boxes; a place without a group touches nothing.
    struct GroupBlock: Sendable {
        var west = SIMD8<Int16>(repeating: .max)
        var south = SIMD8<Int16>(repeating: .max)
        var east = SIMD8<Int16>(repeating: .min)
        var north = SIMD8<Int16>(repeating: .min)

        /// Puts the sides of a box, cut to 16 bits, in a place of blocks.
        ///
        /// Number by number: the compiler makes detours through memory when it cuts a vector or sets one of its lanes.
        @inline(__always)
        static func store(_ sides: SIMD4<Int32>, in blocks: UnsafeMutableRawBufferPointer, at place: Int) {
            let lane = (place &>> 3) &* MemoryLayout<GroupBlock>.stride &+ (place & 7) &* 2
            func cut(_ side: Int32) -> Int16 { Int16(truncatingIfNeeded: min(max(side, -32_768), 32_767)) }
            blocks.storeBytes(of: cut(sides.x), toByteOffset: lane, as: Int16.self)
            blocks.storeBytes(of: cut(sides.y), toByteOffset: lane &+ 16, as: Int16.self)
            blocks.storeBytes(of: cut(sides.z), toByteOffset: lane &+ 32, as: Int16.self)
            blocks.storeBytes(of: cut(sides.w), toByteOffset: lane &+ 48, as: Int16.self)
        }
    }

    /// Four circles: their centres as seen from the middle in the geocentric frame, and the chords between which their borders lie.
    struct CircleBlock: Sendable {
        var x = SIMD4<Float>.zero
        var y = SIMD4<Float>.zero
        var z = SIMD4<Float>.zero
        var least = SIMD4<Float>(repeating: .infinity)
        var most = SIMD4<Float>(repeating: -.infinity)
    }

    /// A fence that is looked at as a whole, when the place has travelled that far.
    struct Other: Sendable {
        var slot: Int32
        var due: Double
    }

    /// Where the window is, as long as it is open.
    private(set) var frame = WindowFrame.nowhere
    private(set) var isOpen = false
    var groups: [GroupBlock] = []
    var groupSources: [Hit] = []
    var circles: [CircleBlock] = []
    var circleSlots: [Int32] = []
    var others: [Other] = []
    /// How wrong a distance from an edge on the flat map may be by roundings, metres.
    var flatError = 0.0
    /// What the last step may meet; the groups of one fence stand one after the other.
    ///
    /// Only the first `hitCount` count.
    private(set) var hits: [Hit] = []
    private(set) var hitCount = 0

    /// The last stop as seen from the middle, and the square of the metres round it in which there is no border.
    var x = 0.0
    var y = 0.0
    var restSquared = -1.0
    /// How far to look next time, metres.
    private var ease = Double.infinity
    var travelled = 0.0

    /// Half the height of the next window, metres, and where the last one was opened.
    var radius = 200.0
    var entry: Coordinate?
    /// Room for searches.
    var found: [Int32] = []
    var nodes: (open: [Int32], next: [Int32]) = ([], [])

    /// A micrometre: a border that is met exactly is not looked at twice in one place.
    private static let smallestClearance = 1e-6
    /// By how much of itself the way without borders is taken to be longer after each look that has not measured it.
    private static let hope = 1.25

    /// Makes a frame the window's, nil to close it; what was in the window before is gone.
    mutating func move(to frame: WindowFrame?) {
        isOpen = frame != nil
        self.frame = frame ?? .nowhere
        restSquared = -1
        groups.removeAll(keepingCapacity: true)
        groupSources.removeAll(keepingCapacity: true)
        circles.removeAll(keepingCapacity: true)
        circleSlots.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
    }

    mutating func close() { if isOpen { move(to: nil) } }

    /// Whether a way lies in the window; false of a closed one.
    @inline(__always)
    func holds(_ way: LonLatEdge) -> Bool { frame.holds(way) }

    /// Whether nothing can have happened on a straight way from a place for which that was true, too; false of a closed window.
    @inline(__always)
    func isQuiet(_ place: Coordinate) -> Bool {
        let seen = frame.seen(place.longitudeDegrees, place.latitudeDegrees)
        let (east, north) = ((seen.x - x) * frame.mostPerLongitude, (seen.y - y) * frame.mostPerLatitude)
        return east * east + north * north < restSquared
    }

    /// Finds what a way that lies in the window may meet, into ``hits``; gives a length in metres that the way does not exceed, and how far
    /// from its end nothing else is: nil where no distance is worth its cost.
    ///
    /// Distances are measured to be spared the next looks. Where borders are nearer than a step, they spare none.
    mutating func find(_ way: LonLatEdge, endingAt probe: FenceProbe) -> (metres: Double, reach: Double?) {
        let (a, b) = frame.seen(way)
        let metres = frame.metres(b.x - a.x, b.y - a.y)
        hitCount = 0
        let isMeasured = ease >= metres
        var reach = isMeasured ? min(ease, frame.room(b.x, b.y)) : 0
        if !others.isEmpty {
            // From the last stop by way of the last place.
            travelled += max(frame.metres(a.x - x, a.y - y), frame.metres(b.x - x, b.y - y))
            for other in others {
                if other.due <= travelled {
                    add(Hit(slot: other.slot, group: -1))
                } else {
                    reach = min(reach, other.due - travelled)
                }
            }
        }
        (x, y) = (b.x, b.y)
        let (across, along) = (reach / frame.mostPerLongitude, reach / frame.mostPerLatitude)
        // A step of the grid for corners that do not lie on it.
        let step = 1 / EdgeTable.stepsPerDegree
        collectGroups(
            west: frame.column(min(a.x, b.x - across) - step), south: frame.row(min(a.y, b.y - along) - step),
            east: frame.column(max(a.x, b.x + across) + step), north: frame.row(max(a.y, b.y + along) + step))
        if !circles.isEmpty { collectCircles(round: probe.vector - frame.middle.vector, within: max(reach, metres)) }
        guard isMeasured else {
            restSquared = -1
            ease = BorderWindow.hope * max(ease, 0.25 * metres)
            return (metres, nil)
        }
        return (metres, reach)
    }

    /// Up to so many metres from the last way's end there is no border.
    @inline(__always)
    mutating func rest(_ clearance: Double, of reach: Double) {
        restSquared = clearance * clearance
        ease = clearance < reach ? 1.5 * clearance : 2 * reach
    }

    /// Sets how far the place may travel before a fence is looked at again as a whole.
    mutating func settle(_ slot: Int32, clearance: Double) {
        for place in others.indices where others[place].slot == slot {
            others[place].due = travelled + max(clearance, BorderWindow.smallestClearance)
        }
    }

    /// Makes room for so many hits, all that a window can have.
    mutating func makeRoom(forHits count: Int) {
        if hits.count < count { hits += Array(repeating: Hit(slot: 0, group: -1), count: count - hits.count) }
    }

    @inline(__always)
    private mutating func add(_ hit: Hit) {
        hits[hitCount] = hit
        hitCount &+= 1
    }

    @inline(__always)
    private mutating func collectGroups(west: Int16, south: Int16, east: Int16, north: Int16) {
        let (west, south) = (SIMD8(repeating: west), SIMD8(repeating: south))
        let (east, north) = (SIMD8(repeating: east), SIMD8(repeating: north))
        groups.withUnsafeBufferPointer { groups in
            for place in groups.indices {
                let block = groups[place]
                let isOff = (block.west .> east) .| (block.south .> north) .| (west .> block.east) .| (south .> block.north)
                let lanes = unsafeBitCast(isOff, to: SIMD2<UInt64>.self)
                if lanes.x & lanes.y == .max { continue }
                addGroups(8 &* place, ~lanes.x)
                addGroups(8 &* place &+ 4, ~lanes.y)
            }
        }
    }

    /// Adds the groups from the first one on whose 16 bits are set.
    @inline(__always)
    private mutating func addGroups(_ first: Int, _ lanes: UInt64) {
        var lanes = lanes
        while lanes != 0 {
            let bit = lanes.trailingZeroBitCount & 48
            add(groupSources[first &+ bit &>> 4])
            lanes &= ~(0xFFFF &<< UInt64(truncatingIfNeeded: bit))
        }
    }

    @inline(__always)
    private mutating func collectCircles(round place: GeocentricVector, within metres: Double) {
        // A millimetre for the roundings of this number and the next ones.
        let reach = SIMD4(repeating: Float(metres + 0.001))
        let (placeX, placeY) = (SIMD4(repeating: Float(place.x)), SIMD4(repeating: Float(place.y)))
        let placeZ = SIMD4(repeating: Float(place.z))
        circles.withUnsafeBufferPointer { circles in
            for index in circles.indices {
                let block = circles[index]
                let (offX, offY, offZ) = (block.x - placeX, block.y - placeY, block.z - placeZ)
                let squared = offX * offX + offY * offY + offZ * offZ
                let (least, most) = (block.least - reach, block.most + reach)
                let isOff = (squared .> most * most) .| (squared .< least * least) .& (least .> SIMD4<Float>.zero)
                let lanes = unsafeBitCast(isOff, to: SIMD2<UInt64>.self)
                if lanes.x & lanes.y == .max { continue }
                addCircles(4 &* index, ~lanes.x)
                addCircles(4 &* index &+ 2, ~lanes.y)
            }
        }
    }

    /// Adds the circles from the first one on whose 32 bits are set.
    @inline(__always)
    private mutating func addCircles(_ first: Int, _ lanes: UInt64) {
        if lanes & 0xFFFF_FFFF != 0 { addCircle(first) }
        if lanes >> 32 != 0 { addCircle(first + 1) }
    }

    @inline(__always)
    private mutating func addCircle(_ place: Int) {
        if place < circleSlots.count { add(Hit(slot: circleSlots[place], group: -1)) }
    }
}
