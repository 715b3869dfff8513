/// Where a path between two fixes crosses a border, as shares of the path, 0...1: the first and the last crossing.
struct BorderCrossing {
    var first: Double
    var last: Double

    mutating func add(_ share: Double) {
        first = min(first, share)
        last = max(last, share)
    }
}

extension FenceShape {
    /// Where the straight path between two places meets the border, or nil when it does not; touching counts.
    func crossing(_ way: LonLatEdge) -> BorderCrossing? {
        switch self {
        case .circle(let circle): circle.crossing(way)
        case .polygons(let rings): rings.table.crossing(way)
        case .corridor(let line, let halfWidth): line.table.crossing(way, halfWidth: halfWidth)
        }
    }
}

extension FenceShape {
    /// The same for the time of an event: near a place at the end of the path a flat map is good enough.
    func crossing(_ way: LonLatEdge, near probe: FenceProbe) -> BorderCrossing? {
        if case .circle(let circle) = self, let found = circle.crossing(way, near: probe) { return found }
        return crossing(way)
    }
}

extension FenceCircle {
    /// Where a short path meets the border, on the flat map between the centre and a place on the path; for the times of events.
    ///
    /// nil when that map is not good enough: its lengths are taken half way to the centre, so that their relative error is below d²/R².
    func crossing(_ way: LonLatEdge, near probe: FenceProbe) -> BorderCrossing? {
        let north = (way.by - centre.latitudeDegrees) * probe.metresPerLatitude
        let perLongitude = probe.metresPerLongitude * (1 + (probe.latitudeAngle.sine < 0 ? -0.5 : 0.5) * north / probe.scaleLength)
        let east = (way.bx - centre.longitudeDegrees).wrappedDegrees * perLongitude
        let wayEast = (way.bx - way.ax) * perLongitude
        let wayNorth = (way.by - way.ay) * probe.metresPerLatitude
        let (endSquared, length) = (east * east + north * north, wayEast * wayEast + wayNorth * wayNorth)
        guard length > 0, max(endSquared, length) < 1e8, max(endSquared, length) < 1e-4 * probe.scaleLength * probe.scaleLength else {
            return nil
        }
        // From the end of the path backward: |end - t path| = radius.
        let half = (east * wayEast + north * wayNorth) / length
        let root = half * half - (endSquared - radiusMetres * radiusMetres) / length
        guard root >= 0 else { return nil }
        let (first, last) = (1 - half - root.squareRoot(), 1 - half + root.squareRoot())
        return BorderCrossing(
            first: min(max(first >= 0 ? first : last, 0), 1), last: min(max(last <= 1 ? last : first, 0), 1))
    }

    fileprivate func crossing(_ way: LonLatEdge) -> BorderCrossing? {
        let (middle, distance) = way.nearest(to: FenceProbe(centre))
        let length = way.longestMetres
        guard distance <= radiusMetres, length > 0 else { return nil }
        // The chord's half length; the path bends too little on the scale of a fence to matter for an interpolated time.
        let half = (radiusMetres * radiusMetres - distance * distance).squareRoot() / length
        let (first, last) = (middle - half, middle + half)
        // An end of the path that is inside is not a crossing.
        return BorderCrossing(first: first >= 0 ? first : min(last, 1), last: last <= 1 ? last : max(first, 0))
    }
}

extension EdgeTable {
    fileprivate func crossing(_ way: LonLatEdge) -> BorderCrossing? {
        let (wayEast, wayNorth) = (way.bx - way.ax, way.by - way.ay)
        let (lowest, highest) = (min(way.ay, way.by), max(way.ay, way.by))
        guard highest >= header.pointee.south, lowest <= header.pointee.north else { return nil }
        var found: BorderCrossing?
        forEachTurn(of: way.ax, margin: abs(wayEast)) { x in
            let (leftmost, rightmost) = (min(x, x + wayEast), max(x, x + wayEast))
            for ring in rings {
                for group in Int(ring.group)..<Int(ring.groupEnd) {
                    let box = box(group)
                    guard box.z >= leftmost, box.x <= rightmost, box.w >= lowest, box.y <= highest else { continue }
                    forEachEdge(of: ring, group: group) { ax, ay, bx, by in
                        guard max(ax, bx) >= leftmost, min(ax, bx) <= rightmost, max(ay, by) >= lowest, min(ay, by) <= highest else {
                            return true
                        }
                        let (edgeEast, edgeNorth) = (bx - ax, by - ay)
                        let (offEast, offNorth) = (ax - x, ay - way.ay)
                        let cross = wayEast * edgeNorth - wayNorth * edgeEast
                        if cross != 0 {
                            let share = (offEast * edgeNorth - offNorth * edgeEast) / cross
                            let along = (offEast * wayNorth - offNorth * wayEast) / cross
                            if share >= 0, share <= 1, along >= 0, along <= 1 {
                                if found == nil { found = BorderCrossing(first: share, last: share) } else { found?.add(share) }
                            }
                        }
                        return true
                    }
                }
            }
        }
        return found
    }

    /// For a corridor: first find where path and line are nearest, then halve from there to the border.
    fileprivate func crossing(_ way: LonLatEdge, halfWidth: Double) -> BorderCrossing? {
        func distance(_ share: Double) -> Double { self.distance(FenceProbe(way.place(share))) - halfWidth }
        func border(from outside: Double, to inside: Double) -> Double {
            var (outside, inside) = (outside, inside)
            for _ in 0..<30 {
                let middle = (outside + inside) / 2
                if distance(middle) <= 0 { inside = middle } else { outside = middle }
            }
            return inside
        }
        let starts = distance(0) <= 0
        let ends = distance(1) <= 0
        if starts, ends { return nil }
        // The nearest approach is at an end of the path, at a corner of the line, or where they cross.
        var inside: [Double] = starts ? [0] : (ends ? [1] : [])
        if inside.isEmpty {
            for ring in rings {
                for index in Int(ring.start)..<Int(ring.end) {
                    let (longitude, latitude) = corner(index)
                    let place = Coordinate(cuttingLatitudeDegrees: latitude, wrappingLongitudeDegrees: longitude)
                    let approach = way.nearest(to: FenceProbe(place))
                    if approach.metres <= halfWidth { inside.append(approach.share) }
                }
            }
            if let crossed = crossing(way) { inside += [crossed.first, crossed.last] }
        }
        guard let first = inside.min(), let last = inside.max() else { return nil }
        let entering = starts ? nil : border(from: 0, to: first)
        let leaving = ends ? nil : border(from: 1, to: last)
        guard let either = entering ?? leaving else { return nil }
        return BorderCrossing(first: entering ?? either, last: leaving ?? either)
    }
}
