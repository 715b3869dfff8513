extension BorderWindow {
    /// How many blocks a window should have: fewer cost openings, more cost comparisons.
    private static let fewest = 10
    private static let most = 26
    private static let smallestRadius = 20.0
    private static let largestRadius = 50_000.0

    /// Opens a window that holds a way, ahead of it; false, and closed, where there can be none.
    mutating func open(_ way: LonLatEdge, _ index: FenceIndex) -> Bool {
        let end = Coordinate(cuttingLatitudeDegrees: way.by, wrappingLongitudeDegrees: way.bx)
        move(to: WindowFrame(way, from: entry ?? end, radius: radius))
        entry = end
        guard isOpen else { return false }
        (x, y) = frame.seen(way).a
        travelled = 0
        flatError = EdgeTable.flatError(longestEdgeMetres: 0)
        fill(from: index, frame)
        let count = groups.count + circles.count
        if count > BorderWindow.most {
            radius = max(frame.radius * 0.7, BorderWindow.smallestRadius)
        } else if count < BorderWindow.fewest {
            radius = min(frame.radius * 1.4, BorderWindow.largestRadius)
        }
        return true
    }

    /// Gathers the fences whose borders may lead through the frame.
    ///
    /// In turns over all of them, and without a branch on what is read: reads that wait for memory wait together.
    private mutating func fill(from index: FenceIndex, _ frame: WindowFrame) {
        found.removeAll(keepingCapacity: true)
        index.collectSlots(near: frame.middle, within: frame.reach, into: &found, &nodes)
        index.withFigures { figures in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * found.count + 2) { sorted in
                let middle = found.count + 1
                var (polygons, rest) = (0, middle)
                for slot in found {
                    let isPolygon = figures[Int(slot)].kind == .polygons
                    sorted[polygons] = slot
                    polygons &+= isPolygon ? 1 : 0
                    sorted[rest] = slot
                    rest &+= isPolygon ? 0 : 1
                }
                var near = 0
                for place in 0..<polygons {
                    let slot = sorted[place]
                    sorted[near] = slot
                    near &+= BorderWindow.touches(figures[Int(slot)], frame) ? 1 : 0
                }
                // Every table is touched once here, so that these reads, too, wait together.
                var count = rest - middle
                for place in 0..<near { count &+= Int(figures[Int(sorted[place])].groupCount) }
                makeRoom(forHits: count)
                for place in middle..<rest { add(sorted[place], figures[Int(sorted[place])], frame) }
                for place in 0..<near { add(sorted[place], figures[Int(sorted[place])], frame) }
            }
        }
    }

    /// Whether the box of a table touches the frame; of one that is not local, always.
    @inline(__always)
    private static func touches(_ figure: FenceFigure, _ frame: WindowFrame) -> Bool {
        let (table, bounds, y) = (figure.bounds, frame.bounds, frame.middle.latitude)
        let middle = (table.west + table.east) / 2
        let x = middle + (frame.middle.longitude - middle).wrappedDegrees
        let gap = max(
            max(x + bounds.west - table.east, table.west - x - bounds.east),
            max(y + bounds.south - table.north, table.south - y - bounds.north))
        // The roundings of angles are below that.
        return gap <= (figure.isLocal ? 1e-9 : .infinity)
    }

    @inline(__always)
    private mutating func add(_ slot: Int32, _ figure: FenceFigure, _ frame: WindowFrame) {
        switch figure.kind {
        case .circle:
            guard let chords = figure.chords else { return others.append(Other(slot: slot, due: 0)) }
            let off = figure.centre - frame.middle.vector
            let distance = off.lengthSquared.squareRoot()
            // The border leads past the window, or round it.
            if distance > chords.most + frame.reach || distance < chords.least - frame.reach { return }
            // Floats are within 2^-24 of themselves; a few of them make a distance.
            let error = 1e-6 * (distance + frame.reach) + 0.001
            let lane = circleSlots.count & 3
            if lane == 0 { circles.append(CircleBlock()) }
            let block = circles.count - 1
            circles[block].x[lane] = Float(off.x)
            circles[block].y[lane] = Float(off.y)
            circles[block].z[lane] = Float(off.z)
            circles[block].least[lane] = Float(chords.least - error)
            circles[block].most[lane] = Float(chords.most + error)
            circleSlots.append(slot)
        case .polygons:
            guard let table = figure.edges else { return }
            guard table.header.pointee.isLocal else { return others.append(Other(slot: slot, due: 0)) }
            add(slot, table, frame)
        case .corridor: others.append(Other(slot: slot, due: 0))
        case .nothing: break
        }
    }

    /// Adds the groups of a local table whose boxes touch the frame.
    @inline(__always)
    private mutating func add(_ slot: Int32, _ table: EdgeTable, _ frame: WindowFrame) {
        let step = EdgeTable.stepsPerDegree
        let column = Int32((table.turned(frame.middle.longitude) * step).rounded())
        let row = Int32((frame.middle.latitude * step).rounded())
        let corner = SIMD4(column, row, column, row)
        let shift = SIMD4(frame.columnShift, frame.rowShift, frame.columnShift, frame.rowShift)
        // Boxes are whole steps.
        let (width, height) = (Int32(frame.bounds.east * step) + 2, Int32(frame.bounds.north * step) + 2)
        let limits = SIMD4(width, height, -width, -height)
        // West and south of a box are not beyond the far sides, east and north are beyond the near ones.
        let isBeyond = SIMDMask<SIMD4<Int32>>([false, false, true, true])
        flatError = max(flatError, EdgeTable.flatError(longestEdgeMetres: table.header.pointee.longestEdgeMetres))
        let boxes = table.boxes
        for group in 0..<table.groupCount {
            let off = boxes.load(fromByteOffset: group &* 16, as: SIMD4<Int32>.self) &- corner
            if any((off .> limits) .^ isBeyond) { continue }
            let place = groupSources.count
            if place & 7 == 0 { groups.append(GroupBlock()) }
            groups.withUnsafeMutableBytes { GroupBlock.store(off &>> shift, in: $0, at: place) }
            groupSources.append(Hit(slot: slot, group: Int32(truncatingIfNeeded: group)))
        }
    }
}
