import Testing
import Waypost

@Suite struct PositionLossRuleTests {
    private func time(_ seconds: Double) -> UTCTime { UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1_000)) }

    @Test func reportsAGapBetweenTwoFixesOnce() {
        var rule = PositionLossRule()
        let result1 = rule.addFix(at: time(0))
        #expect(!result1)
        let result2 = rule.addFix(at: time(1))
        #expect(!result2)
        let result3 = rule.addFix(at: time(6.001))
        #expect(result3)
        let result4 = rule.addFix(at: time(7))
        #expect(!result4)
    }

    @Test func waitsThreePeriodsOfASlowReceiver() {
        var rule = PositionLossRule()
        for index in 0..<4 { _ = rule.addFix(at: time(Double(index) * 4)) }
        #expect(rule.timeoutMilliseconds == 12_000)
        let result5 = rule.addFix(at: time(12 + 12))
        #expect(!result5)
        let result6 = rule.addFix(at: time(24 + 12.001))
        #expect(result6)
    }

    @Test func losesOnceWhileTheReceiverSaysNoFix() {
        var rule = PositionLossRule()
        _ = rule.addFix(at: time(0))
        let result7 = rule.addNoFix(at: time(5))
        #expect(!result7)
        let result8 = rule.addNoFix(at: time(5.001))
        #expect(result8)
        let result9 = rule.addNoFix(at: time(7))
        #expect(!result9)
        let result10 = rule.lose()
        #expect(!result10)
        let result11 = rule.addFix(at: time(60))
        #expect(!result11, "the loss was reported already")
        let result12 = rule.lose()
        #expect(result12)
    }

    @Test func doesNotTakeAStepBackForALoss() {
        var rule = PositionLossRule()
        _ = rule.addFix(at: time(100))
        let result13 = rule.addFix(at: time(0))
        #expect(!result13)
        let result14 = rule.addFix(at: time(1))
        #expect(!result14)
    }

    /// The first report after a plug was pulled may lack the sentence with the date.
    @Test func tellsNoSecondLossAfterAFixWithoutATime() {
        var rule = PositionLossRule()
        _ = rule.addFix(at: time(0))
        let isLost = rule.lose()
        #expect(isLost)
        let results = [rule.addFix(at: nil), rule.addFix(at: time(12)), rule.addFix(at: time(13))]
        #expect(results == [false, false, false])
        let isNext = rule.addFix(at: time(20))
        #expect(isNext, "the next gap is one")
    }

    @Test(arguments: [true, false]) func knowsAReceiverByItsReportsNotByItsFixes(hasTime: Bool) {
        var rule = PositionLossRule()
        for second in 0...40 {
            if second.isMultiple(of: 20) {
                _ = rule.addFix(at: time(Double(second)))
            } else {
                _ = rule.addNoFix(at: hasTime ? time(Double(second)) : nil)
            }
        }
        #expect(rule.timeoutMilliseconds == 5_000)
    }

    @Test func canLoseBeforeTheFirstFix() {
        var rule = PositionLossRule()
        let result15 = rule.addNoFix(at: time(100))
        #expect(!result15)
        let result16 = rule.lose()
        #expect(result16)
        let result17 = rule.lose()
        #expect(!result17)
    }

    /// A date that jumps is no silence, and neither are steps that are believed late: a live fix is overdue when its time and its moment say so.
    @Test(arguments: [(6.0, 1.0, false), (1.0, 6.0, false), (6.0, 6.0, true), (6.0, nil, true)])
    func believesNeitherTheTimesNorTheMomentsAlone(passed: Double, byMoments: Double?, isGap: Bool) {
        func rule(_ add: (inout PositionLossRule, UTCTime, Int64?) -> Bool) -> Bool {
            var rule = PositionLossRule()
            for moment in [0, 1_000] as [Int64] { _ = rule.addFix(at: time(Double(moment) / 1_000), moment: byMoments.map { _ in moment }) }
            return add(&rule, time(1 + passed), byMoments.map { 1_000 + Int64($0 * 1_000) })
        }
        #expect(rule { $0.addFix(at: $1, moment: $2) } == isGap)
        #expect(rule { $0.addNoFix(at: $1, moment: $2) } == isGap)
    }

    /// A receiver that tells no date has a rhythm all the same.
    @Test func learnsTheRhythmOfFixesWithoutTimesByTheirMoments() {
        var rule = PositionLossRule()
        for index in 0..<4 { _ = rule.addFix(at: nil, moment: Int64(index) * 10_000) }
        #expect(rule.timeoutMilliseconds == 30_000)
    }
}
