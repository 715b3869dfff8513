import Testing

@testable import WaypostPositioning

@Suite struct FallbackLookTests {
    /// What it says at these moments before that deadline.
    private func verdicts(_ look: inout FallbackLook, at moments: [Int64], deadline: Int64) -> [Bool] {
        moments.map { look.isOver(at: $0, deadline: deadline) }
    }

    @Test func isOverWhileThereIsNews() {
        var look = FallbackLook(at: 1_000)
        let verdicts = self.verdicts(&look, at: Array(stride(from: Int64(1_100), through: 9_000, by: 300)), deadline: 6_000)
        #expect(!verdicts.contains(false))
        #expect(look.end == nil)
    }

    /// A deadline far behind, as after eight seconds in which this process was stopped.
    @Test func looksAfterAPauseUntilEverythingIsRead() {
        var look = FallbackLook(at: 1_000)
        let first = verdicts(&look, at: [9_000], deadline: 6_000)
        #expect(first == [false] && look.end == 10_000)
        let later = verdicts(&look, at: [9_001, 9_999, 10_000], deadline: 14_000)
        #expect(later == [false, false, true] && look.end == nil)
    }

    @Test func looksAtEachDeadlineOnce() {
        var look = FallbackLook(at: 1_000)
        for deadline in [Int64(6_000), 11_000] {
            let verdicts = self.verdicts(&look, at: [deadline - 600, deadline + 1, deadline + 201], deadline: deadline)
            #expect(verdicts == [true, false, true])
        }
    }
}
