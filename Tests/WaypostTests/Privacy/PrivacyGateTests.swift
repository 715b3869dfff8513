import Foundation
import Testing
import Waypost
import WaypostTestKit

@Suite struct PrivacyGateTests {
    /// The home of the tests.
    private let home: Coordinate
    private let key: SipHash.Key
    private let zone: PrivacyZone
    private let start: Int64 = 1_772_366_400_000

    init() throws {
        home = try #require(Coordinate(latitudeDegrees: 52.51702, longitudeDegrees: 13.38886))
        key = try #require(SipHash.Key(Array(0..<16)))
        zone = PrivacyZone(name: "home", centre: home, radiusMetres: 250)
    }

    /// A fix so many metres from home in that direction.
    private func fix(_ metres: Double, azimuth: Double, second: Double, accuracy: Double = 3) -> Position {
        let place = Geodesic.end(from: home, azimuthDegrees: azimuth, distanceMetres: metres).coordinate
        var position = Position(
            time: UTCTime(millisecondsSince1970: start + Int64(second * 1_000)), coordinate: place, mode: .threeDimensional)
        position.accuracy = HorizontalAccuracy(radiusMetres: accuracy, origin: .gst)
        position.speedMetresPerSecond = 10
        position.altitudeMSLMetres = 34
        return position
    }

    /// What a drive home and away again tells: in along one direction, an hour's stay, out along another; ten metres a second.
    private func drive(in inward: Double, out outward: Double, second: Double, through gate: Gate) -> [Position] {
        var told: [Position] = []
        func tell(_ fix: Position) {
            if [.pass, .passBeyondZone].contains(gate.process(fix)) { told.append(fix) }
        }
        for step in 0..<120 { tell(fix(Double(1_200 - step * 10), azimuth: inward, second: second + Double(step))) }
        for step in 0..<20 { tell(fix(5, azimuth: Double(step * 18), second: second + 200 + Double(step * 180))) }
        for step in 0..<121 { tell(fix(Double(step * 10), azimuth: outward, second: second + 3_800 + Double(step))) }
        return told
    }

    /// Fixes far apart may lie on both sides of a zone with none inside: nothing may tell of what is between them.
    @Test func noticesAWayThroughAZoneWithoutAFixInside() {
        for azimuth in stride(from: 0.0, to: 360, by: 15) {
            var gate = PrivacyGate(zones: [zone], key: key)
            #expect(gate.process(fix(3_000, azimuth: azimuth, second: 0)) == .pass)
            #expect(gate.process(fix(2_000, azimuth: azimuth, second: 20)) == .pass)
            #expect(gate.process(fix(2_000, azimuth: azimuth + 180, second: 60)) == .passBeyondZone, "\(azimuth)")
            #expect(gate.process(fix(3_000, azimuth: azimuth + 180, second: 80)) == .pass)
            // Past it, at four kilometres, and far away.
            #expect(gate.process(fix(4_000, azimuth: azimuth + 180, second: 100)) == .pass)
            #expect(gate.process(fix(4_500, azimuth: azimuth + 240, second: 140)) == .pass)
            #expect(gate.process(fix(100_000, azimuth: azimuth + 240, second: 9_000)) == .pass)
            #expect(gate.process(fix(100_000, azimuth: azimuth + 60, second: 99_000)) == .passBeyondZone)
        }
    }

    @Test func neverTellsAPlaceInsideTheRadius() {
        let gate = Gate(zones: [zone], key: key)
        var generator = SeededGenerator(seed: 3)
        var told = 0
        for day in 0..<60 {
            let positions = drive(
                in: .random(in: 0..<360, using: &generator), out: .random(in: 0..<360, using: &generator), second: Double(day) * 86_400,
                through: gate)
            told += positions.count
            #expect(positions.allSatisfy { Geodesic.distanceMetres(from: home, to: $0.coordinate) > zone.radiusMetres })
        }
        // The rest of the way is told: at least a quarter of a kilometre each time.
        #expect(told > 60 * 25)
    }

    /// The ends of 500 drives home, seen by somebody who fits a circle to them.
    @Test(arguments: [[UInt8](0..<16), [UInt8](repeating: 7, count: 16), [UInt8]("a secret of ours".utf8)])
    func hidesTheHomeFromAFittedCircle(secret: [UInt8]) throws {
        let gate = Gate(zones: [zone], key: try #require(SipHash.Key(secret)))
        var generator = SeededGenerator(seed: 17)
        let frame = LocalFrame(origin: home)
        var ends: [PlanePoint] = []
        for day in 0..<250 {
            let told = drive(
                in: .random(in: 0..<360, using: &generator), out: .random(in: 0..<360, using: &generator), second: Double(day) * 86_400,
                through: gate)
            let lastBefore = try #require(
                told.last { $0.time.map { $0.millisecondsSince1970 - start < Int64(day) * 86_400_000 + 1_000_000 } == true })
            let firstAfter = try #require(
                told.first { $0.time.map { $0.millisecondsSince1970 - start > Int64(day) * 86_400_000 + 1_000_000 } == true })
            ends += [frame.point(lastBefore.coordinate), frame.point(firstAfter.coordinate)]
        }
        #expect(ends.count == 500)
        let circle = Circle(fitting: ends)
        // The centre of the fit is a place in the ring of 0.3 to 0.8 radii: not the home.
        let miss = (circle.east * circle.east + circle.north * circle.north).squareRoot()
        #expect(miss > 0.3 * zone.radiusMetres - 15 && miss < 0.8 * zone.radiusMetres + 15, "\(miss) m from home")
        // Nor do the ends lie on the circle.
        let spread = ends.map { abs($0.distance(to: circle) - circle.radius) }.sorted()
        #expect(spread[250] > 15, "the ends lie on a line: median \(spread[250]) m off the circle")
    }

    @Test func movesTheHoleAlwaysTheSameWayButForEachBoxAnother() throws {
        var moves: Set<Int> = []
        for box in 0..<60 {
            let key = try #require(SipHash.Key([UInt8](repeating: UInt8(box), count: 16)))
            let edges = edges(of: zone, key: key)
            if box == 0 { #expect(edges == self.edges(of: zone, key: key)) }
            moves.insert(Int(edges.direction / 45))
            #expect(edges.move > 0.3 * 250 - 15 && edges.move < 0.8 * 250 + 15)
        }
        // All directions come.
        #expect(moves.count == 8)
    }

    @Test func keepsTheMoveWhenTheZoneIsCorrected() throws {
        let other = Geodesic.end(from: home, azimuthDegrees: 30, distanceMetres: 40).coordinate
        let before = edges(of: zone, key: key)
        let after = edges(of: PrivacyZone(name: "home", centre: other, radiusMetres: 250), key: key)
        let moved = Geodesic.line(from: before.centre, to: after.centre)
        #expect(abs(moved.distanceMetres - 40) < 12 && abs(moved.initialAzimuthDegrees - 30) < 20)
    }

    /// Where a zone's hole is, felt from outside with single fixes to a new gate each, whose edge is the outermost.
    private func edges(of zone: PrivacyZone, key: SipHash.Key) -> HoleOutline {
        var points: [PlanePoint] = []
        let frame = LocalFrame(origin: zone.centre)
        for azimuth in stride(from: 0.0, to: 360, by: 15) {
            var (near, far) = (0.0, 2_000.0)
            while far - near > 1 {
                let middle = (near + far) / 2
                let gate = Gate(zones: [zone], key: key)
                let place = Geodesic.end(from: zone.centre, azimuthDegrees: azimuth, distanceMetres: middle).coordinate
                let isTold = gate.process(Position(time: UTCTime(millisecondsSince1970: start), coordinate: place)) == .pass
                if isTold { far = middle } else { near = middle }
            }
            points.append(frame.point(Geodesic.end(from: zone.centre, azimuthDegrees: azimuth, distanceMetres: far).coordinate))
        }
        let circle = Circle(fitting: points)
        let direction = atan2(circle.east, circle.north) * 180 / .pi
        return HoleOutline(
            centre: frame.coordinate(PlanePoint(eastMetres: circle.east, northMetres: circle.north)),
            move: (circle.east * circle.east + circle.north * circle.north).squareRoot(),
            direction: direction < 0 ? direction + 360 : direction)
    }

    @Test func withholdsFixesThatMayBeInside() {
        let gate = Gate(zones: [zone], key: key)
        #expect(gate.process(fix(3_000, azimuth: 10, second: 0)) == .pass)
        #expect(gate.process(fix(3_000, azimuth: 10, second: 1, accuracy: 1_500)) == .withhold(.zone))
        // And for ten seconds more.
        #expect(gate.process(fix(3_000, azimuth: 10, second: 2)) == .withhold(.zone))
        #expect(gate.process(fix(3_000, azimuth: 10, second: 11)) == .withhold(.zone))
        #expect(gate.process(fix(3_000, azimuth: 10, second: 12)) == .pass)
        #expect(gate.reason == nil)
    }

    @Test func withholdsAJumpOutAndBack() {
        let gate = Gate(zones: [zone], key: key)
        for second in 0..<600 {
            // Every minute a fix from the garage says something else for five seconds.
            let isJump = second % 60 < 5 && second > 60
            #expect(gate.process(fix(isJump ? 1_200 : 4, azimuth: 80, second: Double(second))) == .withhold(.zone))
        }
        #expect(gate.reason == .zone)
    }

    @Test func countsFixesWhereTheyHaveNoTime() {
        let gate = Gate(zones: [zone], key: key)
        func untimed(_ metres: Double) -> Position {
            var position = fix(metres, azimuth: 0, second: 0)
            position.time = nil
            return position
        }
        #expect(gate.process(untimed(0)) == .withhold(.zone))
        for _ in 0..<9 { #expect(gate.process(untimed(2_000)) == .withhold(.zone)) }
        #expect(gate.process(untimed(2_000)) == .pass)
    }

    @Test func doesNotFlickerAlongTheEdge() {
        let gate = Gate(zones: [zone], key: key)
        var changes = 0
        var wasTold = true
        var generator = SeededGenerator(seed: 5)
        _ = gate.process(fix(3_000, azimuth: 0, second: 0))
        for second in 1..<3_600 {
            let metres = Double.random(in: 450...560, using: &generator)
            let isTold = gate.process(fix(metres, azimuth: Double(second) / 10, second: Double(second))) == .pass
            if isTold != wasTold { changes += 1 }
            wasTold = isTold
        }
        #expect(changes < 12, "\(changes)")
    }

    @Test func tellsOneCoarsePlaceForTheZone() {
        let gate = Gate(zones: [zone], inside: .coarse, key: key)
        var told: [Position] = []
        for second in 0..<7_200 {
            switch gate.process(fix(Double(second % 100), azimuth: Double(second), second: Double(second))) {
            case .replace(let position): told.append(position)
            case .withhold(let reason): #expect(reason == .zone)
            case .pass, .passBeyondZone: Issue.record("an exact place inside the zone")
            }
        }
        #expect(told.count == 8)
        #expect(Set(told.map(\.coordinate)).count == 1)
        #expect(told.allSatisfy { $0.speedMetresPerSecond == nil && $0.altitudeMSLMetres == nil && $0.accuracy?.origin == .reduced })
        for position in told {
            let miss = Geodesic.distanceMetres(from: home, to: position.coordinate)
            #expect(miss < position.accuracy?.radiusMetres ?? 0)
        }
    }

    @Test func withholdsWhatAnEarlierRunKnewWhereverTheEdgeWasDrawn() throws {
        var gate = PrivacyGate(zones: [zone], key: key)
        #expect(gate.withholds(stored: fix(0, azimuth: 10, second: 0)))
        #expect(gate.withholds(stored: fix(zone.radiusMetres, azimuth: 10, second: 0)))
        #expect(!gate.withholds(stored: fix(20 * zone.radiusMetres, azimuth: 10, second: 0)))
        #expect(gate.withholds(stored: fix(20 * zone.radiusMetres, azimuth: 10, second: 0, accuracy: 12 * zone.radiusMetres)))
        gate.isPrivate = true
        #expect(gate.withholds(stored: fix(20 * zone.radiusMetres, azimuth: 10, second: 0)))
        #expect(!PrivacyGate().withholds(stored: fix(0, azimuth: 10, second: 0)))
    }

    @Test func withholdsEverythingInPrivateMode() {
        let gate = Gate(zones: [], key: key, isPrivate: true)
        #expect(gate.process(fix(9_000, azimuth: 0, second: 0)) == .withhold(.privateMode))
        #expect(gate.reason == .privateMode)
        gate.isPrivate = false
        #expect(gate.process(fix(9_000, azimuth: 0, second: 1)) == .pass)
    }

    @Test func followsTheBoxIntoAZoneInPrivateMode() {
        let gate = Gate(zones: [zone], key: key, isPrivate: true)
        _ = gate.process(fix(100, azimuth: 0, second: 0))
        gate.isPrivate = false
        #expect(gate.reason == .zone)
        #expect(gate.process(fix(100, azimuth: 0, second: 1)) == .withhold(.zone))
    }
}

/// A gate whose answers can be expected: the macro takes no mutating calls.
private final class Gate {
    private var gate: PrivacyGate

    init(zones: [PrivacyZone], inside: PrivacyGate.Inside = .nothing, key: SipHash.Key, isPrivate: Bool = false) {
        gate = PrivacyGate(zones: zones, inside: inside, key: key, isPrivate: isPrivate)
    }

    var reason: PrivacyGate.Reason? { gate.reason }
    var isPrivate: Bool {
        get { gate.isPrivate }
        set { gate.isPrivate = newValue }
    }

    func process(_ position: Position) -> PrivacyGate.Decision { gate.process(position) }
}

/// Where a hole was found.
private struct HoleOutline: Equatable {
    var centre: Coordinate
    var move: Double
    var direction: Double
}

/// A circle through points as well as can be: I Kåsa's linear least squares of 1976.
private struct Circle {
    var east: Double
    var north: Double
    var radius: Double

    init(fitting points: [PlanePoint]) {
        // x^2 + y^2 = a x + b y + c, by the normal equations.
        var m = [[Double]](repeating: [0, 0, 0, 0], count: 3)
        for point in points {
            let row = [point.eastMetres, point.northMetres, 1]
            let value = point.eastMetres * point.eastMetres + point.northMetres * point.northMetres
            for i in 0..<3 {
                for j in 0..<3 { m[i][j] += row[i] * row[j] }
                m[i][3] += row[i] * value
            }
        }
        for i in 0..<3 {
            for k in 0..<3 where k != i {
                let factor = m[k][i] / m[i][i]
                for j in i..<4 { m[k][j] -= factor * m[i][j] }
            }
        }
        let (a, b, c) = (m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2])
        east = a / 2
        north = b / 2
        radius = (c + east * east + north * north).squareRoot()
    }
}

extension PlanePoint {
    fileprivate func distance(to circle: Circle) -> Double {
        ((eastMetres - circle.east) * (eastMetres - circle.east) + (northMetres - circle.north) * (northMetres - circle.north)).squareRoot()
    }
}
