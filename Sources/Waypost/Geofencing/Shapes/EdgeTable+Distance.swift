/// The point of an edge that is nearest to a place.
struct NearestOnEdge {
    /// The squared distance on the flat map, in square metres.
    var flatSquared = Double.infinity
    /// The edge, and the place's longitude shifted to those of the edge.
    var (ax, ay, bx, by, x) = (0.0, 0.0, 0.0, 0.0, 0.0)
    /// How far along the edge, 0...1.
    var share = 0.0
}

extension EdgeTable {
    /// The distance to the nearest edge in metres.
    func distance(_ probe: FenceProbe) -> Double {
        let nearest = nearestEdge(probe)
        return LonLatEdge(ax: nearest.ax, ay: nearest.ay, bx: nearest.bx, by: nearest.by)
            .nearest(to: probe, writtenAt: nearest.x, from: nearest.share).metres
    }

    /// A lower bound of the distance to the nearest edge, and an upper one where known; in metres.
    func distanceBounds(_ probe: FenceProbe) -> (least: Double, most: Double) {
        guard header.pointee.isLocal else {
            return (probe.leastDistance(flat: nearestEdge(probe, within: probe.widestMapMetres).flatSquared.squareRoot()), .infinity)
        }
        let x = turned(probe.longitude)
        if let far = distanceFromAfar(probe, x) { return (far, .infinity) }
        let place = GridPlace(probe, x)
        var nearest = NearestGroup()
        for group in 0..<groupCount { nearest.add(group, place.flatSquared(place.off(gridBox(group)))) }
        return distanceBounds(probe, flatSquared: flatSquared(place, nearest))
    }

    /// Whether a place lies in one of the polygons or on its border, and a lower bound of the distance to the border in metres.
    ///
    /// The same as ``contains(_:)`` and ``distanceBounds(_:)``, in one pass over the boxes of the groups.
    func side(_ probe: FenceProbe) -> FenceFigure.Side {
        guard header.pointee.isLocal, header.pointee.isOnGrid else { return (contains(probe), distanceBounds(probe).least) }
        let x = turned(probe.longitude)
        if let far = distanceFromAfar(probe, x) { return (false, far) }
        let place = GridPlace(probe, x)
        var nearest = NearestGroup()
        let boxes = boxes
        var isIn = false
        var isSettled = false
        for ring in rings {
            var crossings = CrossingCount(ring)
            for group in Int(ring.group)..<Int(ring.groupEnd) {
                let off = place.off(boxes.load(fromByteOffset: group &* 16, as: SIMD4<Int32>.self))
                nearest.add(group, place.flatSquared(off))
                // Edges entirely on one side of the meridian, or south of the place, are not crossed.
                if off.x <= 0, off.z >= 0, off.w >= -1 { count(group: group, place.meridian, &crossings) }
            }
            // Once its outer ring or a hole has excluded the place, a polygon needs no more tests.
            if isSettled || !ring.isOuter && !isIn { continue }
            if ring.isOuter, isIn {
                isSettled = true
            } else if crossings.isOnBorder {
                (isIn, isSettled) = (true, true)
            } else if ring.isOuter {
                isIn = crossings.isOdd
            } else if crossings.isOdd {
                isIn = false
            }
        }
        return (isIn, distanceBounds(probe, flatSquared: flatSquared(place, nearest)).least)
    }

    /// A lower bound by the box of the whole when that is far: differences on the grid might not fit, and single edges do not matter.
    @inline(__always)
    private func distanceFromAfar(_ probe: FenceProbe, _ x: Double) -> Double? {
        let bounds = header
        let east = max(bounds.pointee.west - x, x - bounds.pointee.east, 0)
        let north = max(bounds.pointee.south - probe.latitude, probe.latitude - bounds.pointee.north, 0)
        let (eastMetres, northMetres) = (east * probe.metresPerLongitude, north * probe.metresPerLatitude)
        let squared = eastMetres * eastMetres + northMetres * northMetres
        guard east >= EdgeTable.nearDegrees || north >= EdgeTable.nearDegrees || squared > Double(bounds.pointee.farSquaredMetres) else {
            return nil
        }
        return probe.leastDistance(flat: squared.squareRoot())
    }

    @inline(__always)
    private func distanceBounds(_ probe: FenceProbe, flatSquared: Float) -> (least: Double, most: Double) {
        let flat = Double(flatSquared).squareRoot()
        let error = EdgeTable.flatError(longestEdgeMetres: header.pointee.longestEdgeMetres) + 1e-6 * flat
        return (max(probe.leastDistance(flat: flat - error), 0), probe.mostDistance(flat: flat + error))
    }

    /// A place on the grid, and the flat map around it.
    struct GridPoint {
        var column: Int32
        let row: Int32
        let perColumn: Float
        let perRow: Float

        @inline(__always)
        init(column: Int32, row: Int32, perColumn: Float, perRow: Float) {
            (self.column, self.row, self.perColumn, self.perRow) = (column, row, perColumn, perRow)
        }

        /// The place of a probe shifted by that many degrees of longitude.
        @inline(__always)
        init(_ probe: FenceProbe, _ turn: Double = 0) {
            let step = EdgeTable.stepsPerDegree
            column = Int32(truncatingIfNeeded: ((probe.longitude + turn) * step).nearestWhole)
            row = Int32(truncatingIfNeeded: (probe.latitude * step).nearestWhole)
            perColumn = Float(probe.metresPerLongitude * (1 / step))
            perRow = Float(probe.metresPerLatitude * (1 / step))
        }

        /// The squared distances to four edges in square metres, and the minimum of those and others.
        ///
        /// Not inlined: among callers that use single lanes, the compiler would split the vectors.
        @inline(never)
        func flatSquared(
            _ columns: UnsafeRawPointer, _ rows: UnsafeRawPointer, _ byte: Int, _ others: SIMD4<Float>
        ) -> (squared: SIMD4<Float>, least: SIMD4<Float>) {
            let (zero, one, tiny) = (SIMD4<Float>.zero, SIMD4<Float>.one, SIMD4(repeating: Float.leastNormalMagnitude))
            let east = SIMD4<Float>(columns.loadUnaligned(fromByteOffset: byte, as: SIMD4<Int32>.self) &- column) * perColumn
            let north = SIMD4<Float>(rows.loadUnaligned(fromByteOffset: byte, as: SIMD4<Int32>.self) &- row) * perRow
            let nextEast = SIMD4<Float>(columns.loadUnaligned(fromByteOffset: byte &+ 4, as: SIMD4<Int32>.self) &- column) * perColumn
            let nextNorth = SIMD4<Float>(rows.loadUnaligned(fromByteOffset: byte &+ 4, as: SIMD4<Int32>.self) &- row) * perRow
            let (alongEast, alongNorth) = (nextEast - east, nextNorth - north)
            // A repeated corner is an edge of length zero: its share is 0.
            let length = alongEast * alongEast + alongNorth * alongNorth + tiny
            var share = (zero - (east * alongEast + north * alongNorth)) / length
            share = share.zeroed(where: share .< zero)
            share = share.zeroed(where: one .< share) + one.zeroed(where: share .<= one)
            let (offEast, offNorth) = (east + share * alongEast, north + share * alongNorth)
            let squared = offEast * offEast + offNorth * offNorth
            return (squared, squared.zeroed(where: others .<= squared) + others.zeroed(where: squared .< others))
        }

        /// The least squared distance to that many edges; calls the body with the first corner of each edge within the limit.
        @inline(__always)
        func test(
            _ columns: UnsafePointer<Int32>, _ rows: UnsafePointer<Int32>, count: Int, within limit: Float, _ body: (Int) -> Void
        ) -> Float {
            var least = SIMD4(repeating: Float.infinity)
            var corner = 0
            while corner < count {
                let squared: SIMD4<Float>
                (squared, least) = flatSquared(UnsafeRawPointer(columns), UnsafeRawPointer(rows), corner &* 4, least)
                let isNear = unsafeBitCast(squared .<= SIMD4(repeating: limit), to: SIMD2<UInt64>.self)
                if isNear.x | isNear.y != 0 {
                    if isNear.x & 0xFFFF_FFFF != 0 { body(corner) }
                    if isNear.x >> 32 != 0 { body(corner &+ 1) }
                    if isNear.y & 0xFFFF_FFFF != 0 { body(corner &+ 2) }
                    if isNear.y >> 32 != 0 { body(corner &+ 3) }
                }
                corner = corner &+ 4
            }
            return min(min(least.x, least.y), min(least.z, least.w))
        }
    }

    /// A place on the grid of a local table, and the flat map around it.
    struct GridPlace {
        @inline(__always) var point: GridPoint { GridPoint(column: column, row: row, perColumn: perColumn, perRow: perRow) }

        let meridian: GridMeridian
        let column: Int32
        let row: Int32
        let perColumn: Float
        let perRow: Float
        private let corners: SIMD4<Int32>
        private let scale: SIMD4<Float>

        @inline(__always)
        init(_ probe: FenceProbe, _ longitude: Double) {
            meridian = GridMeridian(longitude: longitude, latitude: probe.latitude)
            column = meridian.column
            row = meridian.row
            perColumn = Float(probe.metresPerLongitude * (1 / EdgeTable.stepsPerDegree))
            perRow = Float(probe.metresPerLatitude * (1 / EdgeTable.stepsPerDegree))
            corners = SIMD4(column, row, column, row)
            // West and south of a box count when they are ahead, east and north when they are behind.
            scale = SIMD4(perColumn, perRow, -perColumn, -perRow)
        }

        /// The sides of a box as seen from the place.
        @inline(__always)
        func off(_ box: SIMD4<Int32>) -> SIMD4<Int32> { box &- corners }

        /// The squared distance on the flat map to a box with these sides.
        @inline(__always)
        func flatSquared(_ off: SIMD4<Int32>) -> Float {
            let metres = SIMD4<Float>(off) * scale
            let zero = SIMD4<Float>.zero
            let ahead = metres.zeroed(where: metres .< zero)
            let squared = ahead * ahead
            return (squared.x + squared.z) + (squared.y + squared.w)
        }
    }

    /// The group of edges whose box is nearest.
    private struct NearestGroup {
        var group = 0
        var flatSquared = Float.infinity

        @inline(__always)
        mutating func add(_ other: Int, _ squared: Float) {
            if squared < flatSquared { (group, flatSquared) = (other, squared) }
        }
    }

    /// The squared distance on the flat map to the nearest edge in square metres: four edges at a time, in floats.
    ///
    /// The group of edges with the nearest box comes first; after that, most other groups are too far away.
    @inline(__always)
    private func flatSquared(_ place: GridPlace, _ nearest: NearestGroup) -> Float {
        let (boxes, starts) = (boxes, groupStarts)
        var found = flatSquared(ofGroup: nearest.group, starts, place, below: .infinity)
        for group in 0..<groupCount where group != nearest.group {
            guard place.flatSquared(place.off(boxes.load(fromByteOffset: group &* 16, as: SIMD4<Int32>.self))) < found else { continue }
            found = flatSquared(ofGroup: group, starts, place, below: found)
        }
        return found
    }

    /// The least squared distance to the edges of a group, or `limit` when that is less.
    @inline(__always)
    private func flatSquared(
        ofGroup group: Int, _ starts: UnsafePointer<Int32>, _ place: GridPlace, below limit: Float
    ) -> Float {
        let (columns, rows) = (UnsafeRawPointer(longitudes), UnsafeRawPointer(latitudes))
        let first = Int(starts[group])
        // The last group of a ring also has the corner after its last edge.
        let end = first + (Int(starts[group + 1]) - first) & ~3
        let point = place.point
        var least = SIMD4(repeating: limit)
        var byte = first &* 4
        while byte < end &* 4 {
            least = point.flatSquared(columns, rows, byte, least).least
            byte = byte &+ 16
        }
        return min(min(least.x, least.y), min(least.z, least.w))
    }

    /// The maximum error of a distance on the flat map to edges of at most that length, besides a millionth of itself; in metres.
    ///
    /// A step of the grid (11 mm) for the place and half a step for corners off the grid, along both axes; the rounding errors of floats grow
    /// with the coordinates, which may be as long as an edge: 2^-24 of them, some six times over.
    @inline(__always)
    static func flatError(longestEdgeMetres: Float) -> Double { 0.024 + 6e-7 * Double(longestEdgeMetres) }

    /// The squared distance on the flat map to the nearest of some edges; tests those within the limit for crossings.
    func test(from first: Int, count: Int, _ place: GridPoint, within limit: Float, _ crossings: inout WayCrossings) -> Float {
        place.test(longitudes + first, latitudes + first, count: count, within: limit) {
            crossings.add(corner(first + $0), corner(first + $0 + 1))
        }
    }

    /// The nearest edge on the flat map around a place, in full precision, for tables of any size.
    ///
    /// - Parameter limit: edges further away than this on the map are ignored, in metres.
    func nearestEdge(_ probe: FenceProbe, within limit: Double = .infinity) -> NearestOnEdge {
        var nearest = NearestOnEdge()
        nearest.flatSquared = limit * limit
        let margin = min(180, limit / max(probe.metresPerLongitude, 1e-9))
        withUnsafeTemporaryAllocation(of: Double.self, capacity: groupCount) { squares in
            forEachTurn(of: probe.longitude, margin: margin) { x in
                let place = SIMD4(x, probe.latitude, x, probe.latitude)
                // West and south of a box count when they are ahead, east and north when they are behind.
                let (perLongitude, perLatitude) = (probe.metresPerLongitude, probe.metresPerLatitude)
                let scale = SIMD4(perLongitude, perLatitude, -perLongitude, -perLatitude)
                var (first, least) = (-1, nearest.flatSquared)
                for group in 0..<groupCount {
                    let off = (box(group) - place) * scale
                    let (east, north) = (max(off.x, off.z, 0), max(off.y, off.w, 0))
                    squares[group] = east * east + north * north
                    if squares[group] < least { (first, least) = (group, squares[group]) }
                }
                guard first >= 0 else { return }
                // After that, most other groups are too far away.
                for ring in rings where first >= Int(ring.group) && first < Int(ring.groupEnd) {
                    test(probe, against: ring, group: first, x: x, &nearest)
                }
                for ring in rings {
                    for group in Int(ring.group)..<Int(ring.groupEnd) where squares[group] < nearest.flatSquared && group != first {
                        test(probe, against: ring, group: group, x: x, &nearest)
                    }
                }
            }
        }
        return nearest
    }

    /// Tests a place against the edges of a group.
    @inline(__always)
    private func test(_ probe: FenceProbe, against ring: Ring, group: Int, x: Double, _ nearest: inout NearestOnEdge) {
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
}

extension FenceProbe {
    /// How far the flat map is usable, in metres: a quarter of the distance at which its scale changes by 100 %, 500 km at most.
    @inline(__always) var widestMapMetres: Double { min(0.25 * scaleLength, 500_000) }

    /// The relative error of a distance on the flat map.
    ///
    /// The east-west scale is P(φ) = P - M sin φ · Δφ - ..., so that over a distance d it changes by the share d / scaleLength, to the first
    /// order; the second order is below (d/R)²/2, and the meridian's radius changes by less than 1 % of d/R: d/R is more than both together.
    @inline(__always) private func mapError(_ flat: Double) -> Double { flat / scaleLength + flat / 6_335_439 }

    /// The least distance on the Earth for one on the flat map; beyond the map, that of the map's edge.
    @inline(__always)
    func leastDistance(flat: Double) -> Double {
        let metres = min(flat, widestMapMetres)
        return metres * (1 - mapError(metres))
    }

    /// The greatest distance on the flat map for one on the Earth; infinite beyond the map.
    @inline(__always)
    func greatestFlat(within metres: Double) -> Double {
        2 * metres <= widestMapMetres ? metres * (1 + 4 * mapError(metres)) : .infinity
    }

    /// The greatest distance on the Earth for one on the flat map; infinite beyond the map.
    @inline(__always)
    func mostDistance(flat: Double) -> Double {
        flat <= widestMapMetres ? flat * (1 + mapError(flat)) : .infinity
    }
}

extension SIMD4<Float> {
    /// The same without signs.
    @inline(__always) var magnitude: SIMD4<Float> {
        unsafeBitCast(unsafeBitCast(self, to: SIMD4<Int32>.self) & SIMD4<Int32>(repeating: .max), to: SIMD4<Float>.self)
    }

    /// The same with zeros where the mask is set; by bits, which the compiler does not turn into branches.
    @inline(__always)
    func zeroed(where mask: SIMDMask<SIMD4<Int32>>) -> SIMD4<Float> {
        unsafeBitCast(
            unsafeBitCast(self, to: SIMD4<Int32>.self) & ~unsafeBitCast(mask, to: SIMD4<Int32>.self), to: SIMD4<Float>.self)
    }
}
