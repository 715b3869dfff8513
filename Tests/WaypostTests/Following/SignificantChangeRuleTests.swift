import Testing
import Waypost

@Suite struct SignificantChangeRuleTests {
    private static let home = (latitude: 47.0, longitude: 8.0)

    /// A fix that many metres to the north of home.
    private func fix(_ seconds: Int, metres: Double, speed: Double? = nil, accuracy: Double? = nil) throws -> Position {
        let home = try #require(Coordinate(latitudeDegrees: Self.home.latitude, longitudeDegrees: Self.home.longitude))
        let place = Geodesic.end(from: home, azimuthDegrees: metres < 0 ? 180 : 0, distanceMetres: abs(metres)).coordinate
        var position = Position(time: UTCTime(millisecondsSince1970: 1_700_000_000_000 + Int64(seconds) * 1_000), coordinate: place)
        position.speedMetresPerSecond = speed
        position.accuracy = accuracy.map { HorizontalAccuracy(radiusMetres: $0, origin: .receiver) }
        return position
    }

    /// The metres to the north at which something is reported.
    private func reports(_ fixes: [Position], stored: Position? = nil) throws -> [Int] {
        var rule = SignificantChangeRule()
        let home = try #require(Coordinate(latitudeDegrees: Self.home.latitude, longitudeDegrees: Self.home.longitude))
        var reports = stored.map { [rule.start(stored: $0)] } ?? []
        reports += fixes.compactMap { rule.process($0) }
        return reports.map { Int(Geodesic.distanceMetres(from: home, to: $0.position.coordinate).rounded()) }
    }

    @Test func reportsEvery3000MetresOfTenKilometresAtTenMetresPerSecond() throws {
        let fixes = try (0...1_000).map { try fix($0, metres: Double($0) * 10, speed: 10) }
        #expect(try reports(fixes) == [0, 3_000, 6_000, 9_000])
    }

    @Test func waitsFor500MetresOnFoot() throws {
        // 300 s are over long before 500 m are.
        let fixes = try (0...1_000).map { try fix($0, metres: Double($0) * 1.2) }
        #expect(try reports(fixes) == [0, 500, 1_001])
    }

    @Test func reportsOnlyTheFirstFixInAnHourOfJitter() throws {
        var generator = SeededGenerator(seed: 5)
        let fixes = try (0...3_600).map { try fix($0, metres: Double.random(in: -30...30, using: &generator)) }
        #expect(try reports(fixes).count == 1)
    }

    @Test(arguments: [400, 1_000, 3_000]) func ignoresOneOutlierOf50Kilometres(second: Int) throws {
        let fixes = try (0...3_600).map { try fix($0, metres: $0 == second ? 50_000 : 0) }
        #expect(try reports(fixes) == [0])
    }

    @Test func ignoresAnOutlierBetweenSparseFixes() throws {
        let fixes = try stride(from: 0, through: 3_600, by: 300).map { try fix($0, metres: $0 == 1_500 ? 50_000 : 0) }
        #expect(try reports(fixes) == [0])
    }

    @Test func reportsAJumpThatTheNextFixConfirms() throws {
        // Out of a tunnel without fixes at the other end, after a false start.
        let fixes = try [fix(0, metres: 0), fix(301, metres: 90_000), fix(302, metres: 90_020), fix(303, metres: 90_040)]
        #expect(try reports(fixes) == [0, 90_020])
    }

    @Test func believesTheSpeedOfTheReceiver() throws {
        // An aircraft: 250 m/s.
        let fixes = try (0...900).map { try fix($0, metres: Double($0) * 250, speed: 250) }
        #expect(try reports(fixes) == [0, 75_000, 150_000, 225_000])
    }

    @Test func beginsWithTheStoredPosition() throws {
        let stored = try fix(-86_400, metres: 2_000)
        var rule = SignificantChangeRule()
        let first = rule.start(stored: stored)
        #expect(first.isCached)
        #expect(first.position == stored)
        // 100 m further it is still the same place, 600 m further it is not.
        #expect(try rule.process(fix(0, metres: 2_100)) == nil)
        let second = try rule.process(fix(300, metres: 2_600))
        #expect(second?.isCached == false)
    }

    @Test func ignoresFixesWithoutATime() throws {
        var rule = SignificantChangeRule()
        var position = try fix(0, metres: 0)
        position.time = nil
        #expect(rule.process(position) == nil)
    }

    /// metres and seconds since the report, speed, at rest: seconds until the next report can come.
    @Test(arguments: [
        (0.0, 0, 10.0, false, 300), (1_000, 100, 10, false, 200), (499, 300, 10, false, 0), (420, 300, 1.4, false, 57),
        (0, 400, 0, true, 300), (100, 600, 0.2, false, 120),
    ]) func knowsWhenTheNextReportCanCome(metres: Double, seconds: Int, speed: Double, isStationary: Bool, expected: Int) throws {
        var rule = SignificantChangeRule()
        _ = rule.process(try fix(0, metres: 0, speed: speed))
        if seconds > 0 { _ = rule.process(try fix(seconds, metres: metres, speed: speed)) }
        let milliseconds = rule.millisecondsUntilNextReport(isStationary: isStationary)
        #expect(abs(milliseconds - Int64(expected) * 1_000) <= 200)
    }

    @Test func needsAFixAtOnceBeforeTheFirstReport() {
        #expect(SignificantChangeRule().millisecondsUntilNextReport(isStationary: false) == 0)
    }
}
