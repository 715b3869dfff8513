/// A ring on a flat map of whole numbers, so that sides are exact.
struct LintRing {
    /// A corner in 1e-9 degrees (0.1 mm), longitudes unrolled.
    struct Point: Comparable {
        var x: Int64
        var y: Int64

        static func < (left: Point, right: Point) -> Bool { left.x != right.x ? left.x < right.x : left.y < right.y }

        /// The side of the line from one point to another on which this one lies: positive to the left, 0 on it.
        func side(from start: Point, to end: Point) -> Int {
            // Differences have at most 41 bits, so their products need more than a word.
            let area = Int128(end.x - start.x) * Int128(y - start.y) - Int128(end.y - start.y) * Int128(x - start.x)
            return area > 0 ? 1 : (area < 0 ? -1 : 0)
        }
    }

    /// The corners without repetitions; the last one connects to the first.
    private(set) var points: [Point] = []
    /// The index in the file of each corner.
    private(set) var corners: [Int32] = []
    /// How many corners repeat the previous one; the closing one does not count.
    private(set) var repeatedCount = 0
    /// Whether the last corner in the file is the first.
    let isClosed: Bool
    /// How often the ring goes round the globe; eastward is positive.
    private(set) var turns = 0
    /// Whether a ring round the globe contains the north pole.
    private(set) var isNorthern = false

    private static let unitsPerDegree = 1e9
    private static let turn: Int64 = 360_000_000_000

    init(_ ring: [Coordinate]) {
        isClosed = ring.count > 1 && ring.first == ring.last
        points.reserveCapacity(ring.count)
        corners.reserveCapacity(ring.count)
        for (index, corner) in ring.enumerated() {
            var point = Point(
                x: Int64((corner.longitudeDegrees * LintRing.unitsPerDegree).rounded()),
                y: Int64((corner.latitudeDegrees * LintRing.unitsPerDegree).rounded()))
            if let last = points.last {
                point.x = LintRing.nearest(point.x, to: last.x)
                if point == last {
                    repeatedCount += 1
                    continue
                }
            }
            points.append(point)
            corners.append(Int32(clamping: index))
        }
        guard let first = points.first, let last = points.last, points.count > 1 else { return }
        turns = Int((LintRing.nearest(first.x, to: last.x) - first.x) / LintRing.turn)
        if turns == 0, first == last {
            points.removeLast()
            corners.removeLast()
        } else if turns != 0 {
            closeByPole(first)
        }
    }

    /// Closes a ring round the globe via the pole that it contains: along a meridian there, and back one turn further on.
    private mutating func closeByPole(_ first: Point) {
        isNorthern = points.reduce(0) { $0 + Double($1.y) } > 0
        let pole = Int64(90 * LintRing.unitsPerDegree) * (isNorthern ? 1 : -1)
        let end = first.x + Int64(turns) * LintRing.turn
        if points[points.count - 1] != Point(x: end, y: first.y) { append(Point(x: end, y: first.y)) }
        append(Point(x: end, y: pole))
        append(Point(x: first.x, y: pole))
    }

    private mutating func append(_ point: Point) {
        guard points.last != point else { return }
        points.append(point)
        corners.append(0)
    }

    /// The longitude, shifted by whole turns, that is at most half a turn from another one.
    private static func nearest(_ x: Int64, to other: Int64) -> Int64 {
        let difference = other - x
        guard abs(difference) > turn / 2 else { return x }
        return x + Int64((Double(difference) / Double(turn)).rounded()) * turn
    }

    /// The ring shifted by whole turns to where it is nearest to another one.
    func shifted(to other: LintRing) -> LintRing {
        guard let here = points.first, let there = other.points.first else { return self }
        let turns = Int64((Double(there.x - here.x) / Double(LintRing.turn)).rounded())
        guard turns != 0 else { return self }
        var shifted = self
        for index in points.indices { shifted.points[index].x += turns * LintRing.turn }
        return shifted
    }

    /// Whether all corners are on one line.
    var isLine: Bool {
        guard let first = points.first, let other = points.first(where: { $0 != first }) else { return true }
        return points.allSatisfy { $0.side(from: first, to: other) == 0 }
    }

    /// Twice the area on the map; positive when the ring turns to the left.
    var doubledArea: Int128 {
        guard var last = points.last, let origin = points.first else { return 0 }
        var area: Int128 = 0
        for point in points {
            area += Int128(last.x - origin.x) * Int128(point.y - origin.y) - Int128(point.x - origin.x) * Int128(last.y - origin.y)
            last = point
        }
        return area
    }

    /// The largest extent from west to east or from south to north, in metres; for a ring round a pole, the extent across it.
    var acrossMetres: Double {
        let latitudes = points.map { Double($0.y) / LintRing.unitsPerDegree }
        let longitudes = points.map { Double($0.x) / LintRing.unitsPerDegree }
        guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(), let east = longitudes.max() else {
            return 0
        }
        let height = (north - south).inRadians * WGS84.polarRadiusMetres
        guard turns == 0 else { return 2 * height }
        let nearest = south * north <= 0 ? 0 : min(abs(south), abs(north))
        return max(height, min(east - west, 180).inRadians * WGS84.equatorialRadiusMetres * SineCosine(degrees: nearest).cosine)
    }

    /// The approximate distance from the innermost place to the ring, in metres: half the width of a strip, the radius of a circle.
    var reachMetres: Double {
        guard var last = points.last else { return 0 }
        let middle = points.reduce(0) { $0 + Double($1.y) } / Double(points.count) / LintRing.unitsPerDegree
        let north = WGS84.polarRadiusMetres.inRadians / LintRing.unitsPerDegree
        let east = north * SineCosine(degrees: middle).cosine
        var perimeter = 0.0
        for point in points {
            let (x, y) = (Double(point.x - last.x) * east, Double(point.y - last.y) * north)
            perimeter += (x * x + y * y).squareRoot()
            last = point
        }
        guard perimeter > 0 else { return 0 }
        let area = abs(Double(doubledArea)) / 2 * east * north
        // Between area / perimeter, the half width of a strip, and twice that, the radius of a circle, depending on how round the ring is.
        return area / perimeter * (1 + 4 * .pi * area / (perimeter * perimeter))
    }
}
