import Testing
import WaypostSystem

@Suite struct WatchdogRuleTests {
    @Test func isWellAtTheFirstBeatAndAsksEverybody() {
        var rule = WatchdogRule(stages: ["log", "fences"])
        let (verdict, asks) = rule.beat(overdueSources: [])
        #expect(verdict == .well)
        #expect(asks == ["log", "fences"])
    }

    @Test func isWellWhileEverybodyAnswersBetweenBeats() {
        var rule = WatchdogRule(stages: ["log", "fences"])
        for _ in 0..<5 {
            let (verdict, asks) = rule.beat(overdueSources: [])
            #expect(verdict == .well)
            for stage in asks { rule.note(answerOf: stage) }
        }
    }

    @Test func withholdsUntilTheLateStageHasAnsweredAndAsksItOnce() {
        var rule = WatchdogRule(stages: ["log", "fences"])
        _ = rule.beat(overdueSources: [])
        rule.note(answerOf: "fences")
        for _ in 0..<3 {
            let (verdict, asks) = rule.beat(overdueSources: [])
            #expect(verdict == .withheld(stages: ["log"], sources: []))
            #expect(asks == ["fences"])
            rule.note(answerOf: "fences")
        }
        rule.note(answerOf: "log")
        let (verdict, asks) = rule.beat(overdueSources: [])
        #expect(verdict == .well)
        #expect(asks == ["log", "fences"])
    }

    @Test func withholdsWhileDataIsOverdueAlthoughEverybodyAnswers() {
        var rule = WatchdogRule(stages: ["log"])
        #expect(rule.beat(overdueSources: ["serial:auto"]).verdict == .withheld(stages: [], sources: ["serial:auto"]))
        rule.note(answerOf: "log")
        #expect(rule.beat(overdueSources: []).verdict == .well)
    }
}
