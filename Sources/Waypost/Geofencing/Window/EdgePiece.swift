/// Some edges of a table, so that a ``BorderWindow`` need not look anything up there: where their corners are, and what is special about them.
struct EdgePiece: Sendable {
    /// The longitudes of the corners on the grid; the latitudes stand as many corners further on as the table has.
    nonisolated(unsafe) let columns: UnsafePointer<Int32>  // Sendable all the same: a table does not change, and outlives its pieces.
    /// The fence.
    let slot: Int32
    /// From the lowest bit on: 23 of the table's number of corners, 5 of the power of 2 that no edge's metres exceed, then the flags.
    private let bits: UInt32

    private static let isLong: UInt32 = 1 << 28
    private static let isWide: UInt32 = 1 << 29
    private static let isTurned: UInt32 = 1 << 30
    private static let isAmongOthers: UInt32 = 1 << 31

    /// Whether the groups of a table can be pieces: they are on a grid, and none of them is wider than a quarter of a turn.
    static func areCut(from table: EdgeTable) -> Bool {
        guard table.cornerCount < 1 << 23 else { return false }
        if table.header.pointee.isLocal { return true }
        return table.header.pointee.isOnGrid && (0..<table.groupCount).allSatisfy { table.box($0).z - table.box($0).x < 89 }
    }

    /// A group of a table that can be cut, and that outlives the piece.
    init(_ slot: Int32, _ table: EdgeTable, _ group: Int) {
        let (first, end) = table.corners(ofGroup: group)
        let (header, box) = (table.header.pointee, table.box(group))
        self.slot = slot
        columns = table.longitudes + first
        let longest = header.longestEdgeMetres > 1 ? UInt32(header.longestEdgeMetres.exponent) + 1 : 0
        let isPlain = header.isOnGrid && box.x >= -180 && box.z <= 180
        bits =
            UInt32(table.cornerCount) | min(longest, 31) << 23 | (end - first > 4 ? Self.isLong : 0) | (header.isLocal ? 0 : Self.isWide)
            | (isPlain ? 0 : Self.isTurned) | (header.areRingsApart ? 0 : Self.isAmongOthers)
    }

    /// A length that no edge exceeds, metres.
    @inline(__always) var longestEdgeMetres: Float { Float(UInt32(1) &<< (bits &>> 23 & 31)) }
    /// Whether differences of corners fit 32 bits.
    @inline(__always) var isLocal: Bool { bits & Self.isWide == 0 }
    /// Whether its corners are not on the grid, or it is written beyond ±180 degrees, so that a way may have to be turned to meet it.
    @inline(__always) var needsTable: Bool { bits & Self.isTurned != 0 }
    /// Whether each crossing of it changes the side of the fence: see ``EdgeTable/Header/areRingsApart``.
    @inline(__always) var changesSide: Bool { bits & Self.isAmongOthers == 0 }
    @inline(__always) private var cornerCount: Int { Int(bits & 0x7F_FFFF) }
    @inline(__always) private var edgeCount: Int { bits & Self.isLong == 0 ? 4 : 8 }

    /// Where it is in its table: the first corner, and the number of edges.
    func place(in table: EdgeTable) -> (first: Int, count: Int) { (columns - table.longitudes, edgeCount) }

    /// A corner in degrees, counted from the first one of the piece; of one that is on the grid.
    @inline(__always)
    private func corner(_ index: Int) -> (longitude: Double, latitude: Double) {
        (
            Double(columns[index]) / EdgeTable.stepsPerDegree,
            Double(columns[index &+ cornerCount]) / EdgeTable.stepsPerDegree
        )
    }

    /// Adds the edges that touch the box of a way to what the way crosses.
    @inline(__always)
    func addCrossings(_ box: EdgeTable.GridBox, _ crossings: inout WayCrossings) {
        box.forEachEdge(columns, columns + cornerCount, count: edgeCount) { crossings.add(corner($0), corner($0 &+ 1)) }
    }

    /// The squared distance on the flat map to the nearest edge; adds edges that come within the limit to what a way crosses.
    @inline(__always)
    func test(_ place: EdgeTable.GridPoint, within limit: Float, _ crossings: inout WayCrossings) -> Float {
        place.test(columns, columns + cornerCount, count: edgeCount, within: limit) {
            crossings.add(corner($0), corner($0 &+ 1))
        }
    }
}
