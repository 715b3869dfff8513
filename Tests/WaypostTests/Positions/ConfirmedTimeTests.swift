import Testing
import Waypost

@Suite struct ConfirmedTimeTests {
    private let start = UTCTime(millisecondsSince1970: 1_777_692_302_000)

    /// Feeds fixes a second apart on the machine's clock, from `clock` on, whose times are `offset` seconds from the truth.
    private func feed(_ time: inout ConfirmedTime, _ count: Int, from clock: Int64, offsetSeconds: Int64 = 0, rate: Int64 = 1) {
        for index in 0..<Int64(count) {
            time.process(start.advanced(byMilliseconds: (clock + index * 1_000) * rate + offsetSeconds * 1_000), at: clock + index * 1_000)
        }
    }

    @Test func believesADateThatSeveralFixesConfirm() {
        var time = ConfirmedTime()
        feed(&time, 4, from: 0)
        #expect(time.time(at: 4_000) == nil)
        feed(&time, 1, from: 4_000)
        #expect(time.time(at: 4_000) == start.advanced(byMilliseconds: 4_000))
        #expect(time.time(at: 3_600_000) == start.advanced(byMilliseconds: 3_600_000), "the machine's clock carries it")
    }

    private static let tenYears: Int64 = 315_360_000

    @Test func believesANewDateAtOnceOnlyWhileNoneIsSettled() {
        var time = ConfirmedTime()
        feed(&time, 10, from: 0, offsetSeconds: Self.tenYears)
        #expect(time.certainTime(at: 9_000) == nil, "new")
        feed(&time, 5, from: 10_000)
        #expect(time.time(at: 14_000) == start.advanced(byMilliseconds: 14_000))
        #expect(time.certainTime(at: 14_000) == nil && time.doubted == nil)
        feed(&time, 56, from: 15_000)
        #expect(time.certainTime(at: 70_000) == start.advanced(byMilliseconds: 70_000))
    }

    @Test func deletesNothingByADateThatLeapsAheadBeforeAnyIsSettled() {
        var time = ConfirmedTime()
        feed(&time, 40, from: 0)
        feed(&time, 90, from: 40_000, offsetSeconds: Self.tenYears)
        #expect(time.time(at: 129_000) == start.advanced(byMilliseconds: 129_000 + Self.tenYears * 1_000), "nobody knows better")
        #expect(time.certainTime(at: 129_000) == nil && time.settled == nil, "90 seconds of another date are no proof")
        feed(&time, 61, from: 130_000)
        #expect(time.certainTime(at: 190_000) == start.advanced(byMilliseconds: 190_000), "back again, nothing can be lost by it")
        var held = ConfirmedTime()
        feed(&held, 40, from: 0)
        feed(&held, 3_601, from: 40_000, offsetSeconds: Self.tenYears)
        #expect(held.certainTime(at: 3_640_000) == start.advanced(byMilliseconds: 3_640_000 + Self.tenYears * 1_000))
    }

    @Test func doubtsADateThatContradictsASettledOne() {
        var time = ConfirmedTime()
        feed(&time, 61, from: 0)
        #expect(time.certainTime(at: 60_000) == start.advanced(byMilliseconds: 60_000))
        feed(&time, 1, from: 61_000, offsetSeconds: Self.tenYears)
        #expect(time.certainTime(at: 61_000) == nil && time.doubted == nil, "one wild fix deletes nothing, and is no reason to be alarmed")
        feed(&time, 8, from: 62_000, offsetSeconds: Self.tenYears)
        #expect(time.certainTime(at: 69_000) == nil)
        #expect(time.time(at: 69_000) == start.advanced(byMilliseconds: 69_000), "the machine's clock goes on")
        #expect(time.doubted?.time == start.advanced(byMilliseconds: 69_000 + Self.tenYears * 1_000))
        feed(&time, 5, from: 70_000)
        #expect(time.certainTime(at: 74_000) == start.advanced(byMilliseconds: 74_000) && time.doubted == nil)
    }

    @Test func believesADoubtedDateThatHoldsForLong() {
        var time = ConfirmedTime()
        feed(&time, 61, from: 0)
        feed(&time, 3_600, from: 61_000, offsetSeconds: Self.tenYears)
        #expect(time.certainTime(at: 3_660_000) == nil)
        feed(&time, 1, from: 3_661_000, offsetSeconds: Self.tenYears)
        #expect(time.certainTime(at: 3_661_000) == start.advanced(byMilliseconds: 3_661_000 + Self.tenYears * 1_000))
        #expect(time.doubted == nil)
    }

    @Test func believesADoubtedDateThatAnotherSourceOrATimeServerConfirms() {
        var time = ConfirmedTime()
        feed(&time, 61, from: 0)
        let told = { (clock: Int64) in start.advanced(byMilliseconds: clock + Self.tenYears * 1_000) }
        for clock in stride(from: 61_000, to: 70_000, by: 1_000) as StrideTo<Int64> { time.process(told(clock), from: "a", at: clock) }
        for clock in stride(from: 70_000, to: 74_000, by: 1_000) as StrideTo<Int64> { time.process(told(clock), from: "b", at: clock) }
        #expect(time.certainTime(at: 74_000) == nil)
        var served = time
        time.process(told(74_000), from: "b", at: 74_000)
        #expect(time.certainTime(at: 74_000) == told(74_000))
        served.trust(told(74_000), at: 74_000)
        #expect(served.certainTime(at: 74_000) == told(74_000) && served.doubted == nil)
    }

    @Test func takesALeapSecondThatTheReceiverLearnedLate() {
        var time = ConfirmedTime()
        feed(&time, 61, from: 0, offsetSeconds: 18)
        feed(&time, 5, from: 61_000)
        #expect(time.certainTime(at: 65_000) == start.advanced(byMilliseconds: 65_000))
    }

    @Test func goesOnWithWhatAnotherRunHadSettled() {
        var first = ConfirmedTime()
        feed(&first, 60, from: 0)
        #expect(first.settled == nil)
        feed(&first, 1, from: 60_000)
        var second = ConfirmedTime(settled: first.settled)
        feed(&second, 9, from: 100_000, offsetSeconds: Self.tenYears)
        #expect(second.certainTime(at: 109_000) == nil && second.doubted != nil)
        #expect(second.time(at: 109_000) == start.advanced(byMilliseconds: 109_000))
    }

    @Test func doesNotBelieveAReplayThatRunsAtAnotherSpeed() {
        var time = ConfirmedTime()
        feed(&time, 1_000, from: 0, rate: 60)
        #expect(time.time(at: 1_000_000) == nil)
        var atOnce = ConfirmedTime()
        for second in 0..<1_000 { atOnce.process(start.advanced(byMilliseconds: Int64(second) * 1_000), at: 5) }
        #expect(atOnce.time(at: 5) == nil)
    }

    @Test func survivesTheExtremesOfTime() {
        var time = ConfirmedTime()
        for milliseconds in [Int64.min, .max, 0, .min] { time.process(UTCTime(millisecondsSince1970: milliseconds), at: 0) }
        #expect(time.time(at: 0) == nil)
    }
}
