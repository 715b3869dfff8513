extension BorderWindow {
    /// How many blocks a window should have: fewer cost openings, more cost comparisons.
    private static let fewest = 10
    private static let most = 26
    private static let smallestRadius = 20.0
    private static let largestRadius = 50_000.0
    /// 1 / a(1 - e²), per metre: twice what places are below a plane that touches the Earth, by the square of their distance.
    private static let greatestCurvature = 1 / 6_335_439.0

    /// Opens a window that holds a way, ahead of it; false, and closed, where there can be none.
    mutating func open(_ way: LonLatEdge, _ index: FenceIndex) -> Bool {
        let end = Coordinate(cuttingLatitudeDegrees: way.by, wrappingLongitudeDegrees: way.bx)
        move(to: WindowFrame(way, from: entry ?? end, radius: radius))
        entry = end
        guard isOpen else { return false }
        (x, y) = frame.seen(way).a
        travelled = 0
        flatError = EdgeTable.flatError(longestEdgeMetres: 0)
        index.fill(&self)
        makeRoomForHits()
        let count = (pieceCount + 7) / 8 + circles.count
        if count > BorderWindow.most {
            radius = max(frame.radius * 0.7, BorderWindow.smallestRadius)
        } else if count < BorderWindow.fewest {
            radius = min(frame.radius * 1.4, BorderWindow.largestRadius)
        }
        return true
    }

    /// Adds a fence that is looked at as a whole.
    mutating func add(whole slot: Int32) { others.append(Other(slot: slot, due: 0)) }

    /// Adds the borders that may lead through the frame.
    mutating func add(_ borders: BorderPieces) {
        for (box, slot) in borders.wholes.wide where box.sharesLatitudes(with: frame.box) { add(whole: slot) }
        _ = find(borders.wholes.tree)
        borders.wholes.forEach(in: found) { slot, _, _, _ in add(whole: slot.pointee) }
        addPieces(borders.edges)
        let frame = frame
        for (box, circle) in borders.circles.wide where box.sharesLatitudes(with: frame.box) { add(circle, frame) }
        _ = find(borders.circles.tree)
        borders.circles.forEach(in: found) { circle, _, _, _ in add(circle.pointee, frame) }
    }

    /// Finds the blocks of a tree that touch the frame, into ``found``; gives the number of the boxes that do.
    private mutating func find(_ tree: PackedTree<BorderNode>) -> Int {
        found.removeAll(keepingCapacity: true)
        return tree.find(touching: frame.box, into: &found)
    }

    private mutating func addPieces(_ edges: BorderItems<EdgePiece>) {
        let count = find(edges.tree)
        guard count > 0, let filler = edges.first else { return }
        let missing = pieceCount + count - pieces.count
        if missing > 0 {
            pieces += Array(repeating: filler, count: (missing + 63) & ~63)
            blocks += Array(repeating: BorderBlock(), count: pieces.count / 8 - blocks.count)
        }
        let (first, middle) = (pieceCount, frame.box.middle)
        let (columnShift, rowShift) = (frame.columnShift, frame.rowShift)
        pieceCount += count
        let longest = pieces.withUnsafeMutableBufferPointer { pieces in
            blocks.withUnsafeMutableBytes { blocks in
                var (place, longest) = (first, Float(0))
                guard let memory = blocks.baseAddress else { return longest }
                edges.forEach(in: found) { piece, node, block, lane in
                    // Of 64 bits: what is rounded outward may be more than half a turn away.
                    let (column, row) = (Int(node.column &- middle.column), Int(node.row) &- Int(middle.row))
                    // What the node's units leave out.
                    let rest = (1 &<< Int(node.shift)) &- 1
                    @inline(__always) func side(_ byte: Int, _ start: Int, _ shift: Int32) -> Int16 {
                        let units = block.load(fromByteOffset: 2 &* lane &+ byte, as: Int16.self)
                        return AngleBox.unit(Int(units) &<< Int(node.shift) &+ start, shift)
                    }
                    BorderBlock.store(
                        side(0, column, columnShift), side(16, row, rowShift), side(32, column &+ rest, columnShift),
                        side(48, row &+ rest, rowShift), in: memory, at: place)
                    pieces[place] = piece.pointee
                    longest = max(longest, piece.pointee.longestEdgeMetres)
                    place &+= 1
                }
                return longest
            }
        }
        flatError = max(flatError, EdgeTable.flatError(longestEdgeMetres: longest))
    }

    @inline(__always)
    private mutating func add(_ circle: BorderPieces.Circle, _ frame: WindowFrame) {
        let off = circle.centre - frame.middle.vector
        let distance = off.lengthSquared.squareRoot()
        // The border leads past the window, or round it.
        if distance > Double(circle.most) + frame.reach || distance < Double(circle.least) - frame.reach { return }
        // Floats are within 2^-24 of themselves; a few of them make a distance.
        let error = 1e-6 * (distance + frame.reach) + 0.001
        // Both ends are below the plane by less than d²/2R, so that a chord is longer than what is seen of it by less than that.
        let below = (distance + frame.reach) * (distance + frame.reach) * Self.greatestCurvature
        let lane = circleSlots.count & 3
        if lane == 0 { circles.append(CircleBlock()) }
        let last = circles.count - 1
        circles.withUnsafeMutableBufferPointer { circles in
            guard let block = circles.baseAddress else { return }
            CircleBlock.store(
                frame.onPlane(off), least: circle.least - Float(error + below), most: circle.most + Float(error), in: block + last, at: lane
            )
        }
        circleSlots.append(circle.slot)
    }
}
