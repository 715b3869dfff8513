import Testing

@testable import Waypost

/// A small map, drawn in metres east and north of a place: roads that have a point in common meet there.
struct DrawnMap {
    static let origin = Coordinate(cuttingLatitudeDegrees: 49.4, wrappingLongitudeDegrees: 8.7)
    private static let plane = RoadPlane(around: RoadPlace(origin))

    /// A point, and the level on which it is: bridges meet nothing below.
    struct Point: Hashable {
        var east, north: Double
        var level = 0
    }

    private(set) var builder = RoadFileBuilder()
    private var numbers: [Point: Int64] = [:]
    private var closed: [Point: Set<TravelMode>] = [:]

    /// The place of a point.
    static func place(_ east: Double, _ north: Double) -> Coordinate {
        plane.coordinate(PlanePoint(eastMetres: east, northMetres: north))
    }

    /// The point of a place.
    static func point(_ coordinate: Coordinate) -> (east: Double, north: Double) {
        let point = plane.point(coordinate)
        return (point.eastMetres, point.northMetres)
    }

    /// Draws a road.
    mutating func road(
        _ number: Int64, _ points: [(Double, Double)], level: Int = 0, _ tags: KeyValuePairs<String, String> = ["highway": "residential"]
    ) {
        let nodes = points.map { node(Point(east: $0.0, north: $0.1, level: level)) }
        if let way = OSMTags(tags).way(number: number) { builder.add(way, nodes: nodes) }
    }

    /// The number of the node at a point.
    mutating func node(_ point: Point) -> Int64 {
        if let number = numbers[point] { return number }
        numbers[point] = Int64(1_000 + numbers.count)
        return Int64(999 + numbers.count)
    }

    /// Closes a point to modes.
    mutating func close(_ east: Double, _ north: Double, _ tags: KeyValuePairs<String, String>) {
        closed[Point(east: east, north: north)] = OSMTags(tags).closedModes
    }

    mutating func restrict(_ restriction: TurnRestriction) { builder.add(restriction) }

    /// The road file.
    func file() -> [UInt8] {
        var builder = builder
        for (point, number) in numbers {
            builder.add(node: number, at: DrawnMap.place(point.east, point.north), closedTo: closed[point] ?? [])
        }
        return builder.finish()?.file ?? []
    }

    func roads() throws -> Roads { try Roads(RoadBytes(file())) }
}

/// Drives along points with a receiver: a fix each second, with the receiver's slow and fast errors.
struct DrawnTrack {
    var fixes: [Position] = []
    private var generator: SeededGenerator
    private var slow = (east: 0.0, north: 0.0)
    private var seconds = 0.0
    let sigma: Double

    init(seed: UInt64, sigma: Double = 4) {
        generator = SeededGenerator(seed: seed)
        self.sigma = sigma
        slow = (gauss() * sigma * 0.9, gauss() * sigma * 0.9)
    }

    private mutating func gauss() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
    }

    /// Drives along points at a speed, with a fix each interval; the last point has one.
    mutating func drive(_ points: [(Double, Double)], speed: Double, interval: Double = 1, hasCourse: Bool = true) {
        for (start, end) in zip(points, points.dropFirst()) {
            let (dx, dy) = (end.0 - start.0, end.1 - start.1)
            let length = (dx * dx + dy * dy).squareRoot()
            let count = max(1, Int((length / speed / interval).rounded()))
            // Whole intervals: the speed is what it is then.
            let speed = length / Double(count) / interval
            for step in 0..<count {
                let part = Double(step) / Double(count)
                fix(start.0 + part * dx, start.1 + part * dy, (dx / length * speed, dy / length * speed), interval, hasCourse)
            }
        }
    }

    /// Stands still.
    mutating func stand(_ point: (Double, Double), seconds: Int) {
        for _ in 0..<seconds { fix(point.0, point.1, (0, 0), 1, true) }
    }

    /// Lets time go by.
    mutating func wait(seconds: Double) { self.seconds += seconds }

    private mutating func fix(_ east: Double, _ north: Double, _ velocity: (Double, Double), _ interval: Double, _ hasCourse: Bool) {
        let keeps = max(0, 1 - interval / 60)
        let fresh = (1 - keeps * keeps).squareRoot() * 0.9 * sigma
        slow = (slow.east * keeps + gauss() * fresh, slow.north * keeps + gauss() * fresh)
        var position = Position(
            time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1_000)),
            coordinate: DrawnMap.place(east + slow.east + gauss() * sigma * 0.3, north + slow.north + gauss() * sigma * 0.3))
        position.accuracy = HorizontalAccuracy(radiusMetres: 1.5 * sigma, origin: .receiver)
        if hasCourse {
            let (east, north) = (velocity.0 + 0.15 * gauss(), velocity.1 + 0.15 * gauss())
            position.speedMetresPerSecond = (east * east + north * north).squareRoot()
            position.courseDegrees = PlaneAngle.degrees(east: east, north: north)
        }
        fixes.append(position)
        seconds += interval
    }

    /// The ways to which the fixes are matched; 0 off the roads.
    func ways(_ roads: Roads, mode: TravelMode = .car, lag: Duration? = nil) -> [Int64] {
        var matcher = MapMatcher(roads: roads, mode: mode, lag: lag)
        return (fixes.flatMap { matcher.process($0) } + matcher.finish()).map { $0.match?.wayID ?? 0 }
    }
}

private enum PlaneAngle {
    static func degrees(east: Double, north: Double) -> Double {
        let line = Geodesic.line(
            from: DrawnMap.origin, to: DrawnMap.place(east * 100, north * 100))
        return line.initialAzimuthDegrees
    }
}
