import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// Whatever happens to its files: what waits and what is told as lost are together what was taken.
@Suite struct OutboxLossTests {
    private static let count = 24
    private static let suffixes = ["", "-wal", "-tally"]

    /// The files of an outbox in which that many entries wait, as a kill leaves them.
    private func killed(checkpointing: Bool = false) async throws -> [String: Data] {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("home", newestPosition: 77)
        for number in 1...OutboxLossTests.count { try await outbox.accept([DispatchFixture.call(number)]) }
        if checkpointing { try await outbox.checkpoint() }
        var files: [String: Data] = [:]
        for suffix in OutboxLossTests.suffixes { files[suffix] = try Data(contentsOf: URL(filePath: fixture.path + suffix)) }
        return files
    }

    /// Opens an outbox of these files; how many wait and how many are told as lost.
    private func reopened(_ files: [String: Data]) async throws -> (waiting: Int, lost: Int, recovery: OutboxRecovery?) {
        let fixture = try DispatchFixture()
        for (suffix, data) in files { try data.write(to: URL(filePath: fixture.path + suffix)) }
        let outbox = try fixture.outbox()
        let recovery = await outbox.recovery
        let state = try await outbox.attach("home", newestPosition: 77)
        // It goes on, under numbers that nobody had.
        try await outbox.accept([DispatchFixture.call(99)])
        let entries = try await outbox.entries(after: 0, limit: 100)
        #expect(entries.last?.number == UInt64(OutboxLossTests.count) + 1)
        #expect(entries.dropLast().count == state.waitingEventCount)
        if let aside = recovery?.asidePath, let log = files["-wal"], !log.isEmpty {
            #expect(try Data(contentsOf: URL(filePath: aside + "-wal")) == log)
        }
        // It is whole: the next run has nothing new to tell.
        try await outbox.checkpoint()
        let next = try fixture.outbox()
        #expect(isOnlyToldAgain(recovery, await next.recovery))
        return (state.waitingEventCount, recovery.map { $0.lostCount ?? 0 } ?? 0, recovery)
    }

    @Test func tellsWhatAFlippedBitOfTheLogTook() async throws {
        let files = try await killed()
        let log = try #require(files["-wal"])
        var rounds = (count: 0, lostCount: 0)
        for place in stride(from: 0, to: log.count, by: 389) {
            var damaged = files
            damaged["-wal"]?[place] ^= 1 << UInt8(place % 8)
            let outcome = try await reopened(damaged)
            #expect(outcome.waiting + outcome.lost == OutboxLossTests.count, "byte \(place): \(outcome)")
            // One page of entries, or none: all others are read though SQLite stops there.
            #expect(outcome.lost <= 4, "byte \(place): \(outcome)")
            rounds.count += 1
            rounds.lostCount += outcome.lost
        }
        #expect(rounds.count > 100 && rounds.lostCount < rounds.count)
    }

    @Test func tellsWhatACutOfTheLogTook() async throws {
        let files = try await killed()
        let log = try #require(files["-wal"])
        for length in stride(from: 0, to: log.count, by: 1_777) {
            var damaged = files
            damaged["-wal"] = log.prefix(length)
            let outcome = try await reopened(damaged)
            #expect(outcome.waiting + outcome.lost == OutboxLossTests.count, "\(length) bytes: \(outcome)")
        }
        let outcome = try await reopened(files.filter { $0.key != "-wal" })
        #expect(outcome.waiting == 0 && outcome.lost == OutboxLossTests.count)
    }

    @Test func tellsWhatADamageOfTheFileTook() async throws {
        let files = try await killed(checkpointing: true)
        let file = try #require(files[""])
        for place in stride(from: 0, to: file.count, by: 331) {
            var damaged = files
            damaged[""]?[place] ^= 0x10
            let outcome = try await reopened(damaged)
            #expect(outcome.waiting + outcome.lost == OutboxLossTests.count, "byte \(place): \(outcome)")
        }
        for length in stride(from: 0, to: file.count, by: 4_001) {
            var damaged = files
            damaged[""] = file.prefix(length)
            let outcome = try await reopened(damaged)
            #expect(outcome.waiting + outcome.lost == OutboxLossTests.count, "\(length) bytes: \(outcome)")
        }
        let outcome = try await reopened(files.filter { $0.key == "-tally" })
        #expect(outcome.lost == OutboxLossTests.count && outcome.recovery?.asidePath == nil)
    }

    /// Each byte of the header has a meaning of its own, and one of them forbids writing.
    @Test(arguments: [1, 0x40, 0xFF] as [UInt8]) func tellsWhatADamageOfTheHeaderTook(bits: UInt8) async throws {
        let files = try await killed(checkpointing: true)
        for place in 0..<100 {
            var damaged = files
            damaged[""]?[place] ^= bits
            do {
                let outcome = try await reopened(damaged)
                #expect(outcome.waiting + outcome.lost == OutboxLossTests.count, "byte \(place): \(outcome)")
            } catch OutboxError.otherVersion {
                #expect((60..<64).contains(place), "byte \(place)")
            }
        }
    }

    @Test func tellsThatAFileIsGoneWhoseLogIsThere() async throws {
        let outcome = try await reopened(try await killed().filter { $0.key != "" })
        #expect(outcome.waiting + outcome.lost == OutboxLossTests.count && outcome.recovery?.asidePath != nil)
    }

    @Test func saysThatNobodyKnowsWithoutATally() async throws {
        var files = try await killed()
        files["-tally"]?[20] ^= 1
        for place in [nil, 2_000] {
            if let place { files["-wal"]?[place] ^= 1 }
            let outcome = try await reopened(files)
            let recovery = try #require(outcome.recovery)
            #expect(recovery.lostCount == nil && recovery.entryCount == OutboxLossTests.count && outcome.waiting == OutboxLossTests.count)
        }
    }

    @Test func claimsNothingThatWasRemovedOnPurpose() async throws {
        let fixture = try DispatchFixture()
        var limits = OutboxLimits()
        limits.keptEntryCount = 5
        limits.maximumByteCount = 8_000
        do {
            let outbox = try fixture.outbox(limits: limits)
            _ = try await outbox.attach("a", newestPosition: 0)
            _ = try await outbox.attach("b", newestPosition: 0)
            for number in 1...90 {
                try await outbox.accept([DispatchFixture.call(number)])
                if number % 7 == 0 {
                    try await outbox.settle(Settlement(lane: .events, through: UInt64(number), count: 7, sentCount: 7), nil, for: "a")
                }
                if number == 40 { try await outbox.discard("b", newestPosition: 0) }
                if number == 60 {
                    _ = try await outbox.erase(from: DispatchFixture.start, to: DispatchFixture.start.advanced(byMilliseconds: 1))
                }
                if number == 70 { try await outbox.forget("b") }
                #expect(OutboxTallyFile.read(ofOutbox: fixture.path)?.waiting == Int64(try await waiting(outbox)), "\(number)")
            }
        }
        #expect(await (try fixture.outbox(limits: limits)).recovery == nil)
    }

    private func waiting(_ outbox: Outbox) async throws -> Int {
        try await outbox.destinations().map(\.waitingEventCount).max() ?? 0
    }

    // MARK: - While it runs

    @Test func leavesNothingInTheLogWhenItStops() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", ScriptedDestination())])
        try await dispatcher.accept((1...5).map(DispatchFixture.call))
        await dispatcher.stop()
        // It is closed.
        #expect(!FileManager.default.fileExists(atPath: fixture.path + "-wal"))
    }

    @Test func refusesWhileItsFolderIsGoneAndGoesOnWithEverythingWhenItIsBack() async throws {
        let fixture = try DispatchFixture()
        let home = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", home)])
        for number in 1...24 { try await dispatcher.accept([DispatchFixture.call(number)]) }
        try FileManager.default.removeItem(atPath: fixture.folder)
        for number in 25...64 {
            await #expect(throws: OutboxError.gone(path: fixture.path)) { try await dispatcher.accept([DispatchFixture.call(number)]) }
        }
        await #expect(throws: OutboxError.gone(path: fixture.path)) { try await dispatcher.statuses() }
        try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
        try await dispatcher.accept([DispatchFixture.call(65)])
        let recovery = try #require(await dispatcher.outbox.recovery)
        #expect(recovery.lostCount == 0 && recovery.entryCount == 24)
        _ = try await dispatcher.dispatch()
        #expect(home.takenNames == (Array(1...24) + [65]).map { "call \($0)" })
        #expect(try await fixture.outbox().state(of: "home").waitingEventCount == 0)
    }

    @Test func leavesAnotherFileOfItsNameAlone() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("home", newestPosition: 0)
        try FileManager.default.removeItem(atPath: fixture.path)
        try Data("another".utf8).write(to: URL(filePath: fixture.path))
        await #expect(throws: OutboxError.gone(path: fixture.path)) { try await outbox.accept([DispatchFixture.call(1)]) }
        #expect(try Data(contentsOf: URL(filePath: fixture.path)) == Data("another".utf8))
    }

    /// A file system is mounted over the folder while it runs, and unmounted later: its file before that is back.
    @Test func goesOnWithEverythingWhenAnEarlierStateOfItIsBack() async throws {
        for copies in [false, true] {
            let fixture = try DispatchFixture()
            let home = ScriptedDestination()
            let dispatcher = try await fixture.dispatcher([("home", home)])
            for number in 1...24 { try await dispatcher.accept([DispatchFixture.call(number)]) }
            let covered = fixture.folder + ".covered"
            defer { try? FileManager.default.removeItem(atPath: covered) }
            for round in 1...3 {
                if copies {
                    try FileManager.default.copyItem(atPath: fixture.folder, toPath: covered)
                    try FileManager.default.removeItem(atPath: fixture.folder)
                } else {
                    try FileManager.default.moveItem(atPath: fixture.folder, toPath: covered)
                }
                try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
                for number in 1...5 { try await dispatcher.accept([DispatchFixture.call(round * 100 + number)]) }
                try FileManager.default.removeItem(atPath: fixture.folder)
                try FileManager.default.moveItem(atPath: covered, toPath: fixture.folder)
                try await dispatcher.outbox.check()
                try await dispatcher.accept([DispatchFixture.call(round * 100 + 6)])
            }
            // What is at its place is whole, after a kill too.
            #expect(try await fixture.outbox().state(of: "home").waitingEventCount == 24 + 18)
            _ = try await dispatcher.dispatch()
            let later = (1...3).flatMap { round in (1...6).map { round * 100 + $0 } }
            #expect(home.takenNames == (Array(1...24) + later).map { "call \($0)" }, "copies: \(copies)")
        }
    }

    @Test func leavesTheOutboxOfAnotherTrackerAlone() async throws {
        let (fixture, other) = (try DispatchFixture(), try DispatchFixture())
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("home", newestPosition: 0)
        for number in 1...9 { try await outbox.accept([DispatchFixture.call(number)]) }
        do { try await other.outbox().accept([DispatchFixture.call(1)]) }
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: fixture.path + suffix) }
        try FileManager.default.copyItem(atPath: other.path, toPath: fixture.path)
        await #expect(throws: OutboxError.gone(path: fixture.path)) { try await outbox.accept([DispatchFixture.call(10)]) }
        #expect(try Data(contentsOf: URL(filePath: fixture.path)) == Data(contentsOf: URL(filePath: other.path)))
    }

    @Test func savesWhatIsInALogThatIsRemovedWhileItRuns() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("home", newestPosition: 0)
        for number in 1...24 { try await outbox.accept([DispatchFixture.call(number)]) }
        try FileManager.default.removeItem(atPath: fixture.path + "-wal")
        try await outbox.accept([DispatchFixture.call(25)])
        #expect(try await outbox.state(of: "home").waitingEventCount == 25)
        #expect(try await fixture.outbox().entries(after: 0, limit: 100).count == 25)
    }

    @Test func goesOnAfterADamageWhileItRuns() async throws {
        for place in stride(from: 60, to: 90_000, by: 2_999) {
            let fixture = try DispatchFixture()
            let home = ScriptedDestination()
            let dispatcher = try await fixture.dispatcher([("home", home)])
            for number in 1...24 { try await dispatcher.accept([DispatchFixture.call(number)]) }
            let log = try FileHandle(forUpdating: URL(filePath: fixture.path + "-wal"))
            guard try log.seekToEnd() > place + 3_000 else { break }
            try log.seek(toOffset: UInt64(place))
            try log.write(contentsOf: Data(repeating: 0xA7, count: 3_000))
            try log.close()
            try await dispatcher.accept([DispatchFixture.call(25)])
            _ = try await dispatcher.dispatch()
            let lost = await dispatcher.outbox.recovery?.lostCount ?? 0
            #expect(Set(home.takenNames).count + lost == 25, "byte \(place): \(home.takenNames), \(lost) lost")
        }
    }
}
