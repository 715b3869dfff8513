/// What a road file says of itself.
public struct RoadSummary: Sendable, Equatable {
    /// When the map was made; nil when that is not known.
    public var dataTime: UTCTime?
    /// The box around all roads.
    public var box: BoundingBox
    /// The length of all roads together, in metres.
    public var roadMetres: Double
    /// How many junctions and ends of roads there are, pieces of road between them, ways of the map, and forbidden turns.
    public var nodeCount, edgeCount, wayCount, turnCount: Int
    /// The size of the file.
    public var byteCount: Int
    /// The licence of the map, and whose it is.
    public var notice: String
}

/// A road of the map, of which an edge is a piece.
public struct Road: Sendable, Equatable {
    /// The way's number in the map.
    public var wayNumber: Int64
    /// Its name, or its number on signs; nil when it has neither.
    public var name: String?
    /// What kind of road it is.
    public var roadClass: RoadClass
    /// The speed that is allowed, or else usual, in km/h.
    public var kilometresPerHour: UInt8
    /// What else is known of it.
    public var kind: RoadKind
    /// Which of crossing roads is above; 0 is the ground.
    public var layer: Int8
}

/// The first bytes of a road file, checked.
struct RoadFileHeader {
    let summary: RoadSummary
    let grid: RoadGrid
    let sections: [RoadSection]

    /// Reads and checks them: afterwards every section lies inside of the file, and fits the others.
    init(_ bytes: UnsafeRawBufferPointer) throws(RoadFileError) {
        guard bytes.count >= 16, let start = bytes.baseAddress, bytes.prefix(8).elementsEqual(RoadFileLayout.magic) else {
            throw .foreign
        }
        let version = start.little(8, UInt32.self)
        guard version == RoadFileLayout.version else { throw .version(version) }
        guard bytes.count >= RoadFileLayout.headerBytes else {
            throw .truncated(bytes: bytes.count, of: UInt64(RoadFileLayout.headerBytes))
        }
        var header = Array(bytes.prefix(RoadFileLayout.headerBytes))
        header.replaceSubrange(12..<16, with: [0, 0, 0, 0])
        guard CRC32C.checksum(header.span.bytes) == start.little(12, UInt32.self) else { throw .damaged(part: "header") }
        let whole = start.little(16, UInt64.self)
        guard UInt64(bytes.count) >= whole else { throw .truncated(bytes: bytes.count, of: whole) }
        guard UInt64(bytes.count) == whole else { throw .damaged(part: "more follows its end") }

        // What has a right checksum may still have been made by somebody else.
        var sections: [RoadSection] = []
        for name in RoadFileLayout.Section.allCases {
            let entry = start + RoadFileLayout.sectionTable + name.rawValue * 16
            let offset = entry.little(0, UInt64.self)
            let count = Int(entry.little(8, UInt32.self))
            guard offset <= UInt64(bytes.count), count * name.stride <= bytes.count - Int(offset) else {
                throw .damaged(part: "\(name)")
            }
            sections.append(
                RoadSection(bytes, offset: Int(offset), count: count, stride: name.stride, checksum: entry.little(12, UInt32.self)))
        }
        self.sections = sections
        func count(_ name: RoadFileLayout.Section) -> Int { sections[name.rawValue].count }
        guard count(.nodes) >= 2, count(.edges) >= 1, count(.edges) <= Int(RoadFileLayout.edgeMask), count(.ways) >= 1,
            count(.groups) * RoadFileLayout.groupCount >= count(.nodes) - 1
        else { throw .damaged(part: "header") }

        let rows = Int(start.little(48, UInt32.self))
        let columns = Int(start.little(52, UInt32.self))
        let (height, width) = (start.little(56, UInt32.self), start.little(60, UInt32.self))
        guard rows >= 1, columns >= 1, height >= RoadFileLayout.leastCellSize, width >= RoadFileLayout.leastCellSize,
            rows <= RoadFileLayout.greatestCellCount / columns,
            count(.cells) == rows * columns + 1
        else { throw .damaged(part: "cells") }
        let sides = (0..<4).map { start.little(32 + 4 * $0, Int32.self) }
        grid = RoadGrid(south: sides[0], west: sides[1], rows: rows, columns: columns, height: height, width: width)
        let degrees = sides.map { Double($0) / RoadPlace.unitsPerDegree }
        guard let box = BoundingBox(southDegrees: degrees[0], westDegrees: degrees[1], northDegrees: degrees[2], eastDegrees: degrees[3])
        else { throw .damaged(part: "header") }
        let seconds = start.little(24, Int64.self)
        let notice = bytes[RoadFileLayout.noticeOffset..<RoadFileLayout.noticeOffset + RoadFileLayout.noticeBytes].prefix { $0 != 0 }
        summary = RoadSummary(
            dataTime: seconds > 0 && seconds < 1 << 40 ? UTCTime(millisecondsSince1970: seconds * 1_000) : nil, box: box,
            roadMetres: Double(start.little(64, UInt64.self)) / 10, nodeCount: count(.nodes) - 1, edgeCount: count(.edges),
            wayCount: count(.ways), turnCount: count(.turns), byteCount: bytes.count, notice: String(decoding: notice, as: UTF8.self))
    }
}
