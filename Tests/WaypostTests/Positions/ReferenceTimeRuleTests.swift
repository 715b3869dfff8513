import Testing
import Waypost

/// Which fixes may set a clock.
@Suite struct ReferenceTimeRuleTests {
    private let start = UTCTime(millisecondsSince1970: 1_772_366_400_000)

    private func fix(_ milliseconds: Int, source: String = "serial:///dev/ttyACM0", status: FixStatus = .gps) throws -> Position {
        let place = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        var position = Position(time: start.advanced(byMilliseconds: Int64(milliseconds)), coordinate: place, status: status)
        position.source = source
        return position
    }

    /// The seconds at which the time is told.
    private func told(_ fixes: [Position], everyMilliseconds step: Int64 = 1_000) -> [Int64] {
        var rule = ReferenceTimeRule(schemes: ["gpsd", "serial", "nmea-tcp", "nmea-udp"])
        return fixes.indices.filter { rule.process(fixes[$0], at: Int64($0) * step) }.map { Int64($0) * step }
    }

    @Test func tellsTheTimeOnceSeveralFixesAgree() throws {
        #expect(told(try (0..<8).map { try fix($0 * 1_000) }) == [4_000, 5_000, 6_000, 7_000])
    }

    @Test func tellsItOnceASecondWhateverTheReceiversPace() throws {
        #expect(told(try (0..<80).map { try fix($0 * 100) }, everyMilliseconds: 100) == [4_000, 5_000, 6_000, 7_000])
    }

    @Test func believesNoDateThatHasJumpedUntilItIsConfirmed() throws {
        let week = 1_024 * 7 * 86_400_000
        let times = (0..<6).map { $0 * 1_000 } + (6..<12).map { $0 * 1_000 + week }
        #expect(told(try times.map { try fix($0) }) == [4_000, 5_000, 10_000, 11_000])
    }

    @Test func doubtsADateThatContradictsASettledOne() throws {
        let week = 1_024 * 7 * 86_400_000
        let times = (0..<70).map { $0 * 1_000 } + (70..<90).map { $0 * 1_000 + week } + (90..<96).map { $0 * 1_000 }
        #expect(told(try times.map { try fix($0) }).filter { $0 > 68_000 } == [69_000, 90_000, 91_000, 92_000, 93_000, 94_000, 95_000])
    }

    @Test(arguments: ["gpx:drive.gpx", "nmea:drive.nmea", "sim:walk", "route:a.gpx", "exec:./mine"])
    func tellsNothingOfWhatIsNoReceiver(source: String) throws {
        #expect(told(try (0..<8).map { try fix($0 * 1_000, source: source) }) == [])
    }

    @Test func tellsNothingOfSimulatedFixesNorOfFixesWithoutTime() throws {
        #expect(told(try (0..<8).map { try fix($0 * 1_000, status: .simulated) }) == [])
        let timeless = try (0..<8).map { index in
            var position = try fix(index)
            position.time = nil
            return position
        }
        #expect(told(timeless) == [])
    }
}
