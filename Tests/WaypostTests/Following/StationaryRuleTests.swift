import Testing
import Waypost

@Suite struct StationaryRuleTests {
    private func fix(_ seconds: Double, metres: Double, speed: Double?) throws -> Position {
        let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        let place = Geodesic.end(from: home, azimuthDegrees: 0, distanceMetres: metres).coordinate
        var position = Position(time: UTCTime(millisecondsSince1970: 1_700_000_000_000 + Int64(seconds * 1_000)), coordinate: place)
        position.speedMetresPerSecond = speed
        position.accuracy = HorizontalAccuracy(radiusMetres: 4, origin: .receiver)
        return position
    }

    /// The seconds at which the rule changes its mind.
    private func changes(_ fixes: [Position]) -> [Int] {
        var rule = StationaryRule()
        return fixes.compactMap { fix in
            rule.process(fix) ? fix.time.map { Int(($0.millisecondsSince1970 - 1_700_000_000_000) / 1_000) } : nil
        }
    }

    @Test func isAtRestAfterAMinute() throws {
        #expect(try changes((0...120).map { try fix(Double($0), metres: 0, speed: 0.1) }) == [60])
    }

    @Test func isNotEndedByDrift() throws {
        // An hour of 80 m of drift to and fro, with the Doppler speed of a receiver at rest.
        let fixes = try (0...3_600).map { second in
            let share: Double = Double(second) / 1_800
            return try fix(Double(second), metres: 40 * (1 - abs(1 - share)), speed: 0.15)
        }
        #expect(changes(fixes) == [60])
    }

    @Test func isNotEndedByOneOutlier() throws {
        let fixes = try (0...200).map { second in
            let isOut = second == 150
            return try fix(Double(second), metres: isOut ? 5_000 : 0, speed: isOut ? 40 : 0)
        }
        #expect(changes(fixes) == [60])
    }

    @Test func isEndedByTheSecondStepOfAWalk() throws {
        let fixes = try (0...200).map { try fix(Double($0), metres: max(0, Double($0) - 100) * 1.4, speed: $0 > 100 ? 1.4 : 0) }
        #expect(changes(fixes) == [60, 102])
    }

    @Test func isEndedByMovementWithoutASpeed() throws {
        let fixes = try (0...200).map { try fix(Double($0), metres: max(0, Double($0) - 100) * 1.4, speed: nil) }
        let found = changes(fixes)
        #expect(found.first == 60)
        #expect((101...115).contains(try #require(found.dropFirst().first)))
    }

    @Test func isEndedByABoatThatDriftsAway() throws {
        let fixes = try (0...600).map { try fix(Double($0), metres: Double($0) * 0.4, speed: 0.4) }
        #expect(changes(fixes).first == 60)
        #expect(changes(fixes).count >= 2)
    }

    @Test func isNeverReachedOnTheMove() throws {
        #expect(try changes((0...600).map { try fix(Double($0), metres: Double($0) * 10, speed: 10) }).isEmpty)
        #expect(try changes((0...600).map { try fix(Double($0), metres: Double($0) * 1.2, speed: nil) }).isEmpty)
    }

    @Test func beginsAnewWhenTheClockGoesBack() throws {
        let fixes = try [
            fix(0, metres: 0, speed: 0), fix(50, metres: 0, speed: 0), fix(-100, metres: 0, speed: 0), fix(-50, metres: 0, speed: 0),
        ]
        #expect(changes(fixes).isEmpty)
    }
}
