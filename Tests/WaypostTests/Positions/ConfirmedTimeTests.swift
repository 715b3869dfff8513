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

    @Test func doesNotBelieveOneWildDate() {
        var time = ConfirmedTime()
        feed(&time, 10, from: 0)
        feed(&time, 3, from: 10_000, offsetSeconds: 619_315_200)
        #expect(time.time(at: 13_000) == start.advanced(byMilliseconds: 13_000))
        feed(&time, 5, from: 13_000, offsetSeconds: 619_315_200)
        #expect(time.time(at: 18_000) == start.advanced(byMilliseconds: 18_000 + 619_315_200_000))
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
