import Foundation
import Glibc
import Synchronization
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// An outbox that is lost, with its tally or without: destinations go on where their marks say.
@Suite struct OutboxMarksTests {
    private let fixture: DispatchFixture

    init() throws { fixture = try DispatchFixture() }

    private var marksPath: String { fixture.folder + "/.destinations" }

    private func open() throws -> Outbox { try Outbox(path: fixture.path, clock: fixture.clock, marksPath: marksPath) }

    /// The files of the outbox go; the tally, too, unless it is to stay.
    private func lose(withTally: Bool) {
        for suffix in ["", "-wal", "-shm"] + (withTally ? ["-tally"] : []) { unlink(fixture.path + suffix) }
    }

    @Test(arguments: [false, true]) func destinationsGoOnWhereTheyWere(withTally: Bool) async throws {
        do {
            let outbox = try open()
            await outbox.noteLogged(through: 10)
            _ = try await outbox.attach("home", newestPosition: 10)
            _ = try await outbox.attach("away", newestPosition: 10)
            try await outbox.forgetDamage()
            try await outbox.setPaused(true, "away")
            try await outbox.keep(PositionCursor(live: 40), for: "home")
            try await outbox.checkpoint()
        }
        lose(withTally: withTally)
        let next = try open()
        let recovery = try #require(await next.recovery)
        #expect(recovery.wasRemoved && recovery.lostCount == (withTally ? nil : 0))
        // One that was known stays known, also when it is not in the configuration; another one is new.
        #expect(try await next.attach("home", newestPosition: 90).positions == PositionCursor(live: 40))
        #expect(try await next.attach("new", newestPosition: 90).positions == PositionCursor(live: 90))
        let away = try await next.state(of: "away")
        #expect(away.positions == PositionCursor(live: 10) && away.isPaused)
    }

    /// Whoever may fetch the tracks may read every file beside them.
    @Test func theGroupMayReadThem() async throws {
        let outbox = try open()
        _ = try await outbox.attach("home", newestPosition: 10)
        try await outbox.forgetDamage()
        var status = stat()
        #expect(stat(marksPath, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    /// Nobody knows how far they were: everything in the log comes again, events too.
    @Test func everythingComesAgainWhenTheMarksAreDamaged() async throws {
        do {
            let outbox = try open()
            await outbox.noteLogged(through: 10)
            _ = try await outbox.attach("home", newestPosition: 10)
            try await outbox.forgetDamage()
            try await outbox.accept([DispatchFixture.call(1)], loggedThrough: 20)
        }
        lose(withTally: false)
        var marks = try #require(try Syscalls.contents(of: marksPath))
        marks[3] ^= 1
        try AtomicFile.write(marks, to: marksPath)
        let next = try open()
        let interruption = try #require(await next.interruption)
        #expect(interruption.destinations == [])
        #expect(await next.loggedNumber == 0)
        #expect(try await next.takeBack([DispatchFixture.call(1)], loggedThrough: 20) == 1)
        try await next.endInterruption(broughtBack: 1, newestPosition: 50)
        let home = try await next.attach("home", newestPosition: 50)
        #expect(home.waitingEventCount == 1 && home.positions == PositionCursor(live: 0))
    }

    /// The whole folder of the outbox is another one: nobody has ever seen a tally.
    @Test func anOutboxOfNobodyIsNoLoss() async throws {
        let outbox = try open()
        #expect(await outbox.recovery == nil)
        #expect(try await outbox.attach("home", newestPosition: 90).positions == PositionCursor(live: 90))
    }

    /// A log with journals has had marks since its first record: without any, they were lost with the outbox.
    @Test(arguments: [false, true]) func everythingComesAgainWhenAllOfItIsLost(isEmptied: Bool) async throws {
        do {
            let outbox = try open()
            await outbox.noteLogged(through: 10)
            _ = try await outbox.attach("home", newestPosition: 10)
            try await outbox.forgetDamage()
        }
        lose(withTally: true)
        unlink(marksPath)
        if isEmptied { try Data().write(to: URL(filePath: fixture.path)) }
        do {
            let next = try Outbox(path: fixture.path, clock: fixture.clock, marksPath: marksPath, logHasJournals: true)
            #expect(try #require(await next.recovery).beginsAtOldest)
            #expect(await next.loggedNumber == 0)
            #expect(try await next.attach("home", newestPosition: 50).positions == PositionCursor(live: 0))
        }
        // Killed before anything of the log was taken: it is the same at the next start.
        let again = try Outbox(path: fixture.path, clock: fixture.clock, marksPath: marksPath, logHasJournals: true)
        #expect(await again.loggedNumber == 0)
        #expect(try await again.attach("home", newestPosition: 50).positions == PositionCursor(live: 0))
        #expect(try await again.attach("other", newestPosition: 50).positions == PositionCursor(live: 0))
        try await again.forgetDamage()
        #expect(try await again.attach("new", newestPosition: 50).positions == PositionCursor(live: 50))
    }

    /// A box that has only logged so far, and one whose outbox is as it was.
    @Test func aLogWithoutDestinationsIsNoLoss() async throws {
        Outbox.noteNoDestinations(at: marksPath)
        do {
            let outbox = try Outbox(path: fixture.path, clock: fixture.clock, marksPath: marksPath, logHasJournals: true)
            #expect(await outbox.recovery == nil)
            #expect(try await outbox.attach("home", newestPosition: 90).positions == PositionCursor(live: 90))
            try await outbox.forgetDamage()
        }
        Outbox.noteNoDestinations(at: marksPath)
        #expect(DestinationMarkFile.marks(Array(try Data(contentsOf: URL(filePath: marksPath))))?.map(\.name) == ["home"])
        unlink(marksPath)
        let next = try Outbox(path: fixture.path, clock: fixture.clock, marksPath: marksPath, logHasJournals: true)
        #expect(await next.recovery == nil)
        #expect(try await next.attach("new", newestPosition: 95).positions == PositionCursor(live: 95))
    }

    @Test func whatWasDiscardedStaysAway() async throws {
        do {
            let outbox = try open()
            await outbox.noteLogged(through: 10)
            for name in ["home", "away", "gone"] { _ = try await outbox.attach(name, newestPosition: 10) }
            try await outbox.forgetDamage()
            try await outbox.accept([DispatchFixture.call(1)], loggedThrough: 20)
            try await outbox.discard("home", newestPosition: 50)
            try await outbox.forget("gone")
        }
        lose(withTally: true)
        let next = try open()
        let interruption = try #require(await next.interruption)
        #expect(interruption.destinations.map(\.name) == ["away", "home"] && interruption.destinations.map(\.events) == [10, 20])
        // As the log has it: behind the mark of the first one, up to that of the next, and behind that.
        try await next.skipTakenBack(for: "away")
        #expect(try await next.takeBack([DispatchFixture.call(1)], loggedThrough: 20) == 1)
        try await next.skipTakenBack(for: "home")
        #expect(try await next.takeBack([DispatchFixture.call(2)], loggedThrough: 50) == 1)
        try await next.endInterruption(broughtBack: 2, newestPosition: 50)
        #expect(try await next.state(of: "away").waitingEventCount == 2)
        let home = try await next.state(of: "home")
        #expect(home.waitingEventCount == 1 && home.positions == PositionCursor(live: 50))
        #expect(try await next.destinations().map(\.name) == ["away", "home"])
    }

    @Test func whatIsOptedOutOfStaysAway() async throws {
        do {
            let outbox = try open()
            _ = try await outbox.attach("home", newestPosition: 10)
            try await outbox.forgetDamage()
            try await outbox.setOptedOut(true, newestPosition: 20)
            try await outbox.checkpoint()
        }
        lose(withTally: true)
        #expect(try await open().attach("home", newestPosition: 60).positions == PositionCursor(live: 60))
    }

    /// Three wait, of which the log has two or all: what is lost is counted when these are back.
    @Test(arguments: [(0, 3, true), (2, 1, true), (3, 0, true)]) func countsWhatTheLogHasNot(
        back: Int, lost: Int, isExact: Bool
    ) async throws {
        do {
            let outbox = try open()
            await outbox.noteLogged(through: 10)
            _ = try await outbox.attach("home", newestPosition: 10)
            try await outbox.forgetDamage()
            try await outbox.accept((1...3).map(DispatchFixture.call), loggedThrough: 20)
        }
        lose(withTally: false)
        let next = try open()
        let count = back > 0 ? try await next.takeBack((1...back).map(DispatchFixture.call), loggedThrough: 20) : 0
        try await next.endInterruption(broughtBack: count, newestPosition: 20)
        let recovery = try #require(await next.recovery)
        #expect(recovery.lostCount == lost && recovery.isLostCountExact == isExact && recovery.waitingCount == back)
    }

    @Test func aProblemIsOverWhenAllHaveWhatWasLeft() async throws {
        do {
            let outbox = try open()
            await outbox.noteLogged(through: 10)
            _ = try await outbox.attach("home", newestPosition: 10)
            try await outbox.forgetDamage()
        }
        lose(withTally: false)
        let next = try open()
        try await next.endInterruption(broughtBack: 0, newestPosition: 30)
        _ = try await next.attach("home", newestPosition: 30)
        #expect(await next.isRecovered == false)
        try await next.keep(PositionCursor(live: 30), for: "home")
        #expect(await next.isRecovered)
    }

    /// Somebody has written into the file, or cut it: rather twice than not at all.
    @Test func beginsWithTheOldestWhereNobodyKnows() async throws {
        do {
            let outbox = try open()
            _ = try await outbox.attach("home", newestPosition: 10)
            try await outbox.forgetDamage()
        }
        lose(withTally: true)
        try Data("{}\n00000000\n".utf8).write(to: URL(filePath: marksPath))
        let next = try open()
        #expect(try #require(await next.recovery).lostCount == nil)
        #expect(try await next.attach("home", newestPosition: 60).positions == PositionCursor(live: 0))
    }

    @Test func aFileThatIsNotWholeSaysNothing() throws {
        let marks = [
            DestinationMark(name: "a \"b\"\n", positions: 3, events: 2, entry: 1),
            .init(name: "", positions: 0, events: 0, entry: 0, takesPositions: false, isPaused: true),
        ]
        let bytes = DestinationMarkFile.bytes(marks)
        #expect(DestinationMarkFile.marks(bytes) == marks)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(DestinationMarkFile.marks(other) == nil, "byte \(index)")
            #expect(DestinationMarkFile.marks(Array(bytes[..<index])) == nil)
        }
    }

    @Test func aLinkInItsPlaceIsNotFollowed() async throws {
        let other = fixture.folder + "/other"
        try Data("untouched".utf8).write(to: URL(filePath: other))
        symlink(other, marksPath)
        let outbox = try open()
        _ = try await outbox.attach("home", newestPosition: 10)
        try await outbox.forgetDamage()
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "untouched")
    }

    /// Every receipt writes nothing more; after an hour the marks follow.
    @Test func costNextToNothing() async throws {
        let outbox = try open()
        _ = try await outbox.attach("home", newestPosition: 0)
        try await outbox.forgetDamage()
        let written = try Data(contentsOf: URL(filePath: marksPath))
        let settlement = Settlement(lane: .live, through: 7, count: 7, sentCount: 7)
        fixture.milliseconds.withLock { $0 += 3_599_000 }
        try await outbox.settle(settlement, PositionCursor(live: 7), for: "home")
        #expect(try Data(contentsOf: URL(filePath: marksPath)) == written)
        fixture.milliseconds.withLock { $0 += 1_000 }
        try await outbox.settle(settlement, PositionCursor(live: 8), for: "home")
        #expect(DestinationMarkFile.marks(Array(try Data(contentsOf: URL(filePath: marksPath))))?.map(\.positions) == [8])
        // With the folder of the log it goes, and comes again.
        unlink(marksPath)
        try await outbox.check()
        #expect(FileManager.default.fileExists(atPath: marksPath))
    }

    /// The first event of a log that was empty: that nothing of it had been taken is known, too.
    @Test func thatNothingWasTakenIsKnown() async throws {
        do {
            let outbox = try fixture.outbox()
            await outbox.noteLogged(through: 0)
            _ = try await outbox.attach("home", newestPosition: 0)
        }
        #expect(await (try fixture.outbox()).loggedNumber == 0)
    }
}
