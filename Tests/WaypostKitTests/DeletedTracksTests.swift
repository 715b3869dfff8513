import Foundation
import Synchronization
import Testing
import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

@testable import WaypostKit

/// Tracks that the limits of the log delete before every destination has them, and what else a destination will never get.
@Suite struct DeletedTracksTests {
    /// What limits deleted is told and counted to the position, also when the outbox could not count it then, and once when it did so later.
    @Test(arguments: [DestinationSettings.Order.oldest, .live], [false, true]) func areCountedWhenLimitsDeletedThemUncounted(
        order: DestinationSettings.Order, isCountedLater: Bool
    ) async throws {
        let box = try SendingBox(order)
        _ = try await box.send()
        try await box.record(0..<3)
        _ = try await box.send()
        try await box.record(3..<5)
        let gone = try await box.deleteByLimit(saying: false)
        #expect(gone.reduce(0) { $0 + $1.count } == 200)
        try await box.record(5..<6)
        #expect(try LogReader.missed(in: box.log, besides: .positions) == gone)
        // It is nothing to miss for anybody else.
        #expect(try LogReader.missed(in: box.log, besides: nil) == [])
        if isCountedLater { try await box.count(gone) }
        _ = try await box.send()
        box.behind.setUp(true)
        try await box.record(6..<7)
        for _ in 0..<2 { #expect(try await box.send() == ["ahead": 80, "behind": 200, "silent": 0]) }
        if isCountedLater { try await box.count(gone) }
        #expect(try await box.send() == ["ahead": 80, "behind": 200, "silent": 0])
        #expect(box.told.withLock { $0.isEmpty })
        #expect(try await box.ledger() == [])
    }

    /// The outbox, which had counted them, is lost: they are counted again, and what had been passed before stays counted.
    @Test func areCountedAgainWhenTheOutboxIsLost() async throws {
        let box = try SendingBox(keepsMarks: true)
        _ = try await box.send()
        try await box.record(0..<3)
        _ = try await box.send()
        let gone = try await box.deleteByLimit(saying: true)
        try await box.record(3..<4)
        try await box.count(gone)
        try box.loseOutbox()
        box.behind.setUp(true)
        for _ in 0..<2 {
            let dropped = try await box.send()
            #expect(dropped == ["ahead": 0, "behind": 120, "silent": 0])
        }
        #expect(box.behind.ids.count == 40)
        try box.loseOutbox()
        try await box.record(4..<5)
        #expect(try await box.send() == ["ahead": 0, "behind": 120, "silent": 0])
        // Nobody knows what they have: nothing is counted that they may have.
        try box.loseOutbox()
        try FileManager.default.removeItem(atPath: box.log.destinationsPath)
        #expect(try await box.send() == ["ahead": 0, "behind": 0, "silent": 0])
        #expect(Set(box.ahead.ids).count == 200 && Set(box.behind.ids).count == 80)
        #expect(box.told.withLock { $0.isEmpty })
    }

    /// What a limit deleted with fence events that the outbox never took is told and counted, of these and of no others.
    @Test func withEventsThatWereNeverQueuedAreCounted() async throws {
        let box = try SendingBox()
        let told = Mutex<[LostRecords: Int]>([:])
        let supply = try LogPositions(folder: box.log, types: [.raw]) { loss, kind in told.withLock { $0[kind, default: 0] += loss.count } }
        let (logged, outbox) = (LoggedEvents(of: supply), try Outbox(path: box.folder + "/outbox.sqlite"))
        for name in ["here", "there"] { _ = try await outbox.attach(name, newestPosition: 0) }
        try await box.record(0..<1, hasEvents: true)
        #expect(try await logged.offer(to: outbox) == nil)
        try await box.record(1..<3, hasEvents: true)
        _ = try await box.deleteByLimit(saying: false)
        try await box.record(3..<4, hasEvents: true)
        for _ in 0..<2 { #expect(try await logged.offer(to: outbox) == nil) }
        #expect(told.withLock { $0 } == [.events: 2])
        // Two of the three after the first offer, for each.
        let counts = try await outbox.destinations().map { [$0.droppedCount, $0.waitingEventCount] }
        #expect(counts == [[2, 1], [2, 1]], "\(counts)")
    }

    /// A destination that was removed before the outbox was lost gets the events from before its removal, and those after its return.
    @Test func fromATimeWithoutADestinationAreNotForIt() async throws {
        let box = try SendingBox(keepsMarks: true)
        try await box.record(0..<1)
        #expect(try await box.queue(["here", "old"], 1..<3) == ["here": 2, "old": 2])
        #expect(try await box.queue(["here"], 3..<6) == ["here": 5, "old": 2])
        for _ in 0..<2 {
            try box.loseOutbox()
            #expect(try await box.queue(["here"], 6..<6) == ["here": 5, "old": 2])
        }
        #expect(try await box.queue(["here", "old"], 6..<7) == ["here": 6, "old": 3])
    }

    /// The outbox has counted them: nobody does so again.
    @Test func areNotCountedByReadersWhenTheOutboxHas() async throws {
        let box = try SendingBox()
        _ = try await box.send()
        try await box.record(0..<3)
        try await box.count(try await box.deleteByLimit(saying: true))
        try await box.record(3..<4)
        box.behind.setUp(true)
        #expect(try await box.send() == ["ahead": 120, "behind": 120, "silent": 0])
        #expect(box.told.withLock { $0.isEmpty })
    }
}
