import Testing
import Waypost

@Suite struct SilenceRuleTests {
    private func rule(_ moments: Int64...) -> SilenceRule {
        var rule = SilenceRule()
        for moment in moments { rule.addReport(atMilliseconds: moment) }
        return rule
    }

    @Test func isFiveSecondsAtLeast() {
        #expect(rule().limitMilliseconds == 5_000)
        #expect(rule().periodMilliseconds == nil)
        #expect(rule(0, 100, 200).limitMilliseconds == 5_000)
        #expect(SilenceRule(leastMilliseconds: 700).limitMilliseconds == 700)
    }

    @Test func isThreePeriodsOfASlowReceiver() {
        #expect(rule(0, 10_000).limitMilliseconds == 30_000)
    }

    @Test func isNotLengthenedByOnePause() {
        #expect(rule(0, 1_000, 2_000, 60_000).limitMilliseconds == 5_000)
        #expect(rule(0, 60_000, 61_000).limitMilliseconds == 5_000)
    }

    @Test func followsAReceiverThatHasBecomeSlower() {
        #expect(rule(0, 1_000, 2_000, 12_000, 22_000, 32_000).periodMilliseconds == 1_000)
        #expect(rule(0, 1_000, 2_000, 12_000, 22_000, 32_000, 42_000).periodMilliseconds == 10_000)
    }

    @Test func learnsNothingFromStepsBackAndLongOnes() {
        #expect(rule(5_000, 0, 60_001, 60_001).periodMilliseconds == nil)
        var rule = SilenceRule()
        rule.addReport(at: nil)
        #expect(rule == SilenceRule())
    }
}
