/// The roads of an area, read where they stand in a road file.
///
/// ```swift
/// let roads = try Roads(storage)          // a mapped file, or RoadBytes
/// if let damage = roads.damage() { ... }  // reads everything once; without it nothing but the header is read
/// ```
/// - Cost: opening reads 352 bytes. Nothing is copied: memory grows by the pages that are touched.
/// - Errors: what a damaged file says wrongly leads to a wrong or no road, never outside of the file.
/// - Concurrency: may be used from several threads at once.
public final class Roads: Sendable {
    /// What the file says of itself.
    public let summary: RoadSummary
    let grid: RoadGrid
    private let storage: any RoadStorage
    private let sections: [RoadSection]
    private let nodes, edges, arrivals, groups, shapes, blocks, ways, kinds, names, turns, cells, entries: RoadSection

    /// Opens a road file.
    ///
    /// - Errors: it is no road file, of another version, too short, or its header is damaged.
    public init(_ storage: any RoadStorage) throws(RoadFileError) {
        let header = try RoadFileHeader(storage.bytes)
        self.storage = storage
        summary = header.summary
        grid = header.grid
        sections = header.sections
        func section(_ name: RoadFileLayout.Section) -> RoadSection { header.sections[name.rawValue] }
        nodes = section(.nodes)
        edges = section(.edges)
        arrivals = section(.arrivals)
        groups = section(.groups)
        shapes = section(.shapes)
        blocks = section(.blocks)
        ways = section(.ways)
        kinds = section(.kinds)
        names = section(.names)
        turns = section(.turns)
        cells = section(.cells)
        entries = section(.entries)
    }

    /// The part of the file that differs from what was written; nil when none does.
    ///
    /// - Parameter release: is told which bytes were read and are not needed for now, so that a mapped file can give their memory back.
    /// - Cost: reads the whole file.
    public func damage(release: (Range<Int>) -> Void = { _ in }) -> RoadFileError? {
        for (name, section) in zip(RoadFileLayout.Section.allCases, sections) {
            var checksum: UInt32 = 0
            var offset = 0
            while offset < section.byteCount {
                let count = min(1 << 20, section.byteCount - offset)
                checksum = section.checksum(offset, count, continuing: checksum)
                release(section.offset + offset..<section.offset + offset + count)
                offset += count
            }
            if checksum != section.checksum { return .damaged(part: "\(name)") }
        }
        return nil
    }

    /// Whether a mode has a road within a distance of a place.
    ///
    /// - Parameters:
    ///   - place: the place.
    ///   - metres: the distance, in metres.
    ///   - mode: how the device travels.
    /// - Cost: some ten microseconds in a town; nothing far from the area.
    public func hasRoad(near place: Coordinate, withinMetres metres: Double, mode: TravelMode) -> Bool {
        var neighbourhood = Neighbourhood()
        var spots: [Neighbourhood.Spot] = []
        neighbourhood.cover(place, radiusMetres: metres, self, mode: mode)
        neighbourhood.spots(near: neighbourhood.plane.point(place), radiusMetres: metres, into: &spots)
        return !spots.isEmpty
    }

    /// Tells this content from that of another road file: the checksum of the header, which has those of all sections.
    package var fingerprint: UInt32 { storage.bytes.baseAddress?.little(12, UInt32.self) ?? 0 }

    /// Gives back the memory of what was looked at; it is read again when it is needed.
    package func releaseMemory() { storage.release(0..<storage.bytes.count) }

    // MARK: Records

    var edgeCount: Int { edges.count }

    /// An edge; one without use where there is none.
    @inline(__always)
    func edge(_ number: UInt32) -> RoadEdge {
        guard Int(number) < edges.count else {
            return RoadEdge(
                number: number, from: 0, to: 0, lengthMetres: 0, use: 0, way: RoadFileLayout.none, firstDirection: 0, lastDirection: 0)
        }
        let record = edges.record(Int(number), stride: RoadFileLayout.edgeBytes)
        let lengthAndUse = record.little(8, UInt32.self)
        return RoadEdge(
            number: number, from: record.little(0, UInt32.self), to: record.little(4, UInt32.self),
            lengthMetres: Double(lengthAndUse & 0xFF_FFFF) / 10, use: UInt8(lengthAndUse >> 24), way: record.little(12, UInt32.self),
            firstDirection: record.little(16, UInt8.self), lastDirection: record.little(17, UInt8.self))
    }

    /// The place of a node of an edge; on the Earth, whatever the file says.
    @inline(__always)
    func place(ofNode number: UInt32) -> RoadPlace {
        let record = nodes.record(min(Int(number), nodes.count - 1), stride: 12)
        return RoadPlace(
            latitude: min(max(record.little(0, Int32.self), -900_000_000), 900_000_000),
            longitude: min(max(record.little(4, Int32.self), -1_800_000_000), 1_800_000_000))
    }

    /// The modes that cannot pass a node.
    @inline(__always)
    func closedModes(ofNode number: UInt32) -> UInt32 {
        nodes.record(min(Int(number), nodes.count - 1), stride: 12).little(8, UInt32.self) >> RoadFileLayout.edgeBits
    }

    /// The arcs that leave a node: those of edges that begin there, then those of edges that end there, backwards.
    @inline(__always)
    func leavingArcs(ofNode number: UInt32) -> LeavingArcs {
        let node = min(Int(number), nodes.count - 2)
        let first = nodes.record(node, stride: 12).little(8, UInt32.self) & RoadFileLayout.edgeMask
        let end = min(nodes.record(node + 1, stride: 12).little(8, UInt32.self) & RoadFileLayout.edgeMask, UInt32(edges.count))
        let group = groups.record(node / RoadFileLayout.groupCount, stride: RoadFileLayout.groupBytes)
        let place = node % RoadFileLayout.groupCount
        let before =
            place < 8
            ? (group.little(4, UInt64.self) & ~(UInt64.max << UInt64(8 * place))).sumOfBytes
            : group.little(4, UInt64.self).sumOfBytes + (group.little(12, UInt64.self) & ~(UInt64.max << UInt64(8 * place - 64))).sumOfBytes
        let firstArrival = min(Int(group.little(0, UInt32.self)) + before, arrivals.count)
        return LeavingArcs(
            edge: first, endEdge: max(first, end), arrival: firstArrival,
            endArrival: min(firstArrival + Int(group.little(4 + place, UInt8.self)), arrivals.count), arrivals: arrivals)
    }

    /// Whether a mode may not go from one arc to another.
    func isForbidden(from: RoadArc, to: RoadArc, for mode: TravelMode) -> Bool {
        let wanted = UInt64(from.raw) << 32 | UInt64(to.raw)
        var low = 0
        var high = turns.count
        while low < high {
            let middle = (low + high) / 2
            let record = turns.record(middle, stride: 12)
            let found = UInt64(record.little(0, UInt32.self)) << 32 | UInt64(record.little(4, UInt32.self))
            if found == wanted { return record.little(8, UInt32.self) & mode.closedBit != 0 }
            if found < wanted { low = middle + 1 } else { high = middle }
        }
        return false
    }

    /// The places of an edge in its own direction, its nodes included.
    func appendPlaces(of edge: RoadEdge, to places: inout [RoadPlace]) {
        let start = place(ofNode: edge.from)
        places.append(start)
        var (reader, end) = shape(ofEdge: edge.number)
        var (latitude, longitude) = start.coarse
        while reader.offset < end, let north = reader.nextSigned(), let east = reader.nextSigned() {
            latitude = latitude &+ north
            longitude = longitude &+ east
            guard abs(latitude) <= 90_000_000, abs(longitude) <= 180_000_000 else { break }
            places.append(RoadPlace(latitude: Int32(latitude * 10), longitude: Int32(longitude * 10)))
        }
        places.append(place(ofNode: edge.to))
    }

    /// Where the points of an edge begin and end.
    private func shape(ofEdge number: UInt32) -> (reader: VarintReader, end: Int) {
        let block = Int(number) / RoadFileLayout.groupCount
        var reader = VarintReader(section: shapes, offset: shapes.count)
        guard block < blocks.count else { return (reader, 0) }
        reader = VarintReader(section: shapes, offset: Int(blocks.record(block, stride: 4).little(0, UInt32.self)))
        for _ in 0..<Int(number) % RoadFileLayout.groupCount { reader.skip() }
        let count = reader.next() ?? 0
        return (reader, reader.offset + Int(min(count, UInt64(shapes.count))))
    }

    /// The road of an edge.
    func road(ofEdge edge: RoadEdge) -> Road {
        let kind = kind(ofEdge: edge)
        let hasWay = Int(edge.way) < ways.count
        let name = hasWay ? name(at: ways.record(Int(edge.way), stride: RoadFileLayout.wayBytes).little(5, UInt32.self)) : nil
        return Road(
            wayNumber: wayNumber(ofEdge: edge), name: name, roadClass: kind.roadClass, kilometresPerHour: kind.kilometresPerHour,
            kind: kind.properties, layer: kind.layer)
    }

    /// What kind of road an edge belongs to.
    func kind(ofEdge edge: RoadEdge) -> WayKind {
        guard Int(edge.way) < ways.count else { return WayKind() }
        let kind = Int(ways.record(Int(edge.way), stride: RoadFileLayout.wayBytes).little(9, UInt16.self))
        guard kind < kinds.count else { return WayKind() }
        let record = kinds.record(kind, stride: 4)
        return WayKind(
            roadClass: RoadClass(rawValue: record.little(0, UInt8.self)) ?? .road, kilometresPerHour: record.little(1, UInt8.self),
            properties: RoadKind(rawValue: record.little(2, UInt8.self)), layer: record.little(3, Int8.self))
    }

    /// The number of an edge's way in the map.
    func wayNumber(ofEdge edge: RoadEdge) -> Int64 {
        guard Int(edge.way) < ways.count else { return 0 }
        let record = ways.record(Int(edge.way), stride: RoadFileLayout.wayBytes)
        return Int64(record.little(0, UInt32.self)) | Int64(record.little(4, Int8.self)) << 32
    }

    private func name(at offset: UInt32) -> String? {
        guard offset != RoadFileLayout.none else { return nil }
        var reader = VarintReader(section: names, offset: Int(offset))
        guard let count = reader.next(), count <= UInt64(names.count), let bytes = reader.bytes(Int(count)) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The edges of a cell.
    func appendEdges(ofCell cell: Int, to found: inout [UInt32]) {
        guard cell >= 0, cell + 1 < cells.count else { return }
        var reader = VarintReader(section: entries, offset: Int(cells.record(cell, stride: 4).little(0, UInt32.self)))
        let end = min(Int(cells.record(cell + 1, stride: 4).little(0, UInt32.self)), entries.count)
        var edge: UInt64 = 0
        while reader.offset < end, let step = reader.next(), step < UInt64(edges.count), edge + step < UInt64(edges.count) {
            edge += step
            found.append(UInt32(edge))
        }
    }
}
