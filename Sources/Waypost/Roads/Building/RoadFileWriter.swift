import func Glibc.atan2

/// Writes a road file; see ``RoadFileLayout``.
struct RoadFileWriter {
    let edges: RoadEdges
    let ways: [RoadWay]
    let turns: [RoadEdges.Turn]
    let dataTime: UTCTime?

    /// The bytes of the whole file.
    func file() -> [UInt8] {
        var sections = [[UInt8]](repeating: [], count: RoadFileLayout.Section.allCases.count)
        func put(_ section: RoadFileLayout.Section, _ bytes: [UInt8]) { sections[section.rawValue] = bytes }

        let (wayOf, usedWays) = usedWays()
        put(.nodes, nodes())
        put(.edges, edgeRecords(wayOf: wayOf))
        (sections[RoadFileLayout.Section.arrivals.rawValue], sections[RoadFileLayout.Section.groups.rawValue]) = arrivals()
        (sections[RoadFileLayout.Section.shapes.rawValue], sections[RoadFileLayout.Section.blocks.rawValue]) = shapes()
        let (names, nameOffsets) = names(usedWays)
        let (kinds, kindOf) = kinds(usedWays)
        put(.ways, wayRecords(usedWays, nameOffsets: nameOffsets, kindOf: kindOf))
        put(.kinds, kinds)
        put(.names, names)
        put(
            .turns,
            turns.reduce(into: []) {
                $0.append(little: $1.from)
                $0.append(little: $1.to)
                $0.append(little: $1.modes)
            })
        (sections[RoadFileLayout.Section.cells.rawValue], sections[RoadFileLayout.Section.entries.rawValue]) = cells()
        return header(sections) + sections.flatMap { $0 + RoadFileWriter.padding($0.count) }
    }

    /// Sections begin at multiples of 8.
    private static func padding(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: -count & 7) }

    private func header(_ sections: [[UInt8]]) -> [UInt8] {
        let grid = edges.grid
        let length = edges.edges.reduce(0) { $0 + $1.length }
        var header = RoadFileLayout.magic
        header.append(little: RoadFileLayout.version)
        header.append(little: 0 as UInt32)
        let total = sections.reduce(RoadFileLayout.headerBytes) { $0 + $1.count + (-$1.count & 7) }
        header.append(little: UInt64(total))
        header.append(little: (dataTime?.millisecondsSince1970 ?? 0) / 1_000)
        for side in [edges.box.south, edges.box.west, edges.box.north, edges.box.east] { header.append(little: side) }
        for number in [UInt32(grid.rows), UInt32(grid.columns), grid.height, grid.width] { header.append(little: number) }
        header.append(little: UInt64(length))
        var offset = RoadFileLayout.headerBytes
        for (section, bytes) in zip(RoadFileLayout.Section.allCases, sections) {
            header.append(little: UInt64(offset))
            header.append(little: UInt32(bytes.count / section.stride))
            header.append(little: CRC32C.checksum(bytes.span.bytes))
            offset += bytes.count + (-bytes.count & 7)
        }
        let notice = Array(RoadFileLayout.notice.utf8)
        header += notice + [UInt8](repeating: 0, count: RoadFileLayout.headerBytes - header.count - notice.count)
        let checksum = CRC32C.checksum(header.span.bytes)
        for place in 0..<4 { header[12 + place] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * place)) }
        return header
    }

    private func nodes() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(12 * (edges.nodes.count + 1))
        for (index, node) in edges.nodes.enumerated() {
            bytes.append(little: node.place.latitude)
            bytes.append(little: node.place.longitude)
            bytes.append(little: UInt32(edges.firstEdges[index]) | UInt32(node.closed) << RoadFileLayout.edgeBits)
        }
        bytes.append(little: 0 as UInt64)
        bytes.append(little: UInt32(edges.edges.count))
        return bytes
    }

    private func edgeRecords(wayOf: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(RoadFileLayout.edgeBytes * edges.edges.count)
        let turning = Set(turns.map { $0.from / 2 })
        for (index, edge) in edges.edges.enumerated() {
            let use = ways[edge.way].use | (turning.contains(UInt32(index)) ? RoadFileLayout.turnBit : 0)
            bytes.append(little: UInt32(edge.from))
            bytes.append(little: UInt32(edge.to))
            bytes.append(little: UInt32(edge.length) | UInt32(use) << 24)
            bytes.append(little: wayOf[edge.way])
            let from = edges.nodes[edge.from].place
            let to = edges.nodes[edge.to].place
            bytes.append(RoadFileWriter.direction(from, edge.shape.first ?? to))
            bytes.append(RoadFileWriter.direction(edge.shape.last ?? from, to))
        }
        return bytes
    }

    /// The direction from a place to another, 256 to a turn, clockwise from north.
    private static func direction(_ start: RoadPlace, _ end: RoadPlace) -> UInt8 {
        let point = RoadPlane(around: start).point(end)
        return UInt8(truncatingIfNeeded: Int((atan2(point.eastMetres, point.northMetres) / .pi * 128).rounded()))
    }

    private func arrivals() -> (arrivals: [UInt8], groups: [UInt8]) {
        var bytes: [UInt8] = []
        var groups: [UInt8] = []
        for first in stride(from: 0, to: edges.nodes.count, by: RoadFileLayout.groupCount) {
            groups.append(little: UInt32(bytes.count / 4))
            for node in first..<first + RoadFileLayout.groupCount {
                let arrivals = node < edges.nodes.count ? edges.arrivals[node] : []
                groups.append(UInt8(arrivals.count))
                for edge in arrivals { bytes.append(little: edge) }
            }
        }
        return (bytes, groups)
    }

    private func shapes() -> (bytes: [UInt8], blocks: [UInt8]) {
        var bytes: [UInt8] = []
        var blocks: [UInt8] = []
        for (number, edge) in edges.edges.enumerated() {
            if number % RoadFileLayout.groupCount == 0 { blocks.append(little: UInt32(bytes.count)) }
            var points: [UInt8] = []
            var last = edges.nodes[edge.from].place.coarse
            for place in edge.shape {
                let next = place.coarse
                points.append(signedVarint: next.latitude - last.latitude)
                points.append(signedVarint: next.longitude - last.longitude)
                last = next
            }
            bytes.append(varint: UInt64(points.count))
            bytes += points
        }
        return (bytes, blocks)
    }

    /// The ways of which edges are left, in their order in the file, and the place of each there.
    private func usedWays() -> (wayOf: [UInt32], used: [Int]) {
        var wayOf = [UInt32](repeating: 0, count: ways.count)
        var isUsed = [Bool](repeating: false, count: ways.count)
        var used: [Int] = []
        for edge in edges.edges where !isUsed[edge.way] {
            isUsed[edge.way] = true
            wayOf[edge.way] = UInt32(used.count)
            used.append(edge.way)
        }
        return (wayOf, used)
    }

    private func names(_ used: [Int]) -> (bytes: [UInt8], offsets: [UInt32]) {
        var bytes: [UInt8] = []
        var offsetOf: [String: UInt32] = ["": RoadFileLayout.none]
        var offsets: [UInt32] = []
        for way in used {
            let name = ways[way].name
            if let offset = offsetOf[name] {
                offsets.append(offset)
                continue
            }
            offsetOf[name] = UInt32(bytes.count)
            offsets.append(UInt32(bytes.count))
            bytes.append(varint: UInt64(name.utf8.count))
            bytes += name.utf8
        }
        return (bytes, offsets)
    }

    /// The different kinds of ways, and which of them each way has.
    private func kinds(_ used: [Int]) -> (bytes: [UInt8], kindOf: [UInt16]) {
        var bytes: [UInt8] = []
        var numberOf: [WayKind: UInt16] = [:]
        let kindOf = used.map { index in
            let way = ways[index]
            let kind = WayKind(
                roadClass: way.roadClass, kilometresPerHour: way.kilometresPerHour, properties: way.kind, layer: way.layer)
            if let number = numberOf[kind] { return number }
            // A country has some hundreds.
            let number = UInt16(min(numberOf.count, Int(UInt16.max)))
            numberOf[kind] = number
            bytes += [kind.roadClass.rawValue, kind.kilometresPerHour, kind.properties.rawValue, UInt8(bitPattern: kind.layer)]
            return number
        }
        return (bytes, kindOf)
    }

    private func wayRecords(_ used: [Int], nameOffsets: [UInt32], kindOf: [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, way) in used.enumerated() {
            bytes.append(little: UInt32(truncatingIfNeeded: ways[way].number))
            bytes.append(UInt8(truncatingIfNeeded: ways[way].number >> 32))
            bytes.append(little: nameOffsets[index])
            bytes.append(little: kindOf[index])
        }
        return bytes
    }

    private func cells() -> (cells: [UInt8], entries: [UInt8]) {
        let grid = edges.grid
        var entries: [UInt64] = []
        var own: Set<Int> = []
        for (index, edge) in edges.edges.enumerated() {
            own.removeAll(keepingCapacity: true)
            let places = [edges.nodes[edge.from].place] + edge.shape + [edges.nodes[edge.to].place]
            for (start, end) in zip(places, places.dropFirst()) {
                let rows = grid.row(Int64(min(start.latitude, end.latitude)))...grid.row(Int64(max(start.latitude, end.latitude)))
                let columns =
                    grid.column(Int64(min(start.longitude, end.longitude)))...grid.column(Int64(max(start.longitude, end.longitude)))
                for row in rows { for column in columns { own.insert(row * grid.columns + column) } }
            }
            for cell in own { entries.append(UInt64(cell) << 32 | UInt64(index)) }
        }
        entries.sort()
        var cells: [UInt8] = []
        var bytes: [UInt8] = []
        cells.reserveCapacity(4 * (grid.cellCount + 1))
        var next = 0
        for cell in 0..<grid.cellCount {
            cells.append(little: UInt32(bytes.count))
            var last: UInt64 = 0
            while next < entries.count, entries[next] >> 32 == UInt64(cell) {
                let edge = entries[next] & 0xFFFF_FFFF
                bytes.append(varint: edge - last)
                last = edge
                next += 1
            }
        }
        cells.append(little: UInt32(bytes.count))
        return (cells, bytes)
    }
}

extension [UInt8] {
    /// Appends a number, its lowest byte first.
    fileprivate mutating func append<Number: FixedWidthInteger>(little number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
