import Testing
import Waypost

@Suite struct AverageSpeedTests {
    private func fix(_ seconds: Double, metres: Double, speed: Double? = nil) throws -> Position {
        let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        let place = Geodesic.end(from: home, azimuthDegrees: 90, distanceMetres: metres).coordinate
        var position = Position(time: UTCTime(millisecondsSince1970: Int64(seconds * 1_000)), coordinate: place)
        position.speedMetresPerSecond = speed
        position.accuracy = HorizontalAccuracy(radiusMetres: 5, origin: .receiver)
        return position
    }

    @Test func isUnknownBeforeTheSecondFix() throws {
        var speed = AverageSpeed()
        #expect(speed.metresPerSecond == nil)
        try speed.process(fix(0, metres: 0))
        #expect(speed.metresPerSecond == nil)
    }

    @Test(arguments: [1.0, 0.1, 5]) func isTheDistanceOverTheTime(interval: Double) throws {
        var speed = AverageSpeed()
        for step in 0..<Int(100 / interval) {
            try speed.process(fix(Double(step) * interval, metres: Double(step) * interval * 15, speed: 15))
        }
        #expect(abs(try #require(speed.metresPerSecond) - 15) < 0.01)
    }

    @Test func forgetsWhatIsOlderThanTheWindow() throws {
        var speed = AverageSpeed(window: .seconds(60))
        for second in 0...600 {
            try speed.process(fix(Double(second), metres: Double(min(second, 500)) * 20, speed: second < 500 ? 20 : 0))
        }
        #expect(try #require(speed.metresPerSecond) < 0.5)
    }

    @Test func doesNotAddUpTheNoiseOfRest() throws {
        var speed = AverageSpeed()
        var generator = SeededGenerator(seed: 9)
        for second in 0...300 { try speed.process(fix(Double(second), metres: Double.random(in: 0...6, using: &generator), speed: 0.05)) }
        #expect(try #require(speed.metresPerSecond) < 0.1)
    }

    @Test func beginsAnewAfterALoss() throws {
        var speed = AverageSpeed()
        for second in 0...10 { try speed.process(fix(Double(second), metres: Double(second) * 20)) }
        speed.lose()
        #expect(speed.metresPerSecond == nil)
    }
}
