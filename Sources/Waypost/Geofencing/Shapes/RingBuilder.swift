/// Collects rings, and unrolls their longitudes.
struct RingBuilder {
    var rings: [EdgeTable.Ring] = []
    /// Longitude and latitude in turn.
    var corners: [Double] = []
    /// The first corner of each group of edges.
    var groupStarts: [Int32] = []
    private var longestEdgeMetres = 0.0

    mutating func addRing(_ ring: [Coordinate], polygon: Int, ring index: Int) throws(FenceShapeError) {
        var ring = ring
        var turns = RingBuilder.turns(ring)
        if turns != 0, let moved = RingBuilder.beginningBesidePole(ring) {
            ring = moved
            turns = RingBuilder.turns(ring)
        }
        guard abs(turns) <= 1 else { throw .windsMoreThanOnce(polygon: polygon, ring: index) }
        let start = corners.count / 2
        unroll(ring)
        if turns != 0 { removeWaysToPole(from: start, turnDegrees: Double(turns) * 360) }
        guard corners.count / 2 - start >= 3 else { throw .tooFewCorners(polygon: polygon, ring: index) }
        corners.append(corners[2 * start] + Double(turns) * 360)
        corners.append(corners[2 * start + 1])
        let middle = stride(from: 2 * start + 1, to: corners.count, by: 2).reduce(0) { $0 + corners[$1] }
        close(from: start, pole: turns == 0 ? .none : (middle > 0 ? .north : .south), isOuter: index == 0)
    }

    mutating func addLine(_ line: [Coordinate]) throws(FenceShapeError) {
        unroll(line)
        guard corners.count >= 4 else { throw .tooFewPoints }
        close(from: 0, pole: .none, isOuter: true)
    }

    /// Makes a ring of the corners from `start` on: groups its edges, and repeats the last corner.
    private mutating func close(from start: Int, pole: EdgeTable.Ring.Pole, isOuter: Bool) {
        let end = corners.count / 2
        let group = groupStarts.count
        for first in stride(from: start, to: end - 1, by: EdgeTable.edgesPerGroup) { groupStarts.append(Int32(first)) }
        rings.append(
            EdgeTable.Ring(
                start: Int32(start), end: Int32(end), group: Int32(group), groupEnd: Int32(groupStarts.count), pole: pole, isOuter: isOuter)
        )
        for index in start + 1..<end {
            // No degree is longer than 111 694 m.
            let (east, north) = (corners[2 * index] - corners[2 * index - 2], corners[2 * index + 1] - corners[2 * index - 1])
            longestEdgeMetres = max(longestEdgeMetres, 111_694 * (east * east + north * north).squareRoot())
        }
        let (longitude, latitude) = (corners[corners.count - 2], corners[corners.count - 1])
        for _ in 0..<(4 - (end - start - 1) % 4) % 4 {
            corners.append(longitude)
            corners.append(latitude)
        }
    }

    /// The table of all rings.
    consuming func makeTable() -> EdgeTable {
        var header = EdgeTable.Header()
        (header.west, header.east) = range(offset: 0)
        let latitudes = range(offset: 1)
        header.south = rings.contains { $0.pole == .south } ? -90 : latitudes.0
        header.north = rings.contains { $0.pole == .north } ? 90 : latitudes.1
        header.longestEdgeMetres = Float(longestEdgeMetres).nextUp
        let (width, height) = ((header.east - header.west) * cosine(of: header.south, header.north), header.north - header.south)
        header.farSquaredMetres = Float(16 * 111_694 * 111_694 * (width * width + height * height))
        groupStarts.append(Int32(corners.count / 2))
        return EdgeTable(header, rings: rings, groupStarts: groupStarts, corners: corners)
    }

    /// The greatest cosine of the latitudes between two.
    private func cosine(of south: Double, _ north: Double) -> Double {
        south <= 0 && north >= 0 ? 1 : SineCosine(degrees: min(abs(south), abs(north))).cosine
    }

    /// Appends the points without repetitions, the closing one included.
    private mutating func unroll(_ points: [Coordinate]) {
        let start = corners.count
        for point in points {
            var longitude = point.longitudeDegrees
            if corners.count > start {
                let before = corners[corners.count - 2]
                longitude = RingBuilder.nearest(longitude, to: before)
                if longitude == before, point.latitudeDegrees == corners[corners.count - 1] { continue }
            } else if start > 0 {
                // The rings of one fence lie side by side, on whichever side of the antimeridian they begin.
                longitude = RingBuilder.nearest(longitude, to: corners[0])
            }
            corners.append(longitude)
            corners.append(point.latitudeDegrees)
        }
        if corners.count - start > 4, points.first == points.last {
            corners.removeLast(2)
        }
    }

    /// The ring rotated to its first corner that is not on a pole; nil when it begins there already, or there is none.
    ///
    /// It is rotated before its longitudes are unrolled, so that it stays the same when written and read again.
    private static func beginningBesidePole(_ ring: [Coordinate]) -> [Coordinate]? {
        guard let start = ring.firstIndex(where: { abs($0.latitudeDegrees) < 90 }), start > 0 else { return nil }
        let open = ring.first == ring.last ? ring.dropLast() : ring[...]
        return Array(open[start...] + open[..<start])
    }

    /// Removes the paths along a meridian to a pole and back.
    ///
    /// On a flat map a ring round the pole is cut there; both paths are the same line.
    private mutating func removeWaysToPole(from start: Int, turnDegrees: Double) {
        let ring = stride(from: 2 * start, to: corners.count, by: 2).map { (longitude: corners[$0], latitude: corners[$0 + 1]) }
        // The ring begins beside the pole, so that no run of corners on the pole is cut in two.
        guard abs(ring[0].latitude) < 90 else { return }
        corners.removeLast(corners.count - 2 * start)
        var kept = [ring[0]]
        var run: [(longitude: Double, latitude: Double)] = []
        for offset in 1...ring.count {
            var corner = ring[offset % ring.count]
            if offset == ring.count { corner.longitude += turnDegrees }
            if abs(corner.latitude) >= 90 {
                run.append(corner)
                continue
            }
            let meridian = corner.longitude
            if kept[kept.count - 1].longitude != meridian || run.contains(where: { $0.longitude != meridian }) { kept += run }
            run.removeAll()
            // Without the path to the pole, the corners before and after it may be the same.
            if kept[kept.count - 1] != corner { kept.append(corner) }
        }
        // The first corner again, one turn further on.
        kept.removeLast()
        for corner in kept {
            corners.append(corner.longitude)
            corners.append(corner.latitude)
        }
    }

    /// How often the ring goes round the globe; eastward is positive.
    private static func turns(_ ring: [Coordinate]) -> Int {
        guard let first = ring.first else { return 0 }
        var longitude = first.longitudeDegrees
        for point in ring.dropFirst() { longitude = nearest(point.longitudeDegrees, to: longitude) }
        return Int(((nearest(first.longitudeDegrees, to: longitude) - first.longitudeDegrees) / 360).rounded())
    }

    /// The equivalent of a longitude that is at most half a turn from another one.
    private static func nearest(_ longitude: Double, to other: Double) -> Double {
        // Without rounding in the usual case, so that a longitude comes back exactly as given.
        let turns = ((other - longitude) / 360).rounded(.toNearestOrEven)
        return abs(other - longitude) <= 180 ? longitude : longitude + 360 * turns
    }

    /// The least and the greatest of every second number.
    private func range(offset: Int) -> (Double, Double) {
        var least = Double.infinity
        var greatest = -Double.infinity
        for index in stride(from: offset, to: corners.count, by: 2) {
            least = min(least, corners[index])
            greatest = max(greatest, corners[index])
        }
        return (least, greatest)
    }
}
