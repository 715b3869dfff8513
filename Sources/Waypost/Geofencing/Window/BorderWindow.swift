/// The borders round a moving place, small and in one piece: what each step of its way is held against.
///
/// A window is a box of latitudes and longitudes. It has the boxes of the groups of edges in it, on a grid of 16 bits, eight to a line of the
/// cache, and the circles whose borders lead through it. A step that stays in the window can meet only what its own box touches. That box
/// is made wider than the step, so that the distance to the nearest border comes out as well: steps within it cost one comparison.
///
/// Boxes are rounded outward, so that what is found may be too much, never too little.
///
/// The monitor uses ``open(_:_:)``, ``metres(_:)`` and ``isQuiet(_:)`` to know whether a step concerns the window, and ``look(along:metres:endingAt:_:)``
/// for what it does there: ``crossed`` counts crossings of borders, and ``wholes`` are fences to be looked at without the window, which
/// ``settle(_:clearance:)`` hears of. ``rest(after:clearance:)`` ends the look. Nothing else of this folder is for anybody outside of it.
struct BorderWindow: Sendable {
    /// Four circles: their centres on the plane that touches the Earth in the middle, and between which distances on it their borders lie.
    struct CircleBlock: Sendable {
        var east = SIMD4<Float>.zero
        var north = SIMD4<Float>.zero
        var least = SIMD4<Float>(repeating: .infinity)
        var most = SIMD4<Float>(repeating: -.infinity)

        /// Number by number: of single lanes of vectors the compiler makes detours through memory.
        @inline(__always)
        static func store(
            _ centre: (east: Double, north: Double), least: Float, most: Float, in block: UnsafeMutableRawPointer, at lane: Int
        ) {
            let lane = block + lane &* 4
            lane.storeBytes(of: Float(centre.east), as: Float.self)
            lane.storeBytes(of: Float(centre.north), toByteOffset: 16, as: Float.self)
            lane.storeBytes(of: least, toByteOffset: 32, as: Float.self)
            lane.storeBytes(of: most, toByteOffset: 48, as: Float.self)
        }
    }

    /// A fence that is looked at as a whole, when the place has travelled that far.
    struct Other: Sendable {
        var slot: Int32
        var due: Double
    }

    /// Where the window is, as long as it is open.
    private(set) var frame = WindowFrame.nowhere
    private(set) var isOpen = false
    var blocks: [BorderBlock] = []
    var pieces: [EdgePiece] = []
    var pieceCount = 0
    var circles: [CircleBlock] = []
    var circleSlots: [Int32] = []
    var others: [Other] = []
    /// How wrong a distance from an edge on the flat map may be by roundings, metres.
    var flatError = 0.0
    /// The pieces that the last step may meet, by their places; only the first `hitCount` count.
    private var hits: [Int32] = []
    private var hitCount = 0
    /// The fences that have to be looked at as a whole; only the first `wholeCount` count.
    private(set) var wholes: [Int32] = []
    private(set) var wholeCount = 0
    /// What was found in the tree that was searched last; kept for its memory.
    var found: [BorderNode.Found] = []

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
    /// Fences whose borders the last step crosses, or may cross.
    ///
    /// Only the first `crossedCount` count.
    private(set) var crossed: [(slot: Int32, found: WayCrossings.Found)] = []
    private(set) var crossedCount = 0

    /// A micrometre: a border that is met exactly is not looked at twice in one place.
    private static let smallestClearance = 1e-6
    /// By how much of itself the way without borders is taken to be longer after each look that has not measured it.
    private static let hope = 1.25

    /// Makes a frame the window's, nil to close it; what was in the window before is gone.
    mutating func move(to frame: WindowFrame?) {
        isOpen = frame != nil
        self.frame = frame ?? .nowhere
        restSquared = -1
        pieceCount = 0
        circles.removeAll(keepingCapacity: true)
        circleSlots.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
    }

    mutating func close() { if isOpen { move(to: nil) } }

    /// Whether nothing can have happened on a straight way from a place for which that was true, too; false of a closed window.
    @inline(__always)
    func isQuiet(_ place: Coordinate) -> Bool {
        let seen = frame.seen(place.longitudeDegrees, place.latitudeDegrees)
        let (east, north) = ((seen.x - x) * frame.mostPerLongitude, (seen.y - y) * frame.mostPerLatitude)
        return east * east + north * north < restSquared
    }

    /// A length in metres that a way in the window does not exceed, 0 only of one that leads nowhere; nil of one that does not lie in it.
    @inline(__always)
    func metres(_ way: LonLatEdge) -> Double? {
        frame.holds(way) ? frame.metres(way.bx - way.ax, way.by - way.ay) : nil
    }

    /// What a look at a step has measured.
    struct Look {
        /// Where the step ends.
        let probe: FenceProbe
        /// How far from there nothing else is, metres; nil where no distance was measured.
        fileprivate(set) var reach: Double?
        /// How far the borders are that cannot be measured on the flat map, and the squared distance on it to the others.
        fileprivate(set) var clearance = 0.0
        fileprivate(set) var flatSquared = Float.infinity
    }

    /// Holds a way that lies in the window against the borders in it: into ``crossed`` and ``wholes``.
    ///
    /// A fence's side is what it was as long as the way crosses its border an even number of times; where roundings could change the number,
    /// and where rings may overlap, the crossing is open.
    mutating func look(along way: LonLatEdge, metres: Double, endingAt place: Coordinate, _ index: FenceIndex) -> Look {
        let probe = frame.probe(place)
        var look = Look(probe: probe)
        crossedCount = 0
        look.reach = find(way, metres: metres, endingAt: probe)
        guard let reach = look.reach else {
            countCrossings(way, index)
            return look
        }
        look.clearance = reach
        // What the way may meet is no further than that on the flat map.
        let near = Float(probe.greatestFlat(within: metres) + flatError) * 1.001
        let point = EdgeTable.GridPoint(probe)
        var crossings = WayCrossings(way, turn: 0)
        for place in 0..<hitCount {
            let piece = pieces[Int(hits[place])]
            if isPlain(piece), piece.isLocal {
                crossings.restart()
                look.flatSquared = min(look.flatSquared, piece.test(point, within: near * near, &crossings))
                note(piece, crossings.found)
            } else if let table = index.figure(piece.slot).edges {
                let (first, count) = piece.place(in: table)
                if piece.isLocal {
                    let turned = EdgeTable.GridPoint(probe, table.turned(probe.longitude) - probe.longitude)
                    var crossings = WayCrossings(way, turn: table.turned(way.bx) - way.bx)
                    look.flatSquared = min(
                        look.flatSquared, table.test(from: first, count: count, turned, within: near * near, &crossings))
                    note(piece, crossings.found)
                } else {
                    // Too wide for distances on the grid.
                    note(piece, table.crossings(from: first, count: count, way))
                    look.clearance = 0
                }
            }
        }
        return look
    }

    /// Looks only which borders the way crosses.
    private mutating func countCrossings(_ way: LonLatEdge, _ index: FenceIndex) {
        let box = EdgeTable.GridBox(way, turn: 0)
        var crossings = WayCrossings(way, turn: 0)
        for place in 0..<hitCount {
            let piece = pieces[Int(hits[place])]
            if isPlain(piece) {
                crossings.restart()
                piece.addCrossings(box, &crossings)
                note(piece, crossings.found)
            } else if let table = index.figure(piece.slot).edges {
                let (first, count) = piece.place(in: table)
                note(piece, table.crossings(from: first, count: count, way))
            }
        }
    }

    /// Whether a piece is as it is written.
    @inline(__always)
    private func isPlain(_ piece: EdgePiece) -> Bool { !piece.needsTable && !frame.crossesSeam }

    /// Ends a look: what it measured spares the next ones, as far as the fences looked at as a whole allow, metres.
    @inline(__always)
    mutating func rest(after look: borrowing Look, clearance: Double) {
        guard let reach = look.reach else { return }
        var clearance = min(look.clearance, clearance)
        if look.flatSquared < .infinity {
            let flat = Double(look.flatSquared.squareRoot())
            clearance = min(clearance, max(look.probe.leastDistance(flat: flat - flatError - 1e-6 * flat), 0))
        }
        rest(clearance, of: reach)
    }

    /// Finds what a way that lies in the window may meet, into ``hits`` and ``wholes``; gives how far from its end nothing else is, metres:
    /// nil where no distance is worth its cost.
    ///
    /// Distances are measured to be spared the next looks. Where borders are nearer than a step, they spare none.
    private mutating func find(_ way: LonLatEdge, metres: Double, endingAt probe: FenceProbe) -> Double? {
        let (a, b) = frame.seen(way)
        wholeCount = 0
        let isMeasured = ease >= metres
        var reach = isMeasured ? min(ease, frame.room(b.x, b.y)) : 0
        if !others.isEmpty {
            // From the last stop by way of the last place.
            travelled += max(frame.metres(a.x - x, a.y - y), frame.metres(b.x - x, b.y - y))
            for other in others {
                if other.due <= travelled {
                    meet(whole: other.slot)
                } else {
                    reach = min(reach, other.due - travelled)
                }
            }
        }
        (x, y) = (b.x, b.y)
        let (across, along) = (reach * frame.longitudePerMetre, reach * frame.latitudePerMetre)
        // A unit for the roundings of both sides.
        let step = 1 / BinaryAngle.unitsPerDegree
        collectPieces(
            frame.block(
                west: min(a.x, b.x - across) - step, south: min(a.y, b.y - along) - step, east: max(a.x, b.x + across) + step,
                north: max(a.y, b.y + along) + step))
        if !circles.isEmpty { collectCircles(round: frame.onPlane(probe.vector - frame.middle.vector), within: max(reach, metres)) }
        guard isMeasured else {
            restSquared = -1
            ease = BorderWindow.hope * max(ease, 0.25 * metres)
            return nil
        }
        return reach
    }

    /// Up to so many metres from the last way's end there is no border.
    @inline(__always)
    private mutating func rest(_ clearance: Double, of reach: Double) {
        // A chord is shorter than its arc, so that a circle's border may seem to be nearer than nothing.
        let clearance = max(clearance, 0)
        restSquared = clearance * clearance
        ease = clearance < reach ? 1.5 * clearance : 2 * reach
    }

    /// Sets how far the place may travel before a fence is looked at again as a whole.
    mutating func settle(_ slot: Int32, clearance: Double) {
        for place in others.indices where others[place].slot == slot {
            others[place].due = travelled + max(clearance, BorderWindow.smallestClearance)
        }
    }

    /// Makes room for all that a step may meet.
    mutating func makeRoomForHits() {
        if hits.count < pieceCount { hits += Array(repeating: 0, count: pieceCount - hits.count) }
        let others = circleSlots.count + others.count
        if wholes.count < others { wholes += Array(repeating: 0, count: others - wholes.count) }
    }

    /// Notes what a step does at a piece of a border.
    @inline(__always)
    private mutating func note(_ piece: EdgePiece, _ found: WayCrossings.Found) {
        if found.count == 0, !found.isOpen { return }
        var found = found
        if !piece.changesSide { found.isOpen = true }
        for place in 0..<crossedCount where crossed[place].slot == piece.slot { return crossed[place].found.formUnion(found) }
        if crossedCount < crossed.count { crossed[crossedCount] = (piece.slot, found) } else { crossed.append((piece.slot, found)) }
        crossedCount &+= 1
    }

    @inline(__always)
    private mutating func meet(whole slot: Int32) {
        wholes[wholeCount] = slot
        wholeCount &+= 1
    }

    @inline(__always)
    private mutating func collectPieces(_ box: BorderBlock) {
        let blockCount = (pieceCount &+ 7) &>> 3
        hitCount = blocks.withUnsafeBufferPointer { blocks in
            hits.withUnsafeMutableBufferPointer { hits in
                var count = 0
                @inline(__always) func add(_ first: Int, _ off: UInt64) {
                    var lanes = ~off
                    while lanes != 0 {
                        let bit = lanes.trailingZeroBitCount & 48
                        hits[count] = Int32(truncatingIfNeeded: first &+ bit &>> 4)
                        count &+= 1
                        lanes &= ~(0xFFFF &<< UInt64(truncatingIfNeeded: bit))
                    }
                }
                for place in 0..<blockCount {
                    let off = blocks[place].misses(box)
                    if off.x & off.y == .max { continue }
                    add(8 &* place, off.x)
                    add(8 &* place &+ 4, off.y)
                }
                return count
            }
        }
    }

    @inline(__always)
    private mutating func collectCircles(round place: (east: Double, north: Double), within metres: Double) {
        // A millimetre for the roundings of this number and the next ones.
        let reach = SIMD4(repeating: Float(metres + 0.001))
        let (east, north) = (SIMD4(repeating: Float(place.east)), SIMD4(repeating: Float(place.north)))
        circles.withUnsafeBufferPointer { circles in
            for index in circles.indices {
                let block = circles[index]
                let (offEast, offNorth) = (block.east - east, block.north - north)
                let squared = offEast * offEast + offNorth * offNorth
                let (least, most) = (block.least - reach, block.most + reach)
                // With the sign: where the border is nearer than that to the centre, no place is inside of it by that much.
                let isOff = (squared .> most * most) .| (squared .< least * least.magnitude)
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
        if place < circleSlots.count { meet(whole: circleSlots[place]) }
    }
}
