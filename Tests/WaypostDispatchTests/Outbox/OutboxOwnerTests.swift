import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// One owner at a time: two would give the same numbers twice.
@Suite struct OutboxOwnerTests {
    private let fixture: DispatchFixture

    init() throws { fixture = try DispatchFixture() }

    private func open() throws -> Outbox { try Outbox(path: fixture.path, clock: fixture.clock) }

    @Test func hasOneOwnerAtATime() async throws {
        let first = try open()
        try await first.accept([DispatchFixture.call(1)])
        let inUse = OutboxError.inUse(path: fixture.path, holder: SystemProcess.processID)
        #expect(throws: inUse) { try open() }
        #expect(inUse.isTemporary && "\(inUse)".contains("stop the dispatcher"))
        try await first.accept([DispatchFixture.call(2)])

        await first.close()
        let second = try open()
        try await second.accept([DispatchFixture.call(3)])
        await #expect(throws: inUse) { try await first.accept([DispatchFixture.call(4)]) }
        await second.close()
        // Who has closed it may go on when it is free.
        try await first.accept([DispatchFixture.call(5)])
        #expect(try await first.entries(after: 0, limit: 9).map(\.number) == [1, 2, 3, 4])
        #expect(throws: inUse) { try open() }
    }

    @Test func isFreeWhenItsOwnerIsGone() async throws {
        do {
            let first = try open()
            try await first.accept([DispatchFixture.call(1)])
        }
        #expect(try await open().newestNumber() == 1)
    }

    /// A link beside the file leads to the same outbox.
    @Test func knowsItsOwnerUnderAnyName() async throws {
        let other = fixture.folder + "/other"
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: fixture.folder)
        let first = try open()
        #expect(throws: OutboxError.self) { try Outbox(path: other + "/outbox.sqlite") }
        await first.close()
    }

    @Test(arguments: ["", "4194304\n", "1\n", "garbage \u{0}", "folder", "full folder", "link"])
    func isHeldUpByNoLockThatWasLeft(what: String) async throws {
        let lock = fixture.path + "-lock"
        switch what {
        case "folder", "full folder":
            try Syscalls.createFolders(lock)
            if what == "full folder" { try Data("x".utf8).write(to: URL(filePath: lock + "/file")) }
        case "link": try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: "/nonexistent/lock")
        default: try Data(what.utf8).write(to: URL(filePath: lock))
        }
        let outbox = try open()
        try await outbox.accept([DispatchFixture.call(1)])
        #expect(throws: OutboxError.self) { try open() }
    }

    /// A program of an earlier version knows no lock.
    @Test func countsOnAfterAnotherProgramHasWritten() async throws {
        let first = try open()
        _ = try await first.attach("home", newestPosition: 0)
        try await first.accept([DispatchFixture.call(1)])
        let other = try fixture.outbox()
        for number in 2...6 { try await other.accept([DispatchFixture.call(number)]) }
        for number in 7...9 { try await first.accept([DispatchFixture.call(number)]) }
        #expect(try await first.entries(after: 0, limit: 99).map(\.number) == Array(1...9))
        #expect(try await first.state(of: "home").waitingEventCount == 9)
        #expect(await first.recovery == nil)
        try await first.check()
    }

    /// Until entries are accepted again, or would be.
    @Test func saysThatItAcceptsNothing() async throws {
        let outbox = try open()
        try await outbox.check()
        let other = try SQLiteDatabase(path: fixture.path)
        try other.execute("CREATE TRIGGER no BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'not today'); END")
        await #expect(throws: OutboxError.cannotAccess(path: fixture.path, reason: "not today")) {
            try await outbox.accept([DispatchFixture.call(1)])
        }
        for _ in 1...2 { await #expect(throws: OutboxError.self) { try await outbox.check() } }
        try other.execute("DROP TRIGGER no")
        try await outbox.check()
        try await outbox.accept([DispatchFixture.call(2)])
        #expect(try await outbox.entries(after: 0, limit: 9).map(\.number) == [1])
    }

    @Test func attachesADestinationOnce() async throws {
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        let settings = DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home"))
        await #expect(throws: OutboxError.alreadyAttached(name: "home")) { try await dispatcher.attach(ScriptedDestination(), settings) }
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.takenNames == ["call 1"])
        #expect(try await dispatcher.statuses().count == 1)
        await dispatcher.detach("home")
        try await dispatcher.attach(destination, settings)
        await dispatcher.stop()
        let next = Dispatcher(outbox: try open(), supply: fixture.log, device: "box", clock: fixture.clock)
        try await next.attach(destination, settings)
        await next.stop()
    }
}
