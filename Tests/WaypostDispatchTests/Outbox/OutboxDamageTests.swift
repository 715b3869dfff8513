import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// What an outbox does with files that are damaged, of another version, or on a full disk.
@Suite struct OutboxDamageTests {
    /// An outbox of which one destination has 20 of 400 entries, closed.
    private func filled(_ fixture: DispatchFixture) async throws {
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 77)
        for hundred in 0..<4 { try await outbox.accept((1...100).map { DispatchFixture.call(hundred * 100 + $0) }) }
        try await outbox.settle(Settlement(lane: .events, through: 20, count: 20, sentCount: 20), nil, for: "a")
    }

    private func change(_ path: String, _ body: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        body(&bytes)
        try bytes.write(to: URL(filePath: path))
    }

    @Test(arguments: [0.3, 0.5, 0.7, 0.9]) func keepsWhatCanBeReadOfADamagedFile(place: Double) async throws {
        let fixture = try DispatchFixture()
        try await filled(fixture)
        var count = 0
        try change(fixture.path) { bytes in
            let page = Int(Double(bytes.count / 4_096) * place) * 4_096
            for index in page..<page + 4_096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
            count = bytes.count
        }
        let outbox = try fixture.outbox()
        let recovery = try #require(await outbox.recovery)
        #expect(try Data(contentsOf: URL(filePath: try #require(recovery.asidePath))).count == count)
        // One page holds some dozen entries; a page of the tree's middle hides more of them.
        #expect(recovery.entryCount >= 100, "\(recovery)")
        let entries = try await outbox.entries(after: 0, limit: 1_000)
        #expect(entries.count == recovery.entryCount)
        #expect(entries.map(\.number) == entries.map(\.number).sorted())
        // It is whole again: the next start finds nothing to mend.
        try await outbox.accept([DispatchFixture.call(1_001)])
        let next = try fixture.outbox()
        #expect(isOnlyToldAgain(recovery, await next.recovery))
        let state = try await next.attach("a", newestPosition: 99)
        #expect(try await next.entries(after: state.eventCursor, limit: 1_000).last?.number == (entries.last?.number ?? 0) + 1)
    }

    /// What is erased from the outbox is in none of the files beside it either.
    @Test func removesWhatWasSetAside() async throws {
        let fixture = try DispatchFixture()
        for number in 1...2 {
            try await filled(fixture)
            try change(fixture.path) { bytes in for index in 0..<64 { bytes[index] = 0xFF } }
            #expect(try await fixture.outbox().recovery?.asidePath == "\(fixture.path).damaged-\(number)")
        }
        try Data("unfinished".utf8).write(to: URL(filePath: fixture.path + ".copied"))
        let outbox = try fixture.outbox()
        let count = try await outbox.entries(after: 0, limit: 10_000).count
        #expect(try await outbox.removeAside() == (1...2).map { "\(fixture.path).damaged-\($0)" })
        let folder = URL(filePath: fixture.path).deletingLastPathComponent().path
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!left.contains { $0.contains(".damaged-") || $0.hasSuffix(".copied") })
        #expect(try await outbox.entries(after: 0, limit: 10_000).count == count)
        #expect(try await outbox.removeAside() == [])
    }

    @Test func keepsHowFarTheDestinationsAreWhenThatCanBeRead() async throws {
        let fixture = try DispatchFixture()
        try await filled(fixture)
        // The last page holds entries.
        try change(fixture.path) { bytes in
            for index in bytes.count - 4_096..<bytes.count { bytes[index] = 0xA5 }
        }
        let outbox = try fixture.outbox()
        #expect(await outbox.recovery?.destinationCount == 1)
        let state = try await outbox.state(of: "a")
        #expect(state.eventCursor == 20 && state.positions.live == 77 && state.sentCount == 20)
    }

    @Test func beginsAnewWithTheOldestWhenNothingCanBeRead() async throws {
        let fixture = try DispatchFixture()
        try Data(repeating: 0x5A, count: 40_000).write(to: URL(filePath: fixture.path))
        let outbox = try fixture.outbox()
        let recovery = try #require(await outbox.recovery)
        #expect(recovery.entryCount == 0 && recovery.asidePath?.hasSuffix(".damaged-1") == true)
        // Nobody knows any more how far it was: rather twice than not at all.
        #expect(try await outbox.attach("a", newestPosition: 50).positions.live == 0)
        try await outbox.accept([DispatchFixture.call(1)])
        #expect(try await outbox.state(of: "a").waitingEventCount == 1)
    }

    @Test func sendsWhatComesAfterADamageThatTookTheNewestEntries() async throws {
        let fixture = try DispatchFixture()
        try await filled(fixture)
        let first = try fixture.outbox()
        try await first.settle(Settlement(lane: .events, through: 400, count: 380, sentCount: 380), nil, for: "a")
        let copy = fixture.folder + "/copy.sqlite"
        try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
        // As if the entries were gone and the destinations were not.
        let database = try SQLiteDatabase(path: fixture.path)
        try database.run("DELETE FROM entry WHERE number > 100")
        try database.run("DELETE FROM sqlite_sequence")
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try OutboxSalvage.run(fixture.path, because: "damaged", log: nil, known: nil)
        let next = try fixture.outbox()
        try await next.accept([DispatchFixture.call(500)])
        #expect(try await next.state(of: "a").waitingEventCount == 1)
    }

    @Test func goesOnFromACrashBetweenTheTwoNames() async throws {
        let fixture = try DispatchFixture()
        try await filled(fixture)
        try FileManager.default.moveItem(atPath: fixture.path, toPath: fixture.path + ".rescued")
        #expect(try await fixture.outbox().state(of: "a").waitingEventCount == 380)
    }

    @Test func beginsWithTheOldestOnlyForThoseThatWereThere() async throws {
        let fixture = try DispatchFixture()
        try Data(repeating: 0x5A, count: 40_000).write(to: URL(filePath: fixture.path))
        fixture.log.log(1...5)
        let home = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", home)])
        try await dispatcher.finishAttaching()
        let later = ScriptedDestination()
        try await dispatcher.attach(later, DestinationSettings(name: "later", schedule: .init(interval: .zero, phaseOf: "later")))
        _ = try await dispatcher.dispatch()
        #expect(home.taken.count == 5 && later.taken.isEmpty)
    }

    @Test func setsAFileOfAnImpossibleVersionAside() async throws {
        let fixture = try DispatchFixture()
        try await filled(fixture)
        do {
            let database = try SQLiteDatabase(path: fixture.path)
            try database.execute("PRAGMA user_version = -1; PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let outbox = try fixture.outbox()
        #expect(await outbox.recovery?.entryCount == 400)
        #expect(try await outbox.state(of: "a").waitingEventCount == 380)
    }

    @Test(arguments: [1, OutboxSchema.version - 1, OutboxSchema.version + 1, 99])
    func leavesTheFileOfAnotherVersionAsItIs(version: Int) async throws {
        let fixture = try DispatchFixture()
        try await filled(fixture)
        do {
            let database = try SQLiteDatabase(path: fixture.path)
            try database.execute("PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let before = try Data(contentsOf: URL(filePath: fixture.path))
        for _ in 0..<2 {
            let refusal = OutboxError.otherVersion(path: fixture.path, version: version)
            #expect(throws: refusal) { try fixture.outbox() }
            #expect("\(refusal)".contains("has outbox format \(version)"))
            #expect(try Data(contentsOf: URL(filePath: fixture.path)) == before)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).filter { $0.contains("damaged") } == [])
    }

    /// A copy of the files at any moment between two commits is what a kill or a power cut leaves.
    @Test func hasEverythingItTookAfterAKillAtAnyMoment() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        for number in 1...60 {
            try await outbox.accept([DispatchFixture.call(number)])
            if number % 3 == 0 {
                try await outbox.settle(Settlement(lane: .events, through: UInt64(number), count: 3, sentCount: 3), nil, for: "a")
            }
            let crashed = try DispatchFixture()
            for suffix in ["", "-wal", "-tally"] where FileManager.default.fileExists(atPath: fixture.path + suffix) {
                try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: crashed.path + suffix)
            }
            // Half a commit more, as the next one may have begun.
            let log = try FileHandle(forWritingTo: URL(filePath: crashed.path + "-wal"))
            try log.seekToEnd()
            try log.write(contentsOf: Data((0..<Int.random(in: 0...6_000)).map { _ in UInt8.random(in: .min ... .max) }))
            try log.close()
            let next = try crashed.outbox()
            #expect(await next.recovery == nil)
            let state = try await next.state(of: "a")
            #expect(state.eventCursor == UInt64(number / 3 * 3) && state.waitingEventCount == number % 3, "after \(number)")
        }
    }

    @Test func refusesOnAFullDiskAndGoesOnWhenThereIsRoom() async throws {
        guard getuid() == 0 else {
            return print("refusesOnAFullDiskAndGoesOnWhenThereIsRoom skipped: only root can mount a small file system")
        }
        let fixture = try DispatchFixture()
        guard try run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", fixture.folder]) else {
            return print("refusesOnAFullDiskAndGoesOnWhenThereIsRoom skipped: cannot mount a small file system here")
        }
        defer { _ = try? run(["umount", "-l", fixture.folder]) }
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        try await outbox.accept([DispatchFixture.call(1)])
        let ballast = fixture.folder + "/ballast"
        try Data(repeating: 1, count: 220_000).write(to: URL(filePath: ballast))
        var taken = 1
        var failure: OutboxError?
        while failure == nil, taken < 2_000 {
            do throws(OutboxError) {
                try await outbox.accept([DispatchFixture.call(taken + 1)])
                taken += 1
            } catch {
                failure = error
            }
        }
        #expect(failure == .full(path: fixture.path))
        #expect(try await outbox.state(of: "a").waitingEventCount == taken)
        try FileManager.default.removeItem(atPath: ballast)
        try await outbox.accept([DispatchFixture.call(9_999)])
        #expect(try await outbox.state(of: "a").waitingEventCount == taken + 1)
        #expect(await outbox.recovery == nil)
    }

    private func run(_ command: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
