import Foundation
import Glibc
import Synchronization
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// Between the damage of an outbox and the moment when the log has given back what it lost, the tracker goes on, or stops.
@Suite struct OutboxInterruptionTests {
    private let fixture: DispatchFixture

    init() throws { fixture = try DispatchFixture() }

    private func open() throws -> Outbox {
        try fixture.unlock()
        return try Outbox(path: fixture.path, clock: fixture.clock, marksPath: fixture.folder + "/.destinations")
    }

    /// An outbox of two destinations with one event of the log, which home is not to get again, whose files are gone.
    private func lost() async throws {
        do {
            let outbox = try open()
            await outbox.noteLogged(through: 10)
            for name in ["home", "away"] { _ = try await outbox.attach(name, newestPosition: 10) }
            try await outbox.forgetDamage()
            try await outbox.accept([DispatchFixture.call(1)], loggedThrough: 20)
            try await outbox.discard("home", newestPosition: 50)
        }
        for suffix in ["", "-wal", "-shm"] { unlink(fixture.path + suffix) }
    }

    /// What is taken meanwhile is for everybody; what the log gives back is for those who lack it.
    @Test func losesNothingThatIsTakenMeanwhile() async throws {
        try await lost()
        let next = try open()
        try await next.accept([DispatchFixture.call(7)])
        #expect(try await next.takeBack([DispatchFixture.call(1)], loggedThrough: 20) == 1)
        try await next.accept([DispatchFixture.call(8)])
        try await next.skipTakenBack(for: "home")
        try await next.endInterruption(broughtBack: 1, newestPosition: 50)
        #expect(try await next.state(of: "away").waitingEventCount == 3)
        let home = try await next.state(of: "home")
        #expect(home.waitingEventCount == 2)
        let entries = try await next.entries(after: home.eventCursor, limit: 10)
        let waiting = entries.filter { !home.settledEvents.contains($0.number) }.compactMap { RecordCodec.content($0.body) }
        #expect(waiting.compactMap { if case .track(let call) = $0 { call.name } else { nil } } == ["call 7", "call 8"])
    }

    /// An event of the log that is taken meanwhile does not hide those before it that are to come back.
    @Test func looksForTheLostBehindANewEventToo() async throws {
        try await lost()
        let next = try open()
        let place = try #require(await next.loggedNumber)
        try await next.accept([DispatchFixture.call(7)], loggedThrough: 60)
        await next.noteLogged(through: 60)
        #expect(await next.loggedNumber == place && place < 20)
        try await next.endInterruption(broughtBack: 0, newestPosition: 50)
        await next.noteLogged(through: 60)
        #expect(await next.loggedNumber == 60)
    }

    /// A tracker that stops before the log has given everything back goes on with that at the next start.
    @Test func goesOnAfterAStop() async throws {
        try await lost()
        let first = try open()
        let interruption = try #require(await first.interruption)
        try await first.checkpoint()
        let next = try open()
        #expect(await next.interruption?.destinations == interruption.destinations)
        #expect(try await next.takeBack([DispatchFixture.call(1)], loggedThrough: 20) == 1)
        try await next.endInterruption(broughtBack: 1, newestPosition: 50)
        try await next.checkpoint()
        #expect(await (try open()).interruption == nil)
    }

    /// A loss is told in the next run, too, and with one that comes later, until somebody says that it has been told.
    @Test func tellsALossUntilItHasBeenTold() async throws {
        do {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("home", newestPosition: 77)
            try await outbox.accept((1...5).map(DispatchFixture.call))
        }
        func lose() { for suffix in ["", "-wal", "-shm"] { unlink(fixture.path + suffix) } }
        lose()
        fixture.time.withLock { $0 = nil }
        let told = try #require(await (try fixture.outbox()).recovery)
        #expect(told.lostCount == 5 && told.wasRemoved)
        let next = try fixture.outbox()
        let again = try #require(await next.recovery)
        #expect(again.lostCount == 5 && again.wasRemoved && again.asidePath == told.asidePath && again.lastEntry == told.lastEntry)
        #expect(await next.recoveryAge() == 0)
        // Its hour begins once the time is known, and goes on over restarts.
        fixture.time.withLock { $0 = DispatchFixture.start }
        #expect(await next.recoveryAge() == 0)
        fixture.time.withLock { $0 = DispatchFixture.start.advanced(byMilliseconds: 90_000) }
        let third = try fixture.outbox()
        #expect(await third.recoveryAge() == 90_000)
        _ = try await third.attach("home", newestPosition: 77)
        try await third.accept((6...8).map(DispatchFixture.call))
        try await third.checkpoint()
        // Damaged once more: what is told has both.
        try Data(repeating: 0, count: 8_192).write(to: URL(filePath: fixture.path))
        let fourth = try fixture.outbox()
        #expect(await fourth.recovery?.lostCount == 3)
        await fourth.forgetRecovery()
        #expect(await fourth.recovery == nil)
        #expect(await (try fixture.outbox()).recovery == nil)
    }
}
