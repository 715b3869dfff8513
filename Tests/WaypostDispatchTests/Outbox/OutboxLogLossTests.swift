import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// The log of an outbox is gone or cannot be read: that is told, and nothing comes back that was settled, discarded, moved or erased.
@Suite struct OutboxLogLossTests {
    private static let ways = ["removed", "emptied", "zeros", "junk", "cut", "zeros after its head"]

    /// The files of an outbox that was killed after some use of it, in a folder of their own.
    private func killed(_ use: (Outbox) async throws -> Void) async throws -> DispatchFixture {
        let (running, killed) = (try DispatchFixture(), try DispatchFixture())
        let outbox = try open(running)
        await outbox.noteLogged(through: 10)
        for name in ["away", "home"] { _ = try await outbox.attach(name, newestPosition: 10) }
        try await outbox.forgetDamage()
        try await use(outbox)
        for name in try FileManager.default.contentsOfDirectory(atPath: running.folder) where !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: "\(running.folder)/\(name)", toPath: "\(killed.folder)/\(name)")
        }
        return killed
    }

    private func open(_ fixture: DispatchFixture) throws -> Outbox {
        try Outbox(path: fixture.path, clock: fixture.clock, marksPath: fixture.folder + "/.destinations")
    }

    private func loseLog(_ fixture: DispatchFixture, _ way: String = "removed") throws {
        let log = URL(filePath: fixture.path + "-wal")
        let bytes = try Data(contentsOf: log)
        try FileManager.default.removeItem(at: log)
        switch way {
        case "emptied": try Data().write(to: log)
        case "zeros": try Data(count: bytes.count).write(to: log)
        case "junk": try Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ $0 / 256) }).write(to: log)
        case "cut": try bytes.prefix(600).write(to: log)
        case "zeros after its head": try (bytes.prefix(32) + Data(count: bytes.count - 32)).write(to: log)
        default: break
        }
    }

    private func loseTally(_ fixture: DispatchFixture, _ way: String = "removed") throws {
        let path = fixture.path + "-tally"
        try FileManager.default.removeItem(atPath: path)
        if way == "folder" { try Syscalls.createFolders(path) }
        if way == "junk" { try Data(repeating: 7, count: 44).write(to: URL(filePath: path)) }
    }

    /// With a tally the number is known; without one it is told that it is not.
    @Test(arguments: ways, ["kept", "removed", "junk", "folder"]) func isTold(log: String, tally: String) async throws {
        let fixture = try await killed { outbox in
            for number in 1...12 { try await outbox.accept([DispatchFixture.call(number)]) }
        }
        try loseLog(fixture, log)
        if tally != "kept" { try loseTally(fixture, tally) }
        do {
            let outbox = try open(fixture)
            let recovery = try #require(await outbox.recovery)
            #expect(recovery.lostCount == (tally == "kept" ? 12 : nil) && recovery.entryCount == 0)
            // Nobody waits for what is not there.
            if await outbox.interruption != nil { try await outbox.endInterruption(broughtBack: 0, newestPosition: 10) }
            #expect(await outbox.recovery?.lostCount == (tally == "kept" ? 12 : nil))
            try await outbox.accept([DispatchFixture.call(99)])
            try await outbox.checkpoint()
        }
        let next = try open(fixture)
        #expect(await next.recovery?.lostCount == (tally == "kept" ? 12 : nil))
        #expect(await next.recovery?.asidePath?.hasSuffix("-2") != true)
    }

    /// A log that was cut off between two commits looks like a shorter one.
    @Test(arguments: ["kept", "removed", "junk", "folder"], [false, true])
    func isToldWhereverTheLogIsCut(tally: String, knowsMarks: Bool) async throws {
        let fixture = try await killed { outbox in
            for number in 1...12 { try await outbox.accept([DispatchFixture.call(number)], loggedThrough: 20) }
        }
        let log = try Data(contentsOf: URL(filePath: fixture.path + "-wal"))
        let (head, frame) = (32, 24 + 1_024)
        let frameCount = (log.count - head) / frame
        for (cut, more) in [(1, 0), (2, 700), (frameCount / 2, 0), (frameCount / 2, 333), (frameCount - 3, 0)] {
            let image = try DispatchFixture()
            for suffix in ["", "-wal", "-tally"] {
                try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: image.path + suffix)
            }
            try log.prefix(head + cut * frame + more).write(to: URL(filePath: image.path + "-wal"))
            if tally != "kept" { try loseTally(image, tally) }
            let marks = image.folder + "/.destinations"
            try FileManager.default.copyItem(atPath: fixture.folder + "/.destinations", toPath: marks)
            if !knowsMarks { try Data("cut".utf8).write(to: URL(filePath: marks)) }
            let outbox = try open(image)
            let leftCount = try await outbox.entries(after: 0, limit: 20).count
            if tally == "kept", leftCount == 12 { continue }
            let recovery = try #require(await outbox.recovery, "\(cut) \(more)")
            #expect(recovery.lostCount == (tally == "kept" ? 12 - leftCount : nil), "\(cut) \(more)")
            // The log of positions and events has those that it knows.
            #expect(await outbox.interruption != nil)
            #expect(await outbox.loggedNumber == (knowsMarks ? 10 : 0))
        }
    }

    enum Deed: String, CaseIterable, Sendable {
        case discard, move, forget, pause, optOut, erase, settle
    }

    /// All that waited was in the file; what was done after that was in the log.
    @Test(arguments: Deed.allCases, [true, false]) func bringsNothingBack(deed: Deed, hasTally: Bool) async throws {
        let fixture = try await killed { outbox in
            for number in 1...6 { try await outbox.accept([DispatchFixture.call(number)]) }
            try await outbox.checkpoint()
            switch deed {
            case .discard: try await outbox.discard("home", newestPosition: 50)
            case .move: try await outbox.move("home", to: "away", newestPosition: 50, isForgotten: false)
            case .forget: try await outbox.forget("home")
            case .pause: try await outbox.setPaused(true, "home")
            case .optOut: try await outbox.setOptedOut(true, newestPosition: 50)
            case .erase:
                _ = try await outbox.erase(from: DispatchFixture.start, to: DispatchFixture.start.advanced(byMilliseconds: 1))
            case .settle:
                for name in ["home", "away"] {
                    try await outbox.settle(Settlement(lane: .events, through: 6, count: 6, sentCount: 6), nil, for: name)
                }
            }
        }
        try loseLog(fixture)
        if !hasTally { try loseTally(fixture) }
        let outbox = try open(fixture)
        // What was done on purpose was in the file at once: nothing of it is lost with the log.
        let isTold = await outbox.recovery != nil
        #expect(isTold == (deed == .settle || !hasTally))
        let states = try await outbox.destinations()
        let home = states.first { $0.name == "home" }
        let away = try #require(states.first { $0.name == "away" })
        switch deed {
        case .discard:
            #expect(home?.waitingEventCount == 0 && home?.positions.first == 50)
            #expect(away.waitingEventCount == 6 && away.positions.first == 10)
        case .move:
            #expect(home?.waitingEventCount == 0 && home?.positions.first == 50)
            #expect(away.waitingEventCount == 6 && away.positions.first == 10)
        case .forget: #expect(home == nil && away.waitingEventCount == 6)
        case .pause: #expect(home?.isPaused == true && home?.waitingEventCount == 6 && !away.isPaused)
        case .optOut: #expect(try await outbox.isOptedOut() && home?.waitingEventCount == 0 && away.waitingEventCount == 0)
        case .erase: #expect(try await outbox.entries(after: 0, limit: 10).isEmpty)
        // Without a tally nobody knows; they come again under the same ids.
        case .settle:
            #expect((hasTally ? [0] : [0, 6]).contains(away.waitingEventCount) && home?.waitingEventCount == away.waitingEventCount)
        }
        if deed != .erase { #expect(try await outbox.entries(after: 0, limit: 10).count == (deed == .optOut ? 0 : 6)) }
    }

    /// A stop leaves nothing to tell, whatever becomes of the tally; nor does a kill right after the next start, or an end without a stop.
    @Test func tellsNothingWhereNothingIsLost() async throws {
        let fixture = try await killed { outbox in
            for number in 1...6 { try await outbox.accept([DispatchFixture.call(number)]) }
            try await outbox.checkpoint()
        }
        try loseTally(fixture)
        #expect(try Data(contentsOf: URL(filePath: fixture.path + "-wal")).isEmpty)
        var images: [DispatchFixture] = []
        do {
            let outbox = try open(fixture)
            #expect(await outbox.recovery == nil)
            let killed = try DispatchFixture()
            for suffix in ["", "-wal", "-tally"] {
                try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: killed.path + suffix)
            }
            images.append(killed)
        }
        // Closed without a stop, as by an application that is done.
        for image in images + [fixture] {
            let outbox = try open(image)
            #expect(await outbox.recovery == nil)
            #expect(try await outbox.entries(after: 0, limit: 10).count == 6)
        }
    }

    /// Without the marks nobody knows whether what comes back from the log of positions and events is what was lost.
    @Test(arguments: [0, 2]) func saysTheMostWithoutMarks(back: Int) async throws {
        let fixture = try await killed { outbox in
            for number in 1...3 { try await outbox.accept([DispatchFixture.call(number)], loggedThrough: 20) }
        }
        try loseLog(fixture)
        try Data("cut".utf8).write(to: URL(filePath: fixture.folder + "/.destinations"))
        let outbox = try open(fixture)
        let entries = (0..<back).map { DispatchFixture.call($0 + 1) }
        #expect(try await outbox.takeBack(entries, loggedThrough: 20) == back)
        try await outbox.endInterruption(broughtBack: back, newestPosition: 20)
        let recovery = try #require(await outbox.recovery)
        #expect(recovery.lostCount == 3 && recovery.isLostCountExact == (back == 0) && recovery.waitingCount == back)
    }

    /// Its tally says nothing of progress; one that it wrote over a longer one is whole, too.
    @Test(arguments: [false, true]) func readsTheTallyOfAnEarlierVersion(isOverwritten: Bool) {
        let tally = OutboxTally(last: 9, settled: 3, waiting: 6, logged: 20, progress: 4)
        #expect(OutboxTally(tally.bytes) == tally)
        var earlier = Array(tally.bytes[..<40])
        withUnsafeBytes(of: CRC32C.checksum(earlier.span.bytes).littleEndian) { earlier += $0 }
        if isOverwritten { earlier += tally.bytes[44...] }
        #expect(OutboxTally(earlier) == OutboxTally(last: 9, settled: 3, waiting: 6, logged: 20))
        for index in tally.bytes.indices {
            var damaged = tally.bytes
            damaged[index] ^= 0x10
            #expect(OutboxTally(damaged) == nil && OutboxTally(Array(tally.bytes[..<index])) == nil)
        }
    }

    // MARK: - When the log goes into the file

    private func entryCount(inFileOf fixture: DispatchFixture) throws -> Int {
        let copy = fixture.folder + "/copy.sqlite"
        try Syscalls.remove(copy)
        try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
        let database = try SQLiteDatabase(path: copy)
        let hasEntries = try database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'entry'") == 1
        return hasEntries ? Int(try database.integer("SELECT count(*) FROM entry") ?? 0) : 0
    }

    @Test func allOfItIsInTheFileAfterAStart() async throws {
        let fixture = try await killed { outbox in
            for number in 1...12 { try await outbox.accept([DispatchFixture.call(number)]) }
        }
        #expect(try entryCount(inFileOf: fixture) == 0)
        let outbox = try open(fixture)
        #expect(try entryCount(inFileOf: fixture) == 12)
        #expect(try await outbox.entries(after: 0, limit: 20).count == 12)
    }

    @Test func mostOfItIsInTheFileWhenThereIsMuch() async throws {
        let fixture = try await killed { outbox in
            for number in 1...300 {
                let call = TrackCall(
                    name: "call \(number)", values: ["text": .string(String(repeating: "x", count: 10_000))], time: DispatchFixture.start,
                    position: nil)
                try await outbox.accept([.track(call)])
            }
        }
        // Three megabytes.
        #expect(try entryCount(inFileOf: fixture) >= 180)
        #expect(try Data(contentsOf: URL(filePath: fixture.path + "-wal")).count < 1_200_000)
    }
}
