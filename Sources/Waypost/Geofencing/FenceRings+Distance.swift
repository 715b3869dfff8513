/// The point of some edge that is nearest to a place.
struct NearestOnEdge {
    /// The squared distance on the flat map, square metres.
    var flatSquared = Double.infinity
    /// The edge, and the place's longitude written the way that the edge's are.
    var (ax, ay, bx, by, x) = (0.0, 0.0, 0.0, 0.0, 0.0)
    /// How far along the edge, 0...1.
    var share = 0.0
}

extension FenceRings {
    /// The nearest edge on the flat map round a place.
    ///
    /// The group of edges whose box is nearest comes first; most of the others are out of the question then.
    ///
    /// - Parameter limit: edges further away than that on the map are of no interest, metres.
    func nearestEdge(_ probe: FenceProbe, within limit: Double = .infinity) -> NearestOnEdge {
        var nearest = NearestOnEdge()
        nearest.flatSquared = limit * limit
        let margin = min(180, limit / max(probe.metresPerLongitude, 1e-9))
        var (firstRing, firstGroup, firstX, least) = (0, -1, 0.0, nearest.flatSquared)
        forEachTurn(of: probe.longitude, margin: margin) { x in
            for (place, ring) in rings.enumerated() {
                for group in groups(of: ring) {
                    let squared = flatSquared(to: group, probe, x)
                    if squared < least { (firstRing, firstGroup, firstX, least) = (place, group, x, squared) }
                }
            }
        }
        guard firstGroup >= 0 else { return nearest }
        hold(probe, against: rings[firstRing], group: firstGroup, x: firstX, &nearest)
        forEachTurn(of: probe.longitude, margin: margin) { x in
            for ring in rings {
                for group in groups(of: ring) where flatSquared(to: group, probe, x) < nearest.flatSquared {
                    hold(probe, against: ring, group: group, x: x, &nearest)
                }
            }
        }
        return nearest
    }

    /// The squared distance on the flat map to the box of a group of edges.
    @inline(__always)
    private func flatSquared(to group: Int, _ probe: FenceProbe, _ x: Double) -> Double {
        let box = groups[group]
        let east = max(Double(box.x) - x, x - Double(box.z), 0) * probe.metresPerLongitude
        let north = max(Double(box.y) - probe.latitude, probe.latitude - Double(box.w), 0) * probe.metresPerLatitude
        return east * east + north * north
    }

    /// Holds a place against the edges of a group.
    @inline(__always)
    private func hold(_ probe: FenceProbe, against ring: Ring, group: Int, x: Double, _ nearest: inout NearestOnEdge) {
        let latitude = probe.latitude
        let (perLongitude, perLatitude) = (probe.metresPerLongitude, probe.metresPerLatitude)
        forEachEdge(of: ring, group: group) { ax, ay, bx, by in
            let (east, north) = ((ax - x) * perLongitude, (ay - latitude) * perLatitude)
            let (alongEast, alongNorth) = ((bx - ax) * perLongitude, (by - ay) * perLatitude)
            let length = alongEast * alongEast + alongNorth * alongNorth
            let projected = -(east * alongEast + north * alongNorth)
            let share = projected <= 0 ? 0 : (projected >= length ? 1 : projected / length)
            let (offEast, offNorth) = (east + share * alongEast, north + share * alongNorth)
            let squared = offEast * offEast + offNorth * offNorth
            if squared < nearest.flatSquared {
                nearest = NearestOnEdge(flatSquared: squared, ax: ax, ay: ay, bx: bx, by: by, x: x, share: share)
            }
            return true
        }
    }

    /// The distance to the nearest edge in metres.
    func distance(_ probe: FenceProbe) -> Double {
        let nearest = nearestEdge(probe)
        return LonLatEdge(ax: nearest.ax, ay: nearest.ay, bx: nearest.bx, by: nearest.by)
            .nearest(to: probe, writtenAt: nearest.x, from: nearest.share).metres
    }

    /// A distance in metres that the nearest edge is not nearer than.
    func clearance(_ probe: FenceProbe) -> Double {
        probe.leastDistance(flat: nearestEdge(probe, within: 0.25 * probe.scaleLength).flatSquared.squareRoot())
    }
}

extension FenceProbe {
    /// What a distance on the flat map is at least on the Earth.
    ///
    /// Within a fifth of the way to the pole lengths are true within a fifth; what is further away on the map is further than that.
    @inline(__always)
    func leastDistance(flat: Double) -> Double {
        0.8 * min(flat, 0.25 * scaleLength)
    }
}
