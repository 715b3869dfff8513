import Testing

@testable import WaypostPositioning

@Suite struct FixFreshnessTests {
    /// A loss comes 5.5 s after the last fix: at 5.2 s what has come is read once more.
    @Test func looksOnceMoreBeforeAFixIsOverdue() {
        var freshness = FixFreshness()
        freshness.renew(at: 1_000)
        #expect(freshness.milliseconds(until: 5_000, at: 6_190) == 10)
        let look = freshness.millisecondsToLook(at: 6_205, lateness: 5)
        #expect(look == 300)
        let again = freshness.millisecondsToLook(at: 6_505, lateness: 305)
        #expect(again == nil)
    }

    /// Stopped for eight seconds: there is much to read.
    @Test func looksLongerAfterAPause() {
        var freshness = FixFreshness()
        freshness.renew(at: 1_000)
        let look = freshness.millisecondsToLook(at: 9_000, lateness: 2_800)
        #expect(look == 1_500)
        let again = freshness.millisecondsToLook(at: 10_500, lateness: 4_300)
        #expect(again == nil)
        // A pause within the look, too.
        let later = freshness.millisecondsToLook(at: 20_000, lateness: 13_800)
        #expect(later == 1_500)
    }

    /// A fix that waited is delivered while others wait behind it: the end of the look is not the end of the reading.
    @Test func looksAgainAfterTheDeliveryOfTheFix() {
        var freshness = FixFreshness()
        freshness.renew(at: 1_000)
        let look = freshness.millisecondsToLook(at: 9_000, lateness: 2_800)
        #expect(look == 1_500)
        freshness.noteTelling(from: 8_900, to: 10_600)
        let again = freshness.millisecondsToLook(at: 10_600, lateness: 2_700)
        #expect(again == 1_500)
        // What is no fix does not make it younger.
        freshness.noteOther()
        freshness.noteTelling(from: 11_000, to: 11_010)
        let atLast = freshness.millisecondsToLook(at: 12_100, lateness: 4_200)
        #expect(atLast == nil)
    }
}
