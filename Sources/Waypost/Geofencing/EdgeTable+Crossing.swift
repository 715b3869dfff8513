extension EdgeTable {
    /// The box of a way on the grid, a step wider: what is beside it is surely not crossed.
    struct GridBox {
        let west: SIMD4<Int32>
        let south: SIMD4<Int32>
        let east: SIMD4<Int32>
        let north: SIMD4<Int32>

        /// So many degrees of longitude away from the way as it was given.
        @inline(__always)
        init(_ way: LonLatEdge, turn: Double) {
            // Cut off towards 0, and corners that are not on the grid are half a step off.
            func step(_ degrees: Double, _ margin: Int) -> SIMD4<Int32> {
                SIMD4(repeating: Int32(truncatingIfNeeded: Int(degrees * EdgeTable.stepsPerDegree) &+ margin))
            }
            west = step(min(way.ax, way.bx) + turn, -2)
            south = step(min(way.ay, way.by), -2)
            east = step(max(way.ax, way.bx) + turn, 2)
            north = step(max(way.ay, way.by), 2)
        }
    }

    /// Adds the edges of a group that touch the box of a way to what the way crosses: four edges at a time, in whole numbers.
    ///
    /// Of a local table.
    @inline(__always)
    func addCrossings(group: Int, _ box: GridBox, _ crossings: inout WayCrossings) {
        let (columns, rows) = (UnsafeRawPointer(longitudes), UnsafeRawPointer(latitudes))
        let (first, end) = corners(ofGroup: group)
        var corner = first
        while corner < end {
            let byte = corner &* 4
            let startColumns = columns.loadUnaligned(fromByteOffset: byte, as: SIMD4<Int32>.self)
            let endColumns = columns.loadUnaligned(fromByteOffset: byte &+ 4, as: SIMD4<Int32>.self)
            let startRows = rows.loadUnaligned(fromByteOffset: byte, as: SIMD4<Int32>.self)
            let endRows = rows.loadUnaligned(fromByteOffset: byte &+ 4, as: SIMD4<Int32>.self)
            let isBeside =
                (startColumns .< box.west) .& (endColumns .< box.west) .| (startColumns .> box.east) .& (endColumns .> box.east)
            let isOff = isBeside .| (startRows .< box.south) .& (endRows .< box.south) .| (startRows .> box.north) .& (endRows .> box.north)
            let lanes = unsafeBitCast(isOff, to: SIMD2<UInt64>.self)
            if lanes.x & lanes.y != .max {
                if lanes.x & 0xFFFF_FFFF == 0 { crossings.add(self.corner(corner), self.corner(corner &+ 1)) }
                if lanes.x >> 32 == 0 { crossings.add(self.corner(corner &+ 1), self.corner(corner &+ 2)) }
                if lanes.y & 0xFFFF_FFFF == 0 { crossings.add(self.corner(corner &+ 2), self.corner(corner &+ 3)) }
                if lanes.y >> 32 == 0 { crossings.add(self.corner(corner &+ 3), self.corner(corner &+ 4)) }
            }
            corner = corner &+ 4
        }
    }
}
