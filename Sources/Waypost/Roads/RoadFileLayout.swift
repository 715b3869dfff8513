/// Where things are in a road file of version 1.
///
/// All numbers are little-endian.
///
/// ```
/// header   0  "WAYROADS"                   8  u32 version             12  u32 CRC-32C of the header, this field as 0
///         16  u64 bytes of the file       24  i64 time of the data, seconds since 1970, or 0
///         32  i32 south, west, north, east of the roads, 1e-7 degrees
///         48  u32 rows, u32 columns       56  u32 height, u32 width of a cell, 1e-7 degrees
///         64  u64 length of all roads in decimetres
///         72  twelve sections: u64 offset, u32 records, u32 CRC-32C
///        264  the notice of the map's licence, 88 bytes of UTF-8, filled up with 0
/// nodes    i32 latitude, i32 longitude, 1e-7 degrees; u32 first edge that begins here (29 bits), modes that cannot pass (3 bits);
///          one more at the end
/// edges    in order of the nodes where they begin: u32 from, u32 to; u24 length in decimetres, u8 use; u32 way;
///          u8 first, u8 last direction, 256 to a turn
/// arrivals u32 edge that ends at a node, in order of the nodes
/// groups   of sixteen nodes: u32 first arrival of the first node, sixteen times u8 arrivals of a node
/// shapes   for each edge: varint bytes that follow; latitude and longitude of each point between the nodes as differences to the one before,
///          zigzag varints, 1e-6 degrees
/// blocks   of sixteen edges: u32 offset of the first one's shape
/// ways     i40 number, u32 name or all ones, u16 kind
/// kinds    of ways: u8 class, u8 km/h, u8 properties, i8 layer
/// names    varint bytes, UTF-8
/// turns    u32 arc, u32 arc that may not follow, u32 modes for which that is so; in order
/// cells    u32 offset of its edges; row by row from the south-west; one more at the end
/// entries  edges of a cell, in order: varint difference to the one before
/// ```
/// An arc is an edge in one direction: its number twice, and one more against its own direction.
enum RoadFileLayout {
    static let magic: [UInt8] = Array("WAYROADS".utf8)
    static let version: UInt32 = 1
    static let headerBytes = 352
    static let sectionTable = 72
    static let noticeOffset = 264
    static let noticeBytes = 88

    /// The parts of the file, in their order.
    enum Section: Int, CaseIterable {
        case nodes, edges, arrivals, groups, shapes, blocks, ways, kinds, names, turns, cells, entries

        /// The bytes of a record.
        var stride: Int {
            switch self {
            case .nodes, .turns: 12
            case .edges: RoadFileLayout.edgeBytes
            case .groups: RoadFileLayout.groupBytes
            case .ways: RoadFileLayout.wayBytes
            case .arrivals, .blocks, .kinds, .cells: 4
            case .shapes, .names, .entries: 1
            }
        }
    }

    static let edgeBytes = 18
    static let groupBytes = 20
    static let wayBytes = 11
    /// The nodes of a group, and the edges of a block.
    static let groupCount = 16
    /// More edges of one node than this are left out.
    static let greatestArrivalCount = 255

    /// No name.
    static let none = UInt32.max
    static let edgeBits: UInt32 = 29
    static let edgeMask: UInt32 = (1 << 29) - 1

    /// Bits of an edge's use, above the six of the modes.
    static let turnBit: UInt8 = 0b0100_0000
    static let limitedBit: UInt8 = 0b1000_0000

    /// The greatest length of an edge, in decimetres.
    static let greatestLength = 0xFF_FFFF
    /// Beyond that the grid would be larger than the roads.
    static let greatestCellCount = 1 << 26
    /// A thousandth of a degree: smaller cells would make a search of a place long.
    static let leastCellSize: UInt32 = 10_000

    /// What a derived database of OpenStreetMap must say.
    static let notice = "(c) OpenStreetMap contributors, ODbL 1.0, https://www.openstreetmap.org/copyright"
}
