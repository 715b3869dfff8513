import Testing
import Waypost
import WaypostTestKit

@Suite struct PositionThinnerTests {
    private let home: Coordinate

    init() throws { home = try #require(Coordinate(latitudeDegrees: 47.5, longitudeDegrees: 8.25)) }

    private func settings(metres: Double = 0, seconds: Int64 = 0, turn: Double = 20, heartbeat: Int64 = 300) -> PositionThinner.Settings {
        var settings = PositionThinner.Settings()
        settings.minimumMetres = metres
        settings.minimumInterval = .seconds(seconds)
        settings.turnDegrees = turn
        settings.heartbeat = .seconds(heartbeat)
        return settings
    }

    private func fix(
        _ second: Int64, from origin: Coordinate? = nil, metres: Double, azimuth: Double = 0, speed: Double? = nil, course: Double? = nil
    ) -> Position {
        let place = Geodesic.end(from: origin ?? home, azimuthDegrees: azimuth, distanceMetres: metres).coordinate
        var position = Position(time: UTCTime(millisecondsSince1970: 1_772_366_400_000 + second * 1_000), coordinate: place)
        position.speedMetresPerSecond = speed
        position.courseDegrees = course
        position.accuracy = HorizontalAccuracy(radiusMetres: 3, origin: .receiver)
        return position
    }

    @Test func keepsEveryFixWhenNothingIsAsked() {
        let thinner = Thinner(PositionThinner.Settings())
        for second in 0..<100 as Range<Int64> { #expect(thinner.keeps(fix(second, metres: 0, speed: 0))) }
    }

    @Test func keepsAFixPerDistanceOnAStraightRoad() {
        let thinner = Thinner(settings(metres: 100))
        let kept = (0..<1_000 as Range<Int64>).count { thinner.keeps(fix($0, metres: Double($0) * 12, speed: 12, course: 0)) }
        // 12 km; a fix every 108 m, the first distance of whole steps that is long enough.
        #expect(kept == 112)
    }

    @Test func wantsDistanceAndIntervalTogether() {
        let thinner = Thinner(settings(metres: 50, seconds: 10))
        let kept = (0..<100 as Range<Int64>).filter { thinner.keeps(fix($0, metres: Double($0) * 30, speed: 30, course: 0)) }
        #expect(kept == Array(stride(from: 0, to: 100, by: 10)))
    }

    @Test func writesAHeartbeatOfAParkedBoxAndNoScribble() {
        let thinner = Thinner(settings(metres: 10))
        var generator = SeededGenerator(seed: 4)
        var kept = 0
        for second in 0..<6 * 3_600 as Range<Int64> {
            // Places wander by tens of metres, the Doppler speed hardly.
            let position = fix(
                second, metres: .random(in: 0...24, using: &generator), azimuth: .random(in: 0..<360, using: &generator),
                speed: .random(in: 0...0.25, using: &generator), course: .random(in: 0..<360, using: &generator))
            if thinner.keeps(position) { kept += 1 }
        }
        #expect(kept == 72)
    }

    @Test func keepsTheShapeOfATurn() {
        func kept(turn: Double) -> [Int64] {
            let thinner = Thinner(settings(metres: 500, turn: turn))
            // Straight for 30 s, a quarter circle of 9 s at 10 degrees a second, straight again.
            var place = home
            return (0..<70 as Range<Int64>).filter { second in
                let course = Double(min(max(second - 30, 0), 9) * 10)
                place = Geodesic.end(from: place, azimuthDegrees: course, distanceMetres: 8).coordinate
                return thinner.keeps(fix(second, from: place, metres: 0, speed: 8, course: course))
            }
        }
        #expect(kept(turn: 20) == [0, 32, 34, 36, 38])
        #expect(kept(turn: 0) == [0])
    }

    @Test func takesCoursesThroughNorthTheShortWay() {
        let thinner = Thinner(settings(metres: 500))
        #expect(thinner.keeps(fix(0, metres: 0, speed: 10, course: 355)))
        #expect(!thinner.keeps(fix(1, metres: 10, speed: 10, course: 5)))
        #expect(thinner.keeps(fix(2, metres: 20, speed: 10, course: 16)))
    }

    @Test func ignoresTheCourseOfWhatHardlyMoves() {
        let thinner = Thinner(settings(metres: 500))
        #expect(thinner.keeps(fix(0, metres: 0, speed: 1, course: 0)))
        // Within its accuracy of 3 m.
        #expect(!thinner.keeps(fix(1, metres: 2.5, speed: 1, course: 170)))
        #expect(thinner.keeps(fix(4, metres: 4, speed: 1, course: 170)))
    }

    @Test func followsWhatDriftsSlowly() {
        let thinner = Thinner(settings(metres: 10, heartbeat: 0))
        let kept = (0..<3_600 as Range<Int64>).count { thinner.keeps(fix($0, metres: Double($0) * 0.2, speed: 0.2)) }
        // 720 m at 0.2 m/s: every 50 m.
        #expect(kept == 15)
    }

    @Test func keepsTheFirstFixAfterABreakAndAfterTheClockWentBack() {
        let thinner = Thinner(settings(metres: 100))
        #expect(thinner.keeps(fix(0, metres: 0)))
        #expect(!thinner.keeps(fix(1, metres: 1)))
        thinner.breakTrack()
        #expect(thinner.keeps(fix(2, metres: 2)))
        #expect(thinner.keeps(fix(-500, metres: 2)))
        #expect(!thinner.keeps(fix(-499, metres: 2)))
    }
}

/// A thinner whose answers can be expected: the macro takes no mutating calls.
private final class Thinner {
    private var thinner: PositionThinner

    init(_ settings: PositionThinner.Settings) { thinner = PositionThinner(settings) }

    func keeps(_ position: Position) -> Bool { thinner.keeps(position) }
    func breakTrack() { thinner.breakTrack() }
}
