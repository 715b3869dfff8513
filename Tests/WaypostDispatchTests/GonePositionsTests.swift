import Synchronization
import Testing
import Waypost

@testable import WaypostDispatch

/// Positions that are removed from the log before every destination has them.
@Suite struct GonePositionsTests {
    /// Numbers are three times the seconds.
    private func stretch(_ seconds: ClosedRange<Int>) -> [PositionCursor.Stretch] {
        seconds.map { .init(after: UInt64($0) * 3 - 1, through: UInt64($0) * 3) }
    }

    @Test func areCountedForThoseWhoHaveThemNot() async throws {
        let fixture = try DispatchFixture()
        fixture.log.log(1...2)
        let quick = ScriptedDestination()
        let silent = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let dispatcher = try await fixture.dispatcher([("quick", quick), ("silent", silent)])
        fixture.log.log(3...40)
        _ = try await dispatcher.dispatch("quick")
        // The first two were there before anybody wanted them.
        #expect(await dispatcher.noteGone(stretch(1...20)) == 18)
        #expect(try await dispatcher.outbox.state(of: "quick").droppedCount == 0)
        #expect(try await dispatcher.outbox.state(of: "silent").droppedCount == 18)
        // What was read for it may arrive yet.
        _ = try await dispatcher.dispatch("silent")
        let read = try #require(await dispatcher.attached.last?.reading.queues[.live]?.items.count)
        #expect(await dispatcher.noteGone(stretch(21...40)) == 20 - max(0, read - 18))
    }

    @Test(arguments: [DestinationSettings.Order.oldest, .live]) func thoseThatTheLogHasLostAreCountedOnce(
        order: DestinationSettings.Order
    ) async throws {
        let fixture = try DispatchFixture()
        let quick = ScriptedDestination()
        let slow = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let dispatcher = try await fixture.dispatcher([("quick", quick), ("slow", slow)], order: order)
        fixture.log.log(1...40)
        _ = try await dispatcher.dispatch("quick")
        fixture.log.lost.withLock { $0 = 30...60 }
        _ = try await dispatcher.dispatch("slow")
        #expect(try await dispatcher.outbox.state(of: "slow").droppedCount == 0, "nothing is settled yet")
        slow.setAnswer { _ in .good }
        for _ in 0..<2 {
            try await dispatcher.reload()
            _ = try await dispatcher.dispatch()
        }
        // Seconds 10 to 20.
        let left = (Array(1...9) + Array(21...40)).map(String.init)
        #expect(Set(slow.takenNames) == Set(left) && slow.taken.count == left.count)
        #expect(try await dispatcher.outbox.state(of: "slow").droppedCount == 11)
        #expect(try await dispatcher.outbox.state(of: "quick").droppedCount == 0 && quick.taken.count == 40)
        await dispatcher.stop()
        // The next run has counted them already.
        let next = try await fixture.dispatcher([("quick", quick), ("slow", slow)], order: order)
        _ = try await next.dispatch()
        #expect(try await next.outbox.state(of: "slow").droppedCount == 11)
    }
}
