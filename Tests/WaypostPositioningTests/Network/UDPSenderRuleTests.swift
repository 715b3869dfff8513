import Testing
import Waypost

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

    @Test func oneWithoutAFixGivesWayToOneWhoseFixesGoOn() throws {
        let place = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        func fix(_ second: Int) -> UDPSenderRule.Fix { UDPSenderRule.Fix(millisecondOfDay: 1_000 * second, coordinate: place) }
        var rule = UDPSenderRule()
        func judge(_ sender: String, without: Bool, _ fix: UDPSenderRule.Fix?) -> UDPSenderRule.Verdict {
            rule.judge(sender, isFollowedSilent: false, isFollowedWithoutFix: without, holdsSentence: { true }, fix: { fix })
        }
        #expect(judge("a", without: false, nil) == .followsFromNowOn)
        // While it may still get its fix, and by others without one, it is not replaced.
        #expect(judge("b", without: false, fix(1)) == .isIgnoredAndNamed("a"))
        #expect(judge("b", without: true, nil) == .isIgnored)
        // A fix that is only repeated replaces nobody.
        #expect(judge("b", without: true, fix(2)) == .isIgnored)
        #expect(judge("b", without: true, fix(2)) == .isIgnored)
        #expect(judge("a", without: true, nil) == .follows)
        #expect(judge("b", without: true, fix(3)) == .followsFromNowOn)
        // Two that both have fixes do not alternate.
        #expect(judge("a", without: false, fix(3)) == .isIgnoredAndNamed("b"))
        #expect(judge("a", without: false, fix(4)) == .isIgnored)
        #expect(rule.followed == "b")
    }

    @Test func namesNoMoreThanSixteen() {
        var rule = UDPSenderRule()
        #expect(rule.judge("followed", isFollowedSilent: false) { true } == .followsFromNowOn)
        let verdicts = (0..<100).map { rule.judge("\($0)", isFollowedSilent: false) { true } }
        #expect(verdicts.count { $0 == .isIgnoredAndNamed("followed") } == 16)
        #expect(rule.ignoredCount == 100)
    }
}
