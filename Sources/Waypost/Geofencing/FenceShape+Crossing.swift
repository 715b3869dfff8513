/// Where a way between two fixes crosses a border: shares of the way, 0...1; the first and the last crossing.
struct BorderCrossing {
    var first: Double
    var last: Double

    mutating func add(_ share: Double) {
        first = min(first, share)
        last = max(last, share)
    }
}

extension FenceShape {
    /// Where the straight way between two places meets the border, or nil when it does not; touching counts.
    func crossing(_ way: LonLatEdge) -> BorderCrossing? {
        switch self {
        case .circle(let circle): circle.crossing(way)
        case .polygons(let rings): rings.crossing(way)
        case .corridor(let line, let halfWidth): line.crossing(way, halfWidth: halfWidth)
        }
    }
}

extension FenceCircle {
    fileprivate func crossing(_ way: LonLatEdge) -> BorderCrossing? {
        let (middle, distance) = way.nearest(to: FenceProbe(centre))
        let length = way.longestMetres
        guard distance <= radiusMetres, length > 0 else { return nil }
        // The chord's half length; the way bends too little on the scale of a fence to matter for an interpolated time.
        let half = (radiusMetres * radiusMetres - distance * distance).squareRoot() / length
        let (first, last) = (middle - half, middle + half)
        // An end of the way that is inside is no crossing.
        return BorderCrossing(first: first >= 0 ? first : min(last, 1), last: last <= 1 ? last : max(first, 0))
    }
}

extension FenceRings {
    fileprivate func crossing(_ way: LonLatEdge) -> BorderCrossing? {
        let (wayEast, wayNorth) = (way.bx - way.ax, way.by - way.ay)
        let (lowest, highest) = (min(way.ay, way.by), max(way.ay, way.by))
        guard highest >= south, lowest <= north else { return nil }
        var found: BorderCrossing?
        forEachTurn(of: way.ax, margin: abs(wayEast)) { x in
            let (leftmost, rightmost) = (min(x, x + wayEast), max(x, x + wayEast))
            for ring in rings {
                for group in groups(of: ring) {
                    let box = groups[group]
                    guard Double(box.z) >= leftmost, Double(box.x) <= rightmost, Double(box.w) >= lowest, Double(box.y) <= highest else {
                        continue
                    }
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

    /// Of a corridor: the nearest approaches of way and line are found first, the border from there by halving.
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
        // The nearest approach is at an end of the way, at a corner of the line, or where they cross.
        var inside: [Double] = starts ? [0] : (ends ? [1] : [])
        if inside.isEmpty {
            for corner in corners.joined() {
                let approach = way.nearest(to: FenceProbe(corner))
                if approach.metres <= halfWidth { inside.append(approach.share) }
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
