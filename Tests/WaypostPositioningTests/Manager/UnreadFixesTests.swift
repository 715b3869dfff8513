import Testing
import Waypost

@testable import WaypostPositioning

@Suite struct UnreadFixesTests {
    private func time(_ seconds: Double) -> UTCTime { UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1_000)) }

    /// How long each fix has waited, by its time and when it was read, in seconds.
    private func waits(_ fixes: [(time: Double, readAt: Double)], in unread: inout UnreadFixes) -> [Int64] {
        fixes.map { unread.waitingMilliseconds(of: time($0.time), readAt: Int64($0.readAt * 1_000)) }
    }

    @Test func nothingWaitsWithoutAPause() {
        var unread = UnreadFixes()
        unread.expectLook(at: 20_000)
        // Late for good from the third on: that is not this process's pause.
        let found = waits([(0, 10), (1, 11), (2, 15), (3, 16)], in: &unread)
        #expect(found == [0, 0, 0, 0])
    }

    /// Stopped at 11.5 s, with a look due at 16 s; goes on at 21 s.
    @Test func whatWaitedCameWhenItsTimeSays() {
        var unread = UnreadFixes()
        unread.expectLook(at: 16_000)
        let before = waits([(0, 10), (1, 11)], in: &unread)
        #expect(before == [0, 0])
        let after = waits([(2, 21), (3, 21), (10.5, 21.1), (11.5, 21.5)], in: &unread)
        #expect(after == [9_000, 8_000, 600, 0])
    }

    @Test func aReceiverThatIsLateForGoodIsSoForAFewSecondsOnly() {
        var unread = UnreadFixes()
        unread.expectLook(at: 16_000)
        let during = waits([(0, 10), (1, 21), (2, 22), (3, 23)], in: &unread)
        #expect(during == [0, 10_000, 10_000, 10_000])
        let later = waits([(4, 24), (5, 25)], in: &unread)
        #expect(later == [0, 0])
    }

    /// A date that is corrected, and a fix without a time, say nothing about when they came.
    @Test func oddTimesDoNotWait() {
        var unread = UnreadFixes()
        unread.expectLook(at: 16_000)
        let odd = waits([(100, 10), (3, 21), (900, 21.2)], in: &unread)
        #expect(odd == [0, 0, 0])
        let timeless = unread.waitingMilliseconds(of: nil, readAt: 21_300)
        #expect(timeless == 0)
    }
}
