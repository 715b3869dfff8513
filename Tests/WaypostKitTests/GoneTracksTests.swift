import Foundation
import Synchronization
import Testing
import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

@testable import WaypostKit

/// Tracks that are gone with their journals before every destination had them: each destination counts what it will never get, once.
@Suite struct GoneTracksTests {
    /// By the numbers, whether the log was repaired or not, and with the first track among them or the last.
    @Test(arguments: [DestinationSettings.Order.oldest, .live], [[1, 3], [0, 1, 2], [5]]) func areCountedByTheirNumbers(
        order: DestinationSettings.Order, gone: [Int]
    ) async throws {
        for isRepaired in [false, true] {
            let box = try SendingBox(order)
            box.expectNone(try await box.send())
            try await box.record(0..<6)
            box.expectNone(try await box.send())
            #expect(box.ahead.ids.count == 240)
            try await box.record(6..<7)
            let numbers = try gone.map { try box.journal($0) }
            let count = numbers.reduce(0) { $0 + $1.numbers.count }
            for journal in numbers { try box.remove(journal.stem) }
            if isRepaired { #expect(try LogMaintenance(folder: box.log).recover().forgottenPaths.count == gone.count) }
            _ = try await box.send()
            try await box.record(7..<8)
            box.behind.setUp(true)
            for _ in 0..<2 {
                #expect(try await box.send() == ["ahead": 0, "behind": count, "silent": 0], "\(gone), \(isRepaired)")
            }
            #expect(box.behind.ids.count == 40 * (8 - gone.count) && Set(box.behind.ids).count == box.behind.ids.count)
            #expect(Set(box.ahead.ids).count == 320 && box.silent.ids.isEmpty)
            // The message log and the ledger say the same.
            #expect(box.told.withLock { $0.values.reduce(0, +) } == count)
            #expect(try await box.ledger().reduce(0) { $0 + $1.count } == count)
        }
    }

    /// More than a reader keeps for those who ask later.
    @Test func areAllCountedWhenTheyFollowEachOther() async throws {
        let box = try SendingBox()
        _ = try await box.send()
        try await box.record(0..<104)
        let journals = try (1..<101).map { try box.journal($0) }
        for journal in journals { try box.remove(journal.stem) }
        box.behind.setUp(true)
        let count = journals.reduce(0) { $0 + $1.numbers.count }
        #expect(try await box.send() == ["ahead": count, "behind": count, "silent": 0])
    }

    /// The last track goes while the tracker stands: who has it is not behind, though the log ends before.
    @Test(arguments: [false, true]) func atTheEndAreNotCountedForThoseWhoHaveThem(isRepaired: Bool) async throws {
        let box = try SendingBox()
        _ = try await box.send()
        try await box.record(0..<3)
        _ = try await box.send()
        let first = try #require(try box.log.journals().last)
        try box.remove(first.stem)
        if isRepaired { _ = try LogMaintenance(folder: box.log).recover() }
        _ = try TrackRecorder(folder: box.log.path)
        _ = try await box.send()
        try await box.record(3..<4)
        box.behind.setUp(true)
        let next = try #require(try box.log.journals().last).firstSequence
        #expect(try await box.send() == ["ahead": 0, "behind": Int(next - first.firstSequence), "silent": 0])
        #expect(box.ahead.ids.count == 160 && box.behind.ids.count == 120)
    }

    /// Numbers that a tracker reserved and never gave are no loss, when a run after it has seen that.
    @Test func endWhereAKilledTrackerEnded() async throws {
        let box = try SendingBox()
        _ = try await box.send()
        try await box.record(0..<2, isKilled: true)
        try await box.record(2..<4)
        let journal = try box.journal(1)
        try #require(journal.numbers.count > 60_000)
        try box.remove(journal.stem)
        box.behind.setUp(true)
        let dropped = try await box.send()
        #expect([40, 41].contains(dropped["behind"]) && dropped["silent"] == 0, "\(dropped)")
        #expect(box.behind.ids.count == 120)
        #expect(try await box.ledger().reduce(0) { $0 + $1.count } == dropped["behind"])
    }

    /// Nothing is left before what is gone, and a kill leaves out numbers behind it.
    @Test(arguments: [false, true]) func atTheStartAreInTheLedger(isRepaired: Bool) async throws {
        for count in 1...2 {
            let box = try SendingBox()
            _ = try await box.send()
            try await box.record(0..<count, isKilled: true)
            try await box.record(count..<4)
            let journals = try (0..<count).map { try box.journal($0) }
            for journal in journals { try box.remove(journal.stem) }
            if isRepaired { _ = try LogMaintenance(folder: box.log).recover() }
            box.behind.setUp(true)
            let dropped = try #require(try await box.send()["behind"])
            #expect((40 * count...42 * count).contains(dropped))
            #expect(try await box.ledger().reduce(0) { $0 + $1.count } == dropped)
            // What was lost before the requested time is not in that time.
            let later = try await LogPositions(folder: box.log, types: [.raw]).records(after: 0, since: moment(3_010), limit: 100)
            #expect(later.count == 30)
        }
    }

    /// What is not in an older copy of the log.
    @Test(arguments: [false, true]) func thatAnOlderCopyLacksAreCounted(isKilled: Bool) async throws {
        let box = try SendingBox()
        _ = try await box.send()
        try await box.record(0..<1)
        try FileManager.default.copyItem(atPath: box.log.path, toPath: box.folder + "/copy")
        try await box.record(1..<4, isKilled: isKilled)
        _ = try await box.send()
        #expect(box.ahead.ids.count == 160)
        let last = try box.log.lastSequence()
        let start = try #require(try box.log.journals().dropFirst().first).firstSequence
        try FileManager.default.removeItem(atPath: box.log.path)
        try FileManager.default.moveItem(atPath: box.folder + "/copy", toPath: box.log.path)
        try await box.record(4..<4)
        _ = try await box.send()
        try await box.record(4..<5)
        box.behind.setUp(true)
        for _ in 0..<2 {
            let dropped = try await box.send()
            let (ahead, behind) = (try #require(dropped["ahead"]), try #require(dropped["behind"]))
            // After a kill nobody knows to the last number what was given.
            let excess = ahead
            #expect(isKilled ? (0...1_100).contains(excess) : excess == 0)
            #expect(behind == Int(last + 1 - start) + excess && dropped["silent"] == 0)
            #expect(try await box.ledger().reduce(0) { $0 + $1.count } == behind)
        }
        #expect(box.ahead.ids.count == 200 && box.behind.ids.count == 80)
    }

    /// What was erased, or deleted by a limit, is not lost; a limit counts what it deletes itself.
    @Test func areNotThoseThatWereErased() async throws {
        let box = try SendingBox()
        _ = try await box.send()
        try await box.record(0..<6)
        let (erased, gone) = (try box.journal(3), try box.journal(2))
        _ = try LogMaintenance(folder: box.log).erase(from: moment(3_000), to: moment(4_000))
        try box.remove(gone.stem)
        _ = try LogMaintenance(folder: box.log).recover()
        box.behind.setUp(true)
        #expect(try await box.send()["behind"] == gone.numbers.count)
        #expect(try await box.ledger() == [gone.numbers] && erased.numbers.lowerBound == gone.numbers.upperBound + 1)
    }
}
