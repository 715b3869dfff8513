import Testing

@testable import WaypostPositioning

@Suite struct UDPSenderRuleTests {
    @Test func followsTheFirstWithASentenceUntilItIsSilent() {
        var rule = UDPSenderRule()
        #expect(rule.judge("a", isFollowedSilent: false) { false } == .holdsNothing)
        #expect(rule.judge("b", isFollowedSilent: false) { true } == .followsFromNowOn)
        #expect(rule.judge("b", isFollowedSilent: false) { false } == .follows)
        #expect(rule.judge("a", isFollowedSilent: false) { true } == .isIgnoredAndNamed("b"))
        #expect(rule.judge("a", isFollowedSilent: false) { true } == .isIgnored)
        #expect(rule.judge("a", isFollowedSilent: true) { false } == .holdsNothing)
        #expect(rule.followed == "b")
        #expect(rule.judge("b", isFollowedSilent: true) { true } == .follows)
        #expect(rule.judge("a", isFollowedSilent: true) { true } == .followsFromNowOn)
        #expect(rule.judge("b", isFollowedSilent: false) { true } == .isIgnoredAndNamed("a"))
        #expect(rule.ignoredCount == 3)
    }

    @Test func namesNoMoreThanSixteen() {
        var rule = UDPSenderRule()
        #expect(rule.judge("followed", isFollowedSilent: false) { true } == .followsFromNowOn)
        let verdicts = (0..<100).map { rule.judge("\($0)", isFollowedSilent: false) { true } }
        #expect(verdicts.count { $0 == .isIgnoredAndNamed("followed") } == 16)
        #expect(rule.ignoredCount == 100)
    }
}
