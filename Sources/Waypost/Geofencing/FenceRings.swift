/// The rings of polygons, or one line: their corners in one piece of memory.
///
/// Longitudes are unrolled: from corner to corner they differ by the way that the edge takes, so that they may lie beyond ±180. A ring ends
/// with its first corner, which is 360 degrees off when the ring winds round a pole. Corners of at most seven decimals, the usual files,
/// take 8 bytes, others 16; either way they come back as they were given.
public final class FenceRings: Sendable {
    /// One ring: its corners are those from `start` up to `end`, the first one repeated at the end.
    struct Ring: Sendable, Hashable {
        /// The pole that a ring round the globe holds.
        enum Pole: Int8, Sendable { case none, north, south }

        var start: Int32
        var end: Int32
        /// Its first group of edges.
        var group: Int32
        var pole: Pole
        /// The first ring of its polygon; the ones after it are holes.
        var isOuter: Bool
    }

    let rings: [Ring]
    /// Longitude and latitude in turn, in 1e-7 degrees; empty when some corner has more decimals.
    let fixed: [Int32]
    /// Longitude and latitude in turn, in degrees; empty when all corners fit `fixed`.
    let floating: [Double]
    /// Boxes round each sixteen edges in a row, ring by ring: west, south, east, north, in degrees, rounded outward.
    let groups: [SIMD4<Float>]
    let west: Double
    let east: Double
    let south: Double
    let north: Double

    static let edgesPerGroup = 16

    convenience init(polygons: [[[Coordinate]]]) throws(FenceShapeError) {
        var builder = RingBuilder()
        for (polygonIndex, polygon) in polygons.enumerated() {
            for (ringIndex, ring) in polygon.enumerated() {
                try builder.addRing(ring, polygon: polygonIndex, ring: ringIndex)
            }
            guard !polygon.isEmpty else { throw .empty }
        }
        guard !polygons.isEmpty else { throw .empty }
        self.init(builder)
    }

    convenience init(line: [Coordinate]) throws(FenceShapeError) {
        var builder = RingBuilder()
        try builder.addLine(line)
        self.init(builder)
    }

    private init(_ builder: RingBuilder) {
        rings = builder.rings
        fixed = RingBuilder.fixedPoint(builder.corners) ?? []
        floating = fixed.isEmpty ? builder.corners : []
        groups = builder.groups
        (west, east) = builder.range(offset: 0)
        let latitudes = builder.range(offset: 1)
        south = rings.contains { $0.pole == .south } ? -90 : latitudes.0
        north = rings.contains { $0.pole == .north } ? 90 : latitudes.1
    }

    /// The number of edges.
    public var edgeCount: Int { max(fixed.count, floating.count) / 2 - rings.count }

    var boundingBox: BoundingBox { BoundingBox(south: south, north: north, west: west, eastward: east - west) }

    /// The corners ring by ring, each closed, longitudes in -180...180.
    public var corners: [[Coordinate]] {
        rings.map { ring in
            (Int(ring.start)..<Int(ring.end)).map { index in
                let (longitude, latitude) = corner(index)
                return Coordinate(cuttingLatitudeDegrees: latitude, wrappingLongitudeDegrees: longitude)
            }
        }
    }

    /// How many rings each polygon has, in order.
    public var ringsPerPolygon: [Int] {
        rings.reduce(into: []) { counts, ring in
            if ring.isOuter { counts.append(1) } else { counts[counts.count - 1] += 1 }
        }
    }

    private func corner(_ index: Int) -> (longitude: Double, latitude: Double) {
        fixed.isEmpty
            ? (floating[2 * index], floating[2 * index + 1])
            : (Double(fixed[2 * index]) / 1e7, Double(fixed[2 * index + 1]) / 1e7)
    }

    /// Calls the body with the edges of a ring's group of edges, until it answers false.
    @inline(__always)
    func forEachEdge(of ring: Ring, group: Int, _ body: (_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double) -> Bool) {
        let first = Int(ring.start) + (group - Int(ring.group)) * FenceRings.edgesPerGroup
        let last = min(first + FenceRings.edgesPerGroup, Int(ring.end) - 1)
        if fixed.isEmpty {
            floating.withUnsafeBufferPointer { corners in
                var (ax, ay) = (corners[2 * first], corners[2 * first + 1])
                for index in first + 1...last {
                    let (bx, by) = (corners[2 * index], corners[2 * index + 1])
                    guard body(ax, ay, bx, by) else { return }
                    (ax, ay) = (bx, by)
                }
            }
        } else {
            fixed.withUnsafeBufferPointer { corners in
                var (ax, ay) = (Double(corners[2 * first]) / 1e7, Double(corners[2 * first + 1]) / 1e7)
                for index in first + 1...last {
                    let (bx, by) = (Double(corners[2 * index]) / 1e7, Double(corners[2 * index + 1]) / 1e7)
                    guard body(ax, ay, bx, by) else { return }
                    (ax, ay) = (bx, by)
                }
            }
        }
    }

    /// The groups of edges of a ring.
    @inline(__always)
    func groups(of ring: Ring) -> Range<Int> {
        let edges = Int(ring.end) - Int(ring.start) - 1
        return Int(ring.group)..<Int(ring.group) + (edges + FenceRings.edgesPerGroup - 1) / FenceRings.edgesPerGroup
    }

    /// Calls the body with each way to write a longitude, whole turns apart, that is no further than `margin` degrees from the corners.
    @inline(__always)
    func forEachTurn(of longitude: Double, margin: Double, _ body: (Double) -> Void) {
        var turned = longitude
        while turned - 360 >= west - margin { turned -= 360 }
        while turned < west - margin { turned += 360 }
        while turned <= east + margin {
            body(turned)
            turned += 360
        }
    }
}

extension FenceRings: Hashable {
    /// Whether both have the same rings of the same corners.
    public static func == (left: FenceRings, right: FenceRings) -> Bool {
        left === right || left.rings == right.rings && left.fixed == right.fixed && left.floating == right.floating
    }

    /// Hashes the corners.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rings)
        hasher.combine(fixed)
        hasher.combine(floating)
    }
}

/// Gathers rings, and unrolls their longitudes.
private struct RingBuilder {
    var rings: [FenceRings.Ring] = []
    /// Longitude and latitude in turn.
    var corners: [Double] = []
    var groups: [SIMD4<Float>] = []

    mutating func addRing(_ ring: [Coordinate], polygon: Int, ring index: Int) throws(FenceShapeError) {
        let turns = RingBuilder.turns(ring)
        guard abs(turns) <= 1 else { throw .windsMoreThanOnce(polygon: polygon, ring: index) }
        // On a flat map a ring round a pole is closed by way of the pole: along a meridian there, and back. Both ways are the same line.
        let kept = turns == 0 ? ring : ring.filter { abs($0.latitudeDegrees) < 90 }
        let start = corners.count / 2
        unroll(kept)
        guard corners.count / 2 - start >= 3 else { throw .tooFewCorners(polygon: polygon, ring: index) }
        corners.append(corners[2 * start] + Double(turns) * 360)
        corners.append(corners[2 * start + 1])
        let middle = kept.reduce(0) { $0 + $1.latitudeDegrees }
        rings.append(
            FenceRings.Ring(
                start: Int32(start), end: Int32(corners.count / 2), group: addGroups(from: start),
                pole: turns == 0 ? .none : (middle > 0 ? .north : .south), isOuter: index == 0))
    }

    mutating func addLine(_ line: [Coordinate]) throws(FenceShapeError) {
        unroll(line)
        guard corners.count >= 4 else { throw .tooFewPoints }
        rings.append(FenceRings.Ring(start: 0, end: Int32(corners.count / 2), group: addGroups(from: 0), pole: .none, isOuter: true))
    }

    /// Appends the boxes of the edges from a corner on; the first one's place.
    private mutating func addGroups(from start: Int) -> Int32 {
        let place = groups.count
        let last = corners.count / 2 - 1
        for first in stride(from: start, to: last, by: FenceRings.edgesPerGroup) {
            var box = SIMD4(Float.infinity, .infinity, -.infinity, -.infinity)
            for index in first...min(first + FenceRings.edgesPerGroup, last) {
                let (longitude, latitude) = (Float(corners[2 * index]), Float(corners[2 * index + 1]))
                box = SIMD4(
                    min(box.x, longitude.nextDown), min(box.y, latitude.nextDown), max(box.z, longitude.nextUp), max(box.w, latitude.nextUp)
                )
            }
            groups.append(box)
        }
        return Int32(place)
    }

    /// Appends the points without repetitions, the closing one included.
    private mutating func unroll(_ points: [Coordinate]) {
        let start = corners.count
        for point in points {
            var longitude = point.longitudeDegrees
            if corners.count > start {
                let before = corners[corners.count - 2]
                longitude = RingBuilder.nearest(longitude, to: before)
                if longitude == before, point.latitudeDegrees == corners[corners.count - 1] { continue }
            }
            corners.append(longitude)
            corners.append(point.latitudeDegrees)
        }
        if corners.count - start > 4, points.first == points.last {
            corners.removeLast(2)
        }
    }

    /// How often the ring goes round the globe, eastward positive.
    private static func turns(_ ring: [Coordinate]) -> Int {
        guard let first = ring.first else { return 0 }
        var longitude = first.longitudeDegrees
        for point in ring.dropFirst() { longitude = nearest(point.longitudeDegrees, to: longitude) }
        return Int(((nearest(first.longitudeDegrees, to: longitude) - first.longitudeDegrees) / 360).rounded())
    }

    /// The way to write a longitude that is at most half a turn from another one.
    private static func nearest(_ longitude: Double, to other: Double) -> Double {
        // Without a rounding in the usual case: a longitude comes back as it was given.
        let turns = ((other - longitude) / 360).rounded(.toNearestOrEven)
        return abs(other - longitude) <= 180 ? longitude : longitude + 360 * turns
    }

    /// The least and the greatest of every second number.
    func range(offset: Int) -> (Double, Double) {
        var least = Double.infinity
        var greatest = -Double.infinity
        for index in stride(from: offset, to: corners.count, by: 2) {
            least = min(least, corners[index])
            greatest = max(greatest, corners[index])
        }
        return (least, greatest)
    }

    /// The numbers in 1e-7, or nil when that would change any of them.
    static func fixedPoint(_ numbers: [Double]) -> [Int32]? {
        var fixed: [Int32] = []
        fixed.reserveCapacity(numbers.count)
        for number in numbers {
            let rounded = (number * 1e7).rounded()
            guard abs(rounded) <= Double(Int32.max), rounded / 1e7 == number else { return nil }
            fixed.append(Int32(rounded))
        }
        return fixed
    }
}
