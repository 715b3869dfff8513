import Foundation
import Testing
import Waypost

@testable import WaypostDispatch

/// Files of an outbox that somebody removes while it is in use: what was taken is not lost while the process lives.
@Suite struct OutboxRemovalTests {
    /// Each set of its files.
    private static let choices = (1..<16).map { bits in
        ["", "-wal", "-shm", "-tally"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
    }

    @Test(arguments: choices, [0, 3, 5]) func takesNothingThatWasTaken(suffixes: [String], checkpointedAfter count: Int) async throws {
        let fixture = try DispatchFixture()
        do {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("home", newestPosition: 0)
            for number in 1...5 {
                try await outbox.accept([DispatchFixture.call(number)])
                if number == count { try await outbox.checkpoint() }
            }
            for suffix in suffixes { unlink(fixture.path + suffix) }
            try await outbox.check()
            #expect(try await outbox.state(of: "home").waitingEventCount == 5)
            try await outbox.accept([DispatchFixture.call(6)])
            let recovery = await outbox.recovery
            #expect((recovery != nil) == suffixes.contains(""))
            if let recovery { #expect(recovery.wasRemoved && recovery.lostCount == 0 && recovery.asidePath == nil) }
        }
        // The next run finds it whole, with nothing left of the one that was removed.
        let next = try fixture.outbox()
        #expect(await next.recovery == nil)
        #expect(try await next.state(of: "home").waitingEventCount == 6)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        #expect(names.filter { $0.contains("damaged") || $0.contains("rescued") || $0.contains("copied") } == [])
    }

    /// The process ends before anybody has noticed: what the log has is found, the rest is told, and it is not called damage.
    @Test func isNotCalledDamage() async throws {
        let fixture = try DispatchFixture()
        do {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("home", newestPosition: 0)
            for number in 1...5 { try await outbox.accept([DispatchFixture.call(number)]) }
            unlink(fixture.path)
        }
        let next = try fixture.outbox()
        let recovery = try #require(await next.recovery)
        #expect(recovery.wasRemoved && recovery.waitingCount + (recovery.lostCount ?? 0) == 5)
    }

    /// A crash between the new file and its name: the log of the removed one is not taken for the new one's.
    @Test func isWrittenAnewWholeOrNotAtAll() async throws {
        let fixture = try DispatchFixture()
        let other = try DispatchFixture()
        do {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("home", newestPosition: 0)
            for number in 1...5 { try await outbox.accept([DispatchFixture.call(number)]) }
            let whole = try other.outbox()
            _ = try await whole.attach("home", newestPosition: 0)
            for number in 1...5 { try await whole.accept([DispatchFixture.call(number)]) }
            try await whole.checkpoint()
            let log = try Data(contentsOf: URL(filePath: fixture.path + "-wal"))
            unlink(fixture.path)
            try FileManager.default.copyItem(atPath: other.path, toPath: fixture.path + ".rescued")
            try log.write(to: URL(filePath: fixture.path + "-wal"))
        }
        let next = try fixture.outbox()
        #expect(await next.recovery == nil)
        #expect(try await next.state(of: "home").waitingEventCount == 5)
    }
}
