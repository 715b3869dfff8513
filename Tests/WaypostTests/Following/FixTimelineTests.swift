import Testing
import WaypostTestKit

@testable import Waypost

/// Durations between live fixes are those of the machine's clock, whatever the receiver's time does.
@Suite struct FixTimelineTests {
    /// The moments of fixes, a second apart by the machine's clock, less that of the first.
    private func moments(count: Int = 60, jitter: (Int) -> Int64 = { _ in 0 }, _ receiver: (Int64) -> Int64?) -> [Int64] {
        var timeline = FixTimeline()
        let moments = (0..<count).map { second in
            let time = receiver(Int64(second)).map { UTCTime(millisecondsSince1970: 1_800_000_000_000 + $0 * 1_000) }
            return timeline.moment(of: time, at: 77_000 + Int64(second) * 1_000 + jitter(second))
        }
        return moments.map { $0 - moments[0] }
    }

    static let receivers: [(name: String, time: @Sendable (Int64) -> Int64?)] = [
        ("right", { $0 }),
        ("1 day ahead, then right", { $0 < 25 ? $0 + 86_400 : $0 }),
        ("back by 1 h", { $0 < 25 ? $0 : $0 - 3_600 }),
        ("back by 30 s", { $0 < 25 ? $0 : $0 - 30 }),
        ("to and fro", { $0 % 7 < 3 ? $0 + 500 : $0 }),
        ("stands still", { $0 < 25 ? $0 : 25 }),
        ("stands still at once", { _ in 0 }),
        ("runs backwards", { $0 < 25 ? $0 : 50 - $0 }),
        ("the date comes late", { $0 < 25 ? nil : $0 }),
        ("never a date", { _ in nil }),
        ("dates now and then", { $0 % 3 == 0 ? $0 : nil }),
    ]

    @Test(arguments: receivers.indices) func goesOnWithTheClock(index: Int) {
        let (name, time) = FixTimelineTests.receivers[index]
        #expect(moments(time) == (0..<60).map { $0 * 1_000 }, "\(name)")
    }

    @Test func takesTheStepsOfTheReceiverWhereDeliveryIsUneven() {
        #expect(moments(jitter: { [0, 700, 30, 1_200][$0 % 4] }, { $0 }) == (0..<60).map { $0 * 1_000 })
    }

    @Test func neverGoesBackAndStaysNearTheClockWhenFixesComeInBursts() {
        var timeline = FixTimeline()
        var last = Int64.min
        for second in 0..<600 {
            // Ten fixes at once, the last of them in time.
            let clock = Int64(second / 10 * 10 + 9) * 1_000
            let moment = timeline.moment(of: UTCTime(millisecondsSince1970: Int64(second) * 1_000), at: clock)
            // What came first may have been played; from then on they were measured one after the other.
            #expect(second <= 10 ? moment >= last : moment == last + 1_000, "\(second)")
            last = moment
        }
    }

    /// Where reading was held up, the fixes come together afterwards; they were measured one after the other.
    @Test func aStallIsMadeUpForOnce() {
        var timeline = FixTimeline()
        let moments = (0..<200).map { second in
            timeline.moment(
                of: UTCTime(millisecondsSince1970: Int64(second) * 1_000),
                at: second < 30 ? Int64(second) * 1_000 : max(90_000, Int64(second) * 1_000))
        }
        #expect(moments == (0..<200).map { $0 * 1_000 })
    }

    /// After a pause each fix comes later than before, or they fall behind all the time: they are as far apart as they were measured.
    @Test(arguments: [(2_500, 0), (4_000, 0), (9_000, 0), (0, 5), (0, 20), (0, 50)] as [(Int64, Int64)])
    func fixesThatStayLateAreAsFarApartAsEver(pause: Int64, perMille: Int64) {
        var timeline = FixTimeline()
        let moments = (Int64(0)..<600).map { second in
            timeline.moment(
                of: UTCTime(millisecondsSince1970: second * 1_000), at: second * (1_000 + perMille) + (second < 30 ? 0 : pause))
        }
        #expect(moments == (0..<600).map { $0 * 1_000 })
    }

    /// The date is corrected in the midst of fixes that were held up.
    @Test(arguments: [8, 60, 3_600, 86_400, -30, -3_600], [31, 40, 55, 80, 89]) func aJumpAmongHeldUpFixesMovesNothing(
        jump: Int, second: Int
    ) {
        var timeline = FixTimeline()
        let moments = (0..<200).map { now in
            let time = Int64(now + (now >= second ? jump : 0)) * 1_000
            return timeline.moment(
                of: UTCTime(millisecondsSince1970: time), at: now < 30 ? Int64(now) * 1_000 : max(90_000, Int64(now) * 1_000))
        }
        #expect(moments == moments.sorted())
        #expect(moments.enumerated().allSatisfy { abs($0.element - Int64($0.offset) * 1_000) <= 10_000 }, "\(moments)")
        #expect(abs(moments[199] - 199_000) <= 2_000, "\(moments[199])")
    }

    @Test func countsWholeSecondsOfAQuickReceiver() {
        var timeline = FixTimeline()
        let moments = (0..<500).map {
            timeline.moment(of: UTCTime(millisecondsSince1970: Int64($0 / 5) * 1_000), at: 7_000 + Int64($0) * 200)
        }
        #expect(moments == (0..<500).map { 7_000 + $0 * 200 })
    }

    @Test func twoTimelinesOfOneBootAreComparable() {
        var (first, second) = (FixTimeline(), FixTimeline())
        for index in Int64(0)..<100 { _ = first.moment(of: UTCTime(millisecondsSince1970: index * 1_000), at: 50_000 + index * 1_000) }
        let (a, b) = (first.moment(of: nil, at: 160_000), second.moment(of: UTCTime(millisecondsSince1970: -86_400_000), at: 160_000))
        #expect(abs(a - b) <= 10)
    }

    /// A recording that is written into a pipe or a socket, at full speed or twenty times as fast as life.
    @Test(arguments: [0, 1, 50, 500, 667] as [Int64], [1, 2, 30] as [Int64]) func aPlayedRecordingHasItsOwnTime(pause: Int64, step: Int64) {
        var timeline = FixTimeline()
        var moments: [Int64] = []
        for second in 0..<100 {
            // A tunnel, and from the 80th fix on the recording once more.
            let time = (Int64(second % 80) + (40..<80 ~= second ? 600 : 0)) * step * 1_000
            moments.append(timeline.moment(of: UTCTime(millisecondsSince1970: time), at: 5_000 + Int64(second) * pause))
        }
        #expect((10..<40).allSatisfy { moments[$0] - moments[0] == Int64($0) * step * 1_000 }, "\(moments)")
        #expect((40..<80).allSatisfy { moments[$0] - moments[0] == Int64($0 + 600) * step * 1_000 }, "\(moments)")
        #expect(moments[99] - moments[80] == 19 * step * 1_000 && (0...max(50, pause)).contains(moments[80] - moments[79]), "\(moments)")
    }

    /// Corrections of a few seconds, over and over, do not add up.
    @Test func jumpsToAndFroDoNotAddUp() {
        let moments = moments(count: 600) { $0 + ($0 % 4 < 2 ? 5 : 0) }
        #expect(moments.enumerated().allSatisfy { abs($0.element - Int64($0.offset) * 1_000) <= 2_000 })
    }

    @Test func followsTheReceiverWhereTheMachinesClockDrifts() {
        var timeline = FixTimeline()
        var moment: Int64 = 0
        // 100 parts in a million, for two days.
        for second in 0..<172_800 {
            moment = timeline.moment(of: UTCTime(millisecondsSince1970: Int64(second) * 1_000), at: Int64(second) * 10_001 / 10)
        }
        #expect(moment == 172_799_000)
    }

    // MARK: - The rules that measure with it

    /// Live fixes of a drive to the north, a second apart.
    private func drive(_ count: Int, speed: Double, radius: Double = 5, _ receiver: (Int64) -> Int64?) -> [Position] {
        var timeline = FixTimeline()
        return (0..<count).map { second in
            let place = Geodesic.end(
                from: RandomFences.regions[0], azimuthDegrees: 0, distanceMetres: Double(second) * speed + 0.01 * Double(second % 3)
            ).coordinate
            var fix = Position.fix(place, second: 0, accuracy: radius, speed: speed, course: 0)
            fix.time = receiver(Int64(second)).map { UTCTime(millisecondsSince1970: 1_800_000_000_000 + $0 * 1_000) }
            fix.moment.milliseconds = timeline.moment(of: fix.time, at: Int64(second) * 1_000)
            return fix
        }
    }

    @Test(arguments: receivers.indices) func poorFixesPassAfterTenSeconds(index: Int) {
        let (name, time) = FixTimelineTests.receivers[index]
        var filter = UpdateFilter()
        let passed = drive(30, speed: 3, radius: 300, time).enumerated().filter { filter.passes($0.element) }
        #expect(passed.map(\.offset).filter { $0 <= 9 }.isEmpty, "\(name)")
        #expect(passed.map(\.offset).filter { $0 > 12 } == Array(13..<30), "\(name)")
    }

    @Test(arguments: receivers.indices) func significantChangesComeEveryFiveMinutes(index: Int) {
        let (name, time) = FixTimelineTests.receivers[index]
        var rule = SignificantChangeRule()
        let reports = drive(1_000, speed: 27, time).enumerated().filter { rule.process($0.element) != nil }.map(\.offset)
        #expect(reports == [0, 300, 600, 900], "\(name)")
    }

    /// What was stored while the date was wrong.
    @Test func aStoredPositionOfTomorrowSilencesNothing() {
        var rule = SignificantChangeRule()
        var stored = drive(1, speed: 0) { _ in 86_400 }[0]
        stored.moment = FixMoment()
        _ = rule.start(stored: stored)
        let reports = drive(700, speed: 27) { $0 }.enumerated().filter { rule.process($0.element) != nil }.map(\.offset)
        #expect(reports == [300, 600])
    }

    @Test(arguments: receivers.indices) func restComesAfterAMinute(index: Int) {
        let (name, time) = FixTimelineTests.receivers[index]
        var rule = StationaryRule()
        let changes = drive(200, speed: 0, time).enumerated().filter { rule.process($0.element) }.map(\.offset)
        #expect(changes == [60], "\(name)")
    }

    @Test(arguments: receivers.indices) func theAverageSpeedIsThatOfTheDrive(index: Int) throws {
        let (name, time) = FixTimelineTests.receivers[index]
        var average = AverageSpeed()
        for fix in drive(60, speed: 20, time) { average.process(fix) }
        #expect(abs(try #require(average.metresPerSecond) - 20) < 0.1, "\(name)")
    }

    @Test func aParkedBoxShowsThatItIsThereThoughItsTimeStandsStill() {
        var settings = PositionThinner.Settings()
        (settings.minimumMetres, settings.heartbeat) = (100, .seconds(20))
        var thinner = PositionThinner(settings)
        let kept = drive(60, speed: 0) { _ in 0 }.enumerated().filter { thinner.keeps($0.element) }.map(\.offset)
        #expect(kept == [0, 20, 40])
    }
}
