import Testing
import Waypost

@testable import WaypostPositioning

@Suite struct FallbackGateTests {
    private func time(_ milliseconds: Int64) -> UTCTime { UTCTime(millisecondsSince1970: 1_772_366_400_000 + milliseconds) }

    @Test func oneSourceAlonePassesWhateverItSays() {
        var gate = FallbackGate()
        for (moment, now) in [(0, 0), (100, 100), (100, 150), (-5_000, 200)] as [(Int64, Int64)] {
            #expect(gate.admit(time(moment), from: 0, at: now) == .passes)
        }
    }

    @Test func theNextSourceBeginsASecondAfterTheLastFixOfTheOneBefore() {
        var gate = FallbackGate()
        #expect(gate.admit(time(0), from: 0, at: 0) == .passes)
        #expect(gate.admit(time(-400), from: 1, at: 10) == .isDropped)
        #expect(gate.admit(time(999), from: 1, at: 1_009) == .isDropped)
        #expect(gate.admit(time(1_000), from: 1, at: 1_010) == .passes)
        #expect(gate.admit(time(1_100), from: 1, at: 1_110) == .passes)
        #expect(gate.admit(time(1_200), from: 0, at: 1_210) == .isDropped)
    }

    @Test func withoutTimesTheClockOfTheMachineCounts() {
        var gate = FallbackGate()
        #expect(gate.admit(nil, from: 0, at: 0) == .passes)
        #expect(gate.admit(time(0), from: 1, at: 999) == .isDropped)
        #expect(gate.admit(time(1), from: 1, at: 1_000) == .passes)
    }

    @Test func aClockThatIsBehindForGoodIsBelievedAfterFiveSeconds() {
        var gate = FallbackGate()
        #expect(gate.admit(time(0), from: 0, at: 0) == .passes)
        for now in stride(from: Int64(6_000), to: 11_000, by: 1_000) {
            #expect(gate.admit(time(now - 600_000), from: 1, at: now) == .isDropped)
        }
        #expect(gate.admit(time(11_000 - 600_000), from: 1, at: 11_000) == .passesBehind(589_000))
        #expect(gate.admit(time(12_000 - 600_000), from: 1, at: 12_000) == .passes)
    }

    @Test func afterTheEndOfASourceNothingIsCompared() {
        var gate = FallbackGate()
        #expect(gate.admit(time(0), from: 0, at: 0) == .passes)
        gate.reset()
        #expect(gate.admit(time(-100_000), from: 1, at: 1) == .passes)
    }
}
