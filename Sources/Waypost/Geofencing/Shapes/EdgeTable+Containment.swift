extension EdgeTable {
    /// Whether the place lies in one of the polygons or on its border; a hole's border belongs to the polygon.
    func contains(_ probe: FenceProbe) -> Bool {
        let bounds = header
        guard probe.latitude >= bounds.pointee.south, probe.latitude <= bounds.pointee.north else { return false }
        guard bounds.pointee.isLocal else {
            return holds { ring in
                var crossings = CrossingCount(ring)
                forEachTurn(of: probe.longitude, margin: 0) { count(ring, longitude: $0, latitude: probe.latitude, &crossings) }
                return crossings
            }
        }
        // A local table can be reached in one way only.
        let longitude = turned(probe.longitude)
        guard longitude >= bounds.pointee.west, longitude <= bounds.pointee.east else { return false }
        let meridian = GridMeridian(longitude: longitude, latitude: probe.latitude)
        return holds { ring in
            var crossings = CrossingCount(ring)
            countOnGrid(ring, meridian, &crossings)
            return crossings
        }
    }

    /// Combines the results of the rings.
    @inline(__always)
    private func holds(_ crossings: (Ring) -> CrossingCount) -> Bool {
        var isIn = false
        for ring in rings {
            // Once its outer ring or a hole has excluded the place, a polygon needs no more tests.
            if ring.isOuter { if isIn { return true } } else if !isIn { continue }
            let crossings = crossings(ring)
            if crossings.isOnBorder { return true }
            if ring.isOuter { isIn = crossings.isOdd } else if crossings.isOdd { isIn = false }
        }
        return isIn
    }

    /// How often edges cross the meridian from a place up to the north pole: an odd number of times from inside.
    struct CrossingCount {
        var isOdd: Bool
        var isOnBorder = false

        /// Starts the count: from inside, a ring round the north pole is crossed an even number of times, so it starts odd.
        @inline(__always)
        init(_ ring: Ring) {
            isOdd = ring.pole == .north
        }

        /// Counts an edge.
        @inline(__always)
        mutating func add(_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double, _ x: Double, _ latitude: Double) {
            if (ax <= x) != (bx <= x) {
                // Twice the area of the triangle: its sign shows the side of the edge on which the place lies, without a division.
                let area = (bx - ax) * (latitude - ay) - (by - ay) * (x - ax)
                if area == 0 {
                    isOnBorder = true
                } else if (area < 0) == (bx > ax) {
                    isOdd.toggle()
                }
            } else if ax == x, ay == latitude || (bx == x && (ay < latitude) != (by < latitude)) {
                isOnBorder = true
            }
        }
    }

    /// Edge by edge, for tables of any size.
    private func count(_ ring: Ring, longitude x: Double, latitude: Double, _ crossings: inout CrossingCount) {
        for group in Int(ring.group)..<Int(ring.groupEnd) {
            let box = degreeBox(group)
            // Edges entirely on one side of the meridian, or south of the place, are not crossed.
            guard x >= Double(box.x), x <= Double(box.z), latitude <= Double(box.w), !crossings.isOnBorder else { continue }
            forEachEdge(of: ring, group: group) { ax, ay, bx, by in
                crossings.add(ax, ay, bx, by, x, latitude)
                return !crossings.isOnBorder
            }
        }
    }

    /// A meridian and a place on it, with their positions on the grid.
    struct GridMeridian {
        let longitude: Double
        let latitude: Double
        /// The last step of the grid not east of the meridian, and the last one not north of the place.
        let column: Int32
        let row: Int32
        /// Whether the meridian is exactly on that step, so that corners may lie on it.
        let isOnStep: Bool

        @inline(__always)
        init(longitude: Double, latitude: Double) {
            self.longitude = longitude
            self.latitude = latitude
            var column = (longitude * EdgeTable.stepsPerDegree).rounded(.down)
            // Rounding may have moved the product over a step.
            if column / EdgeTable.stepsPerDegree > longitude { column -= 1 }
            if (column + 1) / EdgeTable.stepsPerDegree <= longitude { column += 1 }
            self.column = Int32(column)
            isOnStep = column / EdgeTable.stepsPerDegree == longitude
            row = Int32((latitude * EdgeTable.stepsPerDegree).rounded(.down))
        }
    }

    @inline(__always)
    private func countOnGrid(_ ring: Ring, _ meridian: GridMeridian, _ crossings: inout CrossingCount) {
        for group in Int(ring.group)..<Int(ring.groupEnd) {
            let box = gridBox(group)
            guard meridian.column >= box.x, meridian.column <= box.z, meridian.row - 1 <= box.w, !crossings.isOnBorder else { continue }
            if header.pointee.isOnGrid {
                count(group: group, meridian, &crossings)
            } else {
                forEachEdge(of: ring, group: group) { ax, ay, bx, by in
                    crossings.add(ax, ay, bx, by, meridian.longitude, meridian.latitude)
                    return !crossings.isOnBorder
                }
            }
        }
    }

    /// Counts four edges at a time: whole numbers select the edges that the meridian may cross; only those are tested in degrees.
    @inline(__always)
    func count(group: Int, _ meridian: GridMeridian, _ crossings: inout CrossingCount) {
        let column = SIMD4(repeating: meridian.column)
        let columns = UnsafeRawPointer(longitudes)
        var index = Int(groupStarts[group])
        let end = index + (Int(groupStarts[group + 1]) - index) & ~3
        while index < end {
            let starts = columns.loadUnaligned(fromByteOffset: index &* 4, as: SIMD4<Int32>.self)
            let ends = columns.loadUnaligned(fromByteOffset: index &* 4 &+ 4, as: SIMD4<Int32>.self)
            var isOfInterest = (starts .<= column) .^ (ends .<= column)
            if meridian.isOnStep { isOfInterest = isOfInterest .| (starts .== column) }
            if any(isOfInterest) {
                for lane in 0..<4 where isOfInterest[lane] {
                    let (a, b) = (corner(index + lane), corner(index + lane + 1))
                    crossings.add(a.longitude, a.latitude, b.longitude, b.latitude, meridian.longitude, meridian.latitude)
                }
            }
            index += 4
        }
    }
}
