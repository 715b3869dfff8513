/// How often a path crosses edges of one ring, as far as rounding cannot change it.
///
/// A path and an edge cross when the ends of each lie on different sides of the other. The sides are signs of areas; where one of them is so
/// small that rounding may have caused it, nothing is decided.
struct WayCrossings {
    /// What is known about the path and the edges tested so far.
    struct Found {
        /// How many edges are certainly crossed, and where the first and the last crossing are.
        fileprivate(set) var count = 0
        fileprivate(set) var crossing = BorderCrossing(first: 1, last: 0)
        /// Whether some edge is undecided, because the path ends on it or leads over a corner.
        var isOpen = false

        /// Adds the result for other edges of the same fence.
        mutating func formUnion(_ other: Found) {
            count += other.count
            isOpen = isOpen || other.isOpen
            crossing.first = min(crossing.first, other.crossing.first)
            crossing.last = max(crossing.last, other.crossing.last)
        }
    }

    private let way: LonLatEdge
    private let east: Double
    private let north: Double
    private let doubt: Double
    private(set) var found = Found()

    /// How near to a line, in degrees, a place may be on its other side: a tenth of a micrometre, some ten times the rounding of angles.
    private static let doubtDegrees = 1e-12

    @inline(__always)
    init(_ way: LonLatEdge, turn: Double) {
        self.way = LonLatEdge(ax: way.ax + turn, ay: way.ay, bx: way.bx + turn, by: way.by)
        east = way.bx - way.ax
        north = way.by - way.ay
        doubt = WayCrossings.doubtDegrees * (abs(east) + abs(north))
    }

    /// Tests the path against an edge.
    @inline(__always)
    mutating func add(_ a: (longitude: Double, latitude: Double), _ b: (longitude: Double, latitude: Double)) {
        let (offEast, offNorth) = (a.longitude - way.ax, a.latitude - way.ay)
        let (edgeEast, edgeNorth) = (b.longitude - a.longitude, b.latitude - a.latitude)
        // Twice the areas of the triangles of the path with the ends of the edge, and of the edge with the ends of the path.
        let edgeStart = east * offNorth - north * offEast
        let edgeEnd = edgeStart + (east * edgeNorth - north * edgeEast)
        if min(edgeStart, edgeEnd) > doubt || max(edgeStart, edgeEnd) < -doubt { return }
        let edgeDoubt = WayCrossings.doubtDegrees * (abs(edgeEast) + abs(edgeNorth))
        let wayStart = edgeNorth * offEast - edgeEast * offNorth
        let wayEnd = wayStart - (edgeNorth * east - edgeEast * north)
        if min(wayStart, wayEnd) > edgeDoubt || max(wayStart, wayEnd) < -edgeDoubt { return }
        guard min(abs(edgeStart), abs(edgeEnd)) > doubt, min(abs(wayStart), abs(wayEnd)) > edgeDoubt else {
            found.isOpen = true
            return
        }
        found.count += 1
        found.crossing.add(wayStart / (wayStart - wayEnd))
    }

    /// Forgets the edges, to start with those of another fence.
    @inline(__always)
    mutating func restart() { found = Found() }
}
