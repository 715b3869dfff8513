extension FenceRings {
    /// Whether the place lies in one of the polygons or on its border; a hole's border belongs to the polygon.
    func contains(_ probe: FenceProbe) -> Bool {
        guard probe.latitude >= south, probe.latitude <= north else { return false }
        let (longitude, latitude) = (probe.longitude, probe.latitude)
        var isIn = false
        for ring in rings {
            // A polygon whose outer ring or a hole has thrown the place out is done with.
            if ring.isOuter { if isIn { return true } } else if !isIn { continue }
            switch side(of: ring, longitude: longitude, latitude: latitude) {
            case .border: return true
            case .inside: isIn = ring.isOuter
            case .outside: if ring.isOuter { isIn = false }
            }
        }
        return isIn
    }

    private enum Side { case inside, outside, border }

    /// Counts the edges that the meridian crosses from the place up to the north pole.
    ///
    /// An odd number is inside. A ring round the north pole is crossed an even number of times from inside: the count starts at its pole.
    private func side(of ring: Ring, longitude: Double, latitude: Double) -> Side {
        var isOdd = ring.pole == .north
        var isOnBorder = false
        forEachTurn(of: longitude, margin: 0) { x in
            for group in groups(of: ring) {
                let box = groups[group]
                // Edges beside the meridian, or south of the place, are not crossed.
                guard x >= Double(box.x), x <= Double(box.z), latitude <= Double(box.w), !isOnBorder else { continue }
                forEachEdge(of: ring, group: group) { ax, ay, bx, by in
                    if (ax <= x) != (bx <= x) {
                        // Twice the area of the triangle: its sign tells on which side of the edge the place lies, without a division.
                        let area = (bx - ax) * (latitude - ay) - (by - ay) * (x - ax)
                        if area == 0 {
                            isOnBorder = true
                        } else if (area < 0) == (bx > ax) {
                            isOdd.toggle()
                        }
                    } else if ax == x, ay == latitude || (bx == x && (ay < latitude) != (by < latitude)) {
                        isOnBorder = true
                    }
                    return !isOnBorder
                }
            }
        }
        return isOnBorder ? .border : (isOdd ? .inside : .outside)
    }
}
