extension EdgeTable {
    /// The box of a path on the grid, a step wider: what is beside it is certainly not crossed.
    struct GridBox {
        let west: SIMD4<Int32>
        let south: SIMD4<Int32>
        let east: SIMD4<Int32>
        let north: SIMD4<Int32>

        /// The box of a path shifted by that many degrees of longitude.
        @inline(__always)
        init(_ way: LonLatEdge, turn: Double) {
            // Positions are rounded, and corners off the grid are half a step off. Beyond the range of 32 bits there are no corners.
            func step(_ degrees: Double, _ margin: Int64) -> SIMD4<Int32> {
                SIMD4(repeating: Int32(clamping: (degrees * EdgeTable.stepsPerDegree).nearestWhole &+ margin))
            }
            west = step(min(way.ax, way.bx) + turn, -2)
            south = step(min(way.ay, way.by), -2)
            east = step(max(way.ax, way.bx) + turn, 2)
            north = step(max(way.ay, way.by), 2)
        }
    }

    /// How a path crosses nearby edges, after shifting it to their longitudes.
    func crossings(from first: Int, count: Int, _ way: LonLatEdge) -> WayCrossings.Found {
        let middle = (corner(first).longitude + corner(first + count).longitude) / 2
        let turn = ((middle - way.bx) / 360).rounded() * 360
        var crossings = WayCrossings(way, turn: turn)
        GridBox(way, turn: turn).forEachEdge(longitudes + first, latitudes + first, count: count) {
            crossings.add(corner(first + $0), corner(first + $0 + 1))
        }
        return crossings.found
    }
}

extension EdgeTable.GridBox {
    /// Calls the body with the first corner of each edge that may touch the box: four edges at a time, in whole numbers.
    @inline(__always)
    func forEachEdge(_ columns: UnsafePointer<Int32>, _ rows: UnsafePointer<Int32>, count: Int, _ body: (Int) -> Void) {
        let (columns, rows) = (UnsafeRawPointer(columns), UnsafeRawPointer(rows))
        var corner = 0
        while corner < count {
            let byte = corner &* 4
            let startColumns = columns.loadUnaligned(fromByteOffset: byte, as: SIMD4<Int32>.self)
            let endColumns = columns.loadUnaligned(fromByteOffset: byte &+ 4, as: SIMD4<Int32>.self)
            let startRows = rows.loadUnaligned(fromByteOffset: byte, as: SIMD4<Int32>.self)
            let endRows = rows.loadUnaligned(fromByteOffset: byte &+ 4, as: SIMD4<Int32>.self)
            let isBeside = (startColumns .< west) .& (endColumns .< west) .| (startColumns .> east) .& (endColumns .> east)
            let isOff = isBeside .| (startRows .< south) .& (endRows .< south) .| (startRows .> north) .& (endRows .> north)
            let lanes = unsafeBitCast(isOff, to: SIMD2<UInt64>.self)
            if lanes.x & lanes.y != .max {
                if lanes.x & 0xFFFF_FFFF == 0 { body(corner) }
                if lanes.x >> 32 == 0 { body(corner &+ 1) }
                if lanes.y & 0xFFFF_FFFF == 0 { body(corner &+ 2) }
                if lanes.y >> 32 == 0 { body(corner &+ 3) }
            }
            corner = corner &+ 4
        }
    }
}
