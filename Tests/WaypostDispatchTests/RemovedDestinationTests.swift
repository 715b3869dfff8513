import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// Destinations that were removed from the configuration, and come back.
@Suite struct RemovedDestinationTests {
    /// A run in which `old` had two calls and positions 2 and 3 waiting; then it is removed, and call 3 and positions 4 to 6 come.
    private func removal(_ fixture: DispatchFixture) async throws -> Dispatcher {
        fixture.log.log(1...1)
        let first = try await fixture.dispatcher([("old", ScriptedDestination { _ in .unreachable(reason: "gone") })])
        try await first.finishAttaching()
        try await first.accept([DispatchFixture.call(1), DispatchFixture.call(2)])
        fixture.log.log(2...3)
        await first.stop()
        let second = try await fixture.dispatcher([("new", ScriptedDestination())])
        try await second.finishAttaching()
        try await second.accept([DispatchFixture.call(3)])
        fixture.log.log(4...6)
        return second
    }

    @Test func getsNothingThatComesAfterItsRemoval() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await removal(fixture)
        let status = try #require(try await dispatcher.statuses().last)
        #expect(status.state.name == "old" && !status.isAttached)
        #expect(status.state.waitingEventCount == 2 && status.waitingPositionCount == 2)
        #expect(try await dispatcher.waiting(for: "old", after: nil, limit: 100).records.count == 4)
        // Nor after another start.
        await dispatcher.stop()
        let next = try await fixture.dispatcher([("new", ScriptedDestination())])
        try await next.finishAttaching()
        let again = try #require(try await next.statuses().last)
        #expect(again.state.waitingEventCount == 2 && again.waitingPositionCount == 2)
    }

    @Test func getsWhatWaitedAndWhatComesAfterItsReturn() async throws {
        let fixture = try DispatchFixture()
        await (try await removal(fixture)).stop()
        let back = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("old", back)])
        try await dispatcher.finishAttaching()
        try await dispatcher.accept([DispatchFixture.call(4)])
        fixture.log.log(7...7)
        #expect(try await dispatcher.dispatch().word == .good)
        let numbers = back.taken.compactMap { NumberedPosition.number(ofID: $0.id) }
        #expect(numbers.sorted() == [6, 9, 21])
        let calls = back.taken.compactMap { record in if case .track(let call) = record.content { call.name } else { nil } }
        #expect(calls == ["call 1", "call 2", "call 4"])
        let state = try await dispatcher.outbox.state(of: "old")
        #expect(state.waitingEventCount == 0 && state.eventCursor == 4 && state.droppedCount == 0)
    }

    @Test func oneThatLacksNothingHoldsUpNoEntryAndContinuesWithNewRecords() async throws {
        let fixture = try DispatchFixture()
        let first = try await fixture.dispatcher([("old", ScriptedDestination())])
        try await first.accept([DispatchFixture.call(1)])
        #expect(try await first.dispatch().word == .good)
        await first.stop()
        let second = try await fixture.dispatcher([("new", ScriptedDestination())])
        try await second.finishAttaching()
        try await second.accept([DispatchFixture.call(2), DispatchFixture.call(3)])
        fixture.log.log(1...3)
        #expect(try await second.dispatch().word == .good)
        #expect(try await second.outbox.use { (store) throws(SQLiteError) in try store.waitingCount() } == 0)
        try await second.setOptedOut(true)
        try await second.setOptedOut(false)
        try await second.accept([DispatchFixture.call(4)])
        #expect(try await second.outbox.state(of: "old").waitingEventCount == 0)
        await second.stop()

        let back = ScriptedDestination()
        let third = try await fixture.dispatcher([("old", back)])
        try await third.accept([DispatchFixture.call(5)])
        fixture.log.log(4...4)
        #expect(try await third.dispatch().word == .good)
        #expect(back.taken.count == 2)
    }

    @Test func movesOnlyWhatIsItsOwn() async throws {
        let fixture = try DispatchFixture()
        await (try await removal(fixture)).stop()
        let new = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("new", new)])
        try await dispatcher.finishAttaching()
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(new.taken.count == 4)
        try await dispatcher.move("old", to: "new")
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(new.taken.count == 8 && Set(new.taken.map(\.id)).count == 8)
    }

    @Test func isForgottenAfterItIsDetached() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("old", ScriptedDestination()), ("new", ScriptedDestination())])
        try await dispatcher.accept([DispatchFixture.call(1)])
        await dispatcher.detach("old")
        #expect(try await dispatcher.discard("old") == 1)
        #expect(try await dispatcher.statuses().map(\.state.name) == ["new"])
    }
}
