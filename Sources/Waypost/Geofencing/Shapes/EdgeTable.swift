/// Rings of polygons, or one line, in one block of memory, which the innermost loops read without reference counts or bounds checks.
///
/// Corners lie on a grid of 1e-7 degrees, the precision of usual files: 8 bytes per corner, and four edges per vector. Corners with more
/// decimals, or unrolled beyond the grid, are also stored in full. Edges come in groups of eight, each with its box.
///
///     | header | boxes of groups | corners in full, if any | rings | groups' first corners | longitudes | latitudes |
///
/// Longitudes are unrolled: from corner to corner they differ by the path that the edge takes. A ring ends with its first corner, which is
/// 360 degrees off when the ring winds round a pole; after it the last corner is repeated until the edges are a multiple of four.
/// - Concurrency: nothing is written after creation. ``FenceRings`` owns the memory; a copy of the table is valid only while that exists.
struct EdgeTable: @unchecked Sendable {
    /// One ring; its corners are those from `start` up to `end`.
    struct Ring: Sendable, Hashable {
        /// The pole that a ring round the globe contains.
        enum Pole: Int8, Sendable { case none, north, south }

        var start: Int32
        var end: Int32
        /// Its groups of edges.
        var group: Int32
        var groupEnd: Int32
        var pole: Pole
        /// The first ring of its polygon; the ones after it are holes.
        var isOuter: Bool
    }

    /// A line of the cache.
    struct Header {
        var ringCount: Int32 = 0
        var groupCount: Int32 = 0
        /// Including the repeated ones.
        var cornerCount: Int32 = 0
        /// An upper bound of the edges' lengths, in metres.
        var longestEdgeMetres: Float = 0
        /// Beyond this squared distance from its box, the box replaces a table: four times as far as it is wide.
        var farSquaredMetres: Float = 0
        /// Whether all corners lie on the grid: then they are stored only there.
        var isOnGrid = false
        /// Whether the table is so small that differences on the grid fit 32 bits, and the groups' boxes are on the grid, too.
        var isLocal = false
        /// Whether no two rings touch, and holes lie in their polygons, as far as boxes can show: then each crossing of a ring changes
        /// the side.
        var areRingsApart = false
        var west = 0.0
        var east = 0.0
        var south = 0.0
        var north = 0.0
    }

    static let edgesPerGroup = 8
    /// Steps of the grid per degree.
    static let stepsPerDegree = 1e7
    /// How wide a table may be, and how far beyond ±180, for differences on the grid to fit 32 bits (±214 degrees).
    static let widestLocalDegrees = 30.0
    static let furthestLocalDegrees = 190.0
    /// From further away, only the box of the whole table is used.
    static let nearDegrees = 20.0

    let base: UnsafeRawPointer

    @inline(__always) var header: UnsafePointer<Header> { base.assumingMemoryBound(to: Header.self) }

    @inline(__always) var ringCount: Int { Int(header.pointee.ringCount) }
    @inline(__always) var groupCount: Int { Int(header.pointee.groupCount) }
    @inline(__always) var cornerCount: Int { Int(header.pointee.cornerCount) }

    @inline(__always) var boxes: UnsafeRawPointer { base + EdgeTable.headerBytes }
    /// Box of a group on the grid, west, south, east, north; local tables only.
    @inline(__always) func gridBox(_ group: Int) -> SIMD4<Int32> {
        boxes.load(fromByteOffset: group * 16, as: SIMD4<Int32>.self)
    }
    /// Box of a group in degrees, west, south, east, north, rounded outward; tables that are not local only.
    @inline(__always) func degreeBox(_ group: Int) -> SIMD4<Float> {
        boxes.load(fromByteOffset: group * 16, as: SIMD4<Float>.self)
    }

    /// Box of a group in degrees, of any table.
    @inline(__always) func box(_ group: Int) -> SIMD4<Double> {
        header.pointee.isLocal ? SIMD4<Double>(gridBox(group)) / EdgeTable.stepsPerDegree : SIMD4<Double>(degreeBox(group))
    }

    @inline(__always) private var full: UnsafePointer<Double> {
        (boxes + groupCount * 16).assumingMemoryBound(to: Double.self)
    }
    @inline(__always) private var ringStart: UnsafeRawPointer {
        boxes + groupCount * 16 + (header.pointee.isOnGrid ? 0 : cornerCount * 16)
    }
    @inline(__always) var rings: UnsafeBufferPointer<Ring> {
        UnsafeBufferPointer(start: ringStart.assumingMemoryBound(to: Ring.self), count: ringCount)
    }
    /// The first corner of each group, then the index after the last corner.
    @inline(__always) var groupStarts: UnsafePointer<Int32> {
        (ringStart + ringCount * MemoryLayout<Ring>.stride).assumingMemoryBound(to: Int32.self)
    }
    /// Longitudes on the grid; for corners off the grid, the nearest step.
    @inline(__always) var longitudes: UnsafePointer<Int32> { groupStarts + groupCount + 1 }
    @inline(__always) var latitudes: UnsafePointer<Int32> { longitudes + cornerCount }

    /// The first corner of a group, and the one after its last edge's first corner.
    @inline(__always)
    func corners(ofGroup group: Int) -> (first: Int, end: Int) {
        // With a single ring no look-up is needed.
        let first = ringCount == 1 ? EdgeTable.edgesPerGroup &* group : Int(groupStarts[group])
        let next = ringCount == 1 ? min(first &+ EdgeTable.edgesPerGroup, cornerCount) : Int(groupStarts[group + 1])
        return (first, first &+ (next &- first) & ~3)
    }

    /// A corner in degrees, as it was given.
    @inline(__always)
    func corner(_ index: Int) -> (longitude: Double, latitude: Double) {
        header.pointee.isOnGrid
            ? (Double(longitudes[index]) / EdgeTable.stepsPerDegree, Double(latitudes[index]) / EdgeTable.stepsPerDegree)
            : (full[2 * index], full[2 * index + 1])
    }

    /// Calls the body with the edges of a ring's group, until it returns false.
    @inline(__always)
    func forEachEdge(of ring: Ring, group: Int, _ body: (_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double) -> Bool) {
        let first = Int(groupStarts[group])
        let last = min(first + EdgeTable.edgesPerGroup, Int(ring.end) - 1)
        var (ax, ay) = corner(first)
        for index in first + 1...last {
            let (bx, by) = corner(index)
            guard body(ax, ay, bx, by) else { return }
            (ax, ay) = (bx, by)
        }
    }

    /// Calls the body with each equivalent of a longitude, whole turns apart, that is within `margin` degrees of the corners.
    @inline(__always)
    func forEachTurn(of longitude: Double, margin: Double, _ body: (Double) -> Void) {
        let (west, east) = (header.pointee.west, header.pointee.east)
        var turned = longitude
        while turned - 360 >= west - margin { turned -= 360 }
        while turned < west - margin { turned += 360 }
        while turned <= east + margin {
            body(turned)
            turned += 360
        }
    }

    /// The equivalent of a longitude that is nearest to the middle of a local table.
    @inline(__always)
    func turned(_ longitude: Double) -> Double {
        let middle = (header.pointee.west + header.pointee.east) / 2
        let off = longitude - middle
        return abs(off) <= 180 ? longitude : longitude - (off / 360).rounded() * 360
    }

    // MARK: Making

    private static let headerBytes = (MemoryLayout<Header>.stride + 15) & ~15

    /// Creates a table of these rings; `corners` has longitude and latitude in turn, including the repeated ones.
    ///
    /// Release the memory with ``deallocate()``.
    init(_ header: Header, rings: [Ring], groupStarts: [Int32], corners: [Double]) {
        var header = header
        let count = corners.count / 2
        header.ringCount = Int32(rings.count)
        header.groupCount = Int32(groupStarts.count - 1)
        header.cornerCount = Int32(count)
        let gridded = corners.map { ($0 * EdgeTable.stepsPerDegree).rounded() }
        header.isOnGrid = zip(gridded, corners).allSatisfy { abs($0) <= Double(Int32.max) && $0 / EdgeTable.stepsPerDegree == $1 }
        header.isLocal =
            header.east - header.west <= EdgeTable.widestLocalDegrees && header.west >= -EdgeTable.furthestLocalDegrees
            && header.east <= EdgeTable.furthestLocalDegrees
        header.areRingsApart = rings.count == 1 || header.isLocal && EdgeTable.areApart(rings, corners)
        let hasGrid = header.isOnGrid || header.isLocal
        let groupCount = groupStarts.count - 1
        let byteCount =
            EdgeTable.headerBytes + groupCount * 16 + (header.isOnGrid ? 0 : count * 16)
            + rings.count * MemoryLayout<Ring>.stride + groupStarts.count * 4 + (hasGrid ? count * 8 : 0)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        memory.bindMemory(to: Header.self, capacity: 1).initialize(to: header)
        base = UnsafeRawPointer(memory)
        func mutable(_ pointer: UnsafeRawPointer) -> UnsafeMutableRawPointer { memory + (pointer - base) }
        for group in 0..<groupCount {
            // The last group of a ring also has the corner after its last edge; the others share theirs with the next group.
            let first = Int(groupStarts[group])
            let box = EdgeTable.box(first...first + (Int(groupStarts[group + 1]) - first) & ~3, corners)
            if header.isLocal {
                mutable(boxes).storeBytes(of: EdgeTable.gridBox(box), toByteOffset: group * 16, as: SIMD4<Int32>.self)
            } else {
                mutable(boxes).storeBytes(of: EdgeTable.degreeBox(box), toByteOffset: group * 16, as: SIMD4<Float>.self)
            }
        }
        if !header.isOnGrid {
            mutable(UnsafeRawPointer(full)).bindMemory(to: Double.self, capacity: 2 * count).initialize(from: corners, count: 2 * count)
        }
        mutable(ringStart).bindMemory(to: Ring.self, capacity: rings.count).initialize(from: rings, count: rings.count)
        mutable(UnsafeRawPointer(self.groupStarts)).bindMemory(to: Int32.self, capacity: groupStarts.count).initialize(
            from: groupStarts, count: groupStarts.count)
        guard hasGrid else { return }
        let grid = mutable(UnsafeRawPointer(longitudes)).bindMemory(to: Int32.self, capacity: 2 * count)
        for index in 0..<count {
            (grid + index).initialize(to: Int32(gridded[2 * index]))
            (grid + count + index).initialize(to: Int32(gridded[2 * index + 1]))
        }
    }

    func deallocate() { base.deallocate() }

    /// Whether the rings are apart by their boxes: holes' boxes lie within their polygon, and no edge of that enters them.
    private static func areApart(_ rings: [Ring], _ corners: [Double]) -> Bool {
        guard rings.count <= mostRingsHeldApart else { return false }
        let boxes = rings.map { box(Int($0.start)...Int($0.end) - 1, corners) }
        for (place, ring) in rings.enumerated() {
            if !ring.isOuter {
                guard let outer = rings[..<place].last(where: \.isOuter), holds(outer, boxes[place], corners) else { return false }
            }
            for other in rings.indices.dropFirst(place + 1) where touches(boxes[place], boxes[other]) {
                // Two polygons or two holes may lie in one another, or a ring after the next polygon in this one.
                guard ring.isOuter, rings[place + 1...other].allSatisfy({ !$0.isOuter }) else { return false }
            }
        }
        return true
    }

    /// More rings than this are not compared in pairs.
    private static let mostRingsHeldApart = 32

    private static func touches(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> Bool {
        a.x <= b.z && b.x <= a.z && a.y <= b.w && b.y <= a.w
    }

    /// Whether a box lies within a ring, and no edge's box touches it.
    private static func holds(_ ring: Ring, _ box: SIMD4<Double>, _ corners: [Double]) -> Bool {
        var count = CrossingCount(ring)
        for index in Int(ring.start)..<Int(ring.end) - 1 {
            if touches(self.box(index...index + 1, corners), box) { return false }
            count.add(corners[2 * index], corners[2 * index + 1], corners[2 * index + 2], corners[2 * index + 3], box.x, box.y)
        }
        return count.isOdd && !count.isOnBorder
    }

    /// West, south, east and north of some corners, in degrees.
    private static func box(_ indices: ClosedRange<Int>, _ corners: [Double]) -> SIMD4<Double> {
        var box = SIMD4(Double.infinity, .infinity, -.infinity, -.infinity)
        for index in indices {
            let (longitude, latitude) = (corners[2 * index], corners[2 * index + 1])
            box = SIMD4(min(box.x, longitude), min(box.y, latitude), max(box.z, longitude), max(box.w, latitude))
        }
        return box
    }

    private static func gridBox(_ box: SIMD4<Double>) -> SIMD4<Int32> {
        let steps = box * stepsPerDegree
        return SIMD4(Int32(steps.x.rounded(.down)), Int32(steps.y.rounded(.down)), Int32(steps.z.rounded(.up)), Int32(steps.w.rounded(.up)))
    }

    private static func degreeBox(_ box: SIMD4<Double>) -> SIMD4<Float> {
        SIMD4(Float(box.x).nextDown, Float(box.y).nextDown, Float(box.z).nextUp, Float(box.w).nextUp)
    }
}
