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
}
