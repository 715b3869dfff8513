import Testing
import Waypost
import WaypostDispatch
import WaypostSystem

/// Another program has a transaction open on the outbox's file.
@Suite struct OutboxLockTests {
    /// One wait, not one for each who asks: whoever comes later is told at once.
    @Test func isRefusedByItsCauseAndInTime() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        let other = try SQLiteDatabase(path: fixture.path)
        try other.execute("BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        for number in 1...5 {
            await #expect(throws: OutboxError.locked(path: fixture.path)) { try await outbox.accept([DispatchFixture.call(number)]) }
        }
        await #expect(throws: OutboxError.locked(path: fixture.path)) { try await outbox.check() }
        #expect(ContinuousClock.now - start < .seconds(3))
        // What is there can be read all the same.
        #expect(try await outbox.state(of: "a").waitingEventCount == 0)

        try other.execute("ROLLBACK")
        try await outbox.check()
        try await outbox.accept([DispatchFixture.call(1)])
        #expect(try await outbox.state(of: "a").waitingEventCount == 1)
    }

    /// A short look of another program refuses nothing.
    @Test func isWaitedForWhenItIsShort() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        let other = try SQLiteDatabase(path: fixture.path)
        try other.execute("BEGIN IMMEDIATE")
        async let acceptance: Void = outbox.accept([DispatchFixture.call(1)])
        try await Task.sleep(for: .milliseconds(200))
        try other.execute("ROLLBACK")
        try await acceptance
    }
}
