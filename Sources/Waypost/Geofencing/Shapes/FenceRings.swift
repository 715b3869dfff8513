/// The rings of polygons, or one line, with their corners in one block of memory.
///
/// Corners with at most seven decimals, as in usual files, take 8 bytes, others 24; both come back exactly as given.
public final class FenceRings: Sendable {
    typealias Ring = EdgeTable.Ring

    let table: EdgeTable

    /// The stored rings.
    var rings: [Ring] { Array(table.rings) }

    init(polygons: [[[Coordinate]]]) throws(FenceShapeError) {
        var builder = RingBuilder()
        for (polygonIndex, polygon) in polygons.enumerated() {
            for (ringIndex, ring) in polygon.enumerated() {
                try builder.addRing(ring, polygon: polygonIndex, ring: ringIndex)
            }
            guard !polygon.isEmpty else { throw .empty }
        }
        guard !polygons.isEmpty else { throw .empty }
        table = builder.makeTable()
    }

    init(line: [Coordinate]) throws(FenceShapeError) {
        var builder = RingBuilder()
        try builder.addLine(line)
        table = builder.makeTable()
    }

    deinit { table.deallocate() }

    var west: Double { table.header.pointee.west }
    var east: Double { table.header.pointee.east }
    var south: Double { table.header.pointee.south }
    var north: Double { table.header.pointee.north }

    /// The number of edges.
    public var edgeCount: Int { table.rings.reduce(0) { $0 + Int($1.end - $1.start) - 1 } }

    var boundingBox: BoundingBox { BoundingBox(south: south, north: north, west: west, eastward: east - west) }

    /// The corners ring by ring, each closed, longitudes in -180...180.
    public var corners: [[Coordinate]] {
        table.rings.map { ring in
            (Int(ring.start)..<Int(ring.end)).map { index in
                let (longitude, latitude) = table.corner(index)
                return Coordinate(cuttingLatitudeDegrees: latitude, wrappingLongitudeDegrees: longitude)
            }
        }
    }

    /// How many rings each polygon has, in order.
    public var ringsPerPolygon: [Int] {
        table.rings.reduce(into: []) { counts, ring in
            if ring.isOuter { counts.append(1) } else { counts[counts.count - 1] += 1 }
        }
    }
}

extension FenceRings: Hashable {
    /// Whether both have the same rings of the same corners.
    public static func == (left: FenceRings, right: FenceRings) -> Bool {
        left === right
            || left.table.rings.elementsEqual(right.table.rings)
                && left.allCorners.elementsEqual(right.allCorners) { $0.longitude == $1.longitude && $0.latitude == $1.latitude }
    }

    /// Hashes the corners.
    public func hash(into hasher: inout Hasher) {
        for ring in table.rings { hasher.combine(ring) }
        for (longitude, latitude) in allCorners {
            hasher.combine(longitude)
            hasher.combine(latitude)
        }
    }

    /// The corners of all rings as stored, with unrolled longitudes.
    var allCorners: some Sequence<(longitude: Double, latitude: Double)> {
        (0..<table.cornerCount).lazy.map { self.table.corner($0) }
    }
}
