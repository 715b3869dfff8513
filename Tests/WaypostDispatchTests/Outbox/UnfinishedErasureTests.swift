import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// The file of an outbox cannot be changed when something is to be erased from it.
@Suite struct UnfinishedErasureTests {
    private static let stretch = (from: DispatchFixture.start, to: DispatchFixture.start.advanced(byMilliseconds: 1))

    /// What is to be erased is neither sent nor shown from that moment on; what is recorded later is, also if it is of the same time.
    @Test(arguments: [1, 2, 8]) func isSentToNobody(batchCount: Int) async throws {
        let fixture = try DispatchFixture()
        let (home, away) = (ScriptedDestination(), ScriptedDestination())
        for destination in [home, away] { destination.setAnswer { _ in .unreachable(reason: "no network") } }
        let dispatcher = try await fixture.dispatcher([("home", home), ("away", away)], batchCount: batchCount)
        try await dispatcher.accept((1...5).map(DispatchFixture.call))
        _ = try await dispatcher.dispatch()
        let other = try SQLiteDatabase(path: fixture.path)
        try other.execute("BEGIN IMMEDIATE")
        let (from, to) = UnfinishedErasureTests.stretch
        await #expect(throws: OutboxError.locked(path: fixture.path)) { try await dispatcher.erase(from: from, to: to) }
        try other.execute("ROLLBACK")

        for destination in [home, away] { destination.setAnswer { _ in .good } }
        let tried = home.taken.count
        #expect(try await dispatcher.dispatch() == .noData)
        #expect(try await dispatcher.waiting(for: "home", after: nil, limit: 10).records.isEmpty)
        try await dispatcher.accept([DispatchFixture.call(6)])
        #expect(try await dispatcher.dispatch().word == .good)
        for destination in [home, away] { #expect(destination.taken.map(\.shortName) == ["call 6"], "after \(tried)") }

        #expect(await !dispatcher.outbox.hasErasedAll)
        #expect(try await dispatcher.outbox.finishErasing() == 5)
        #expect(await dispatcher.outbox.hasErasedAll)
        #expect(try await dispatcher.outbox.state(of: "home").waitingEventCount == 0)
        #expect(try await dispatcher.ledgerEntries(since: from, limit: 10).map(\.record.shortName) == ["call 6"])
        await dispatcher.stop()
    }

    /// A record that a server refused is not tried again either.
    @Test func isNoDeadLetterAnyMore() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { records in
            records.contains { $0.shortName == "call 1" } ? .refused(reason: "422") : .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 1)
        try await dispatcher.accept((1...3).map(DispatchFixture.call))
        for _ in 1...3 { _ = try await dispatcher.dispatch() }
        #expect(try await dispatcher.outbox.deadLetters().count == 1)
        #expect(try await dispatcher.outbox.retryDeadLetters() == 1)
        let other = try SQLiteDatabase(path: fixture.path)
        try other.execute("BEGIN IMMEDIATE")
        let (from, to) = UnfinishedErasureTests.stretch
        await #expect(throws: OutboxError.locked(path: fixture.path)) { try await dispatcher.erase(from: from, to: to) }
        try other.execute("ROLLBACK")
        destination.setAnswer { _ in .good }
        #expect(try await dispatcher.dispatch() == .noData)
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
        try await dispatcher.outbox.finishErasing()
        #expect(try await dispatcher.outbox.state(of: "home").deadLetterCount == 0)
        await dispatcher.stop()
    }

    /// An order to pause all destinations, or to go on, that cannot be kept for one of them changes none.
    @Test func aRefusedPauseChangesNoDestination() async throws {
        let fixture = try DispatchFixture()
        let destinations = ["a", "b", "c"].map { ($0, ScriptedDestination()) }
        let dispatcher = try await fixture.dispatcher(destinations)
        let other = try SQLiteDatabase(path: fixture.path)
        for (number, isPaused) in [false, true].enumerated() {
            if isPaused { try await dispatcher.setPaused(true) }
            try other.execute(
                """
                CREATE TRIGGER refuse BEFORE UPDATE OF is_paused ON destination WHEN NEW.name = 'b'
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """)
            await #expect(throws: OutboxError.self) { try await dispatcher.setPaused(!isPaused) }
            try other.execute("DROP TRIGGER refuse")
            #expect(try await dispatcher.statuses().map(\.state.isPaused) == [isPaused, isPaused, isPaused])
            try await dispatcher.accept([DispatchFixture.call(number)])
            _ = try await dispatcher.dispatch()
            for (_, destination) in destinations { #expect(destination.taken.map(\.shortName) == ["call 0"]) }
        }
        await #expect(throws: OutboxError.unknownDestination(name: "d")) { try await dispatcher.setPaused(false, "d") }
        try await dispatcher.setPaused(false)
        #expect(try await dispatcher.statuses().map(\.state.isPaused) == [false, false, false])
        await dispatcher.stop()
    }
}
