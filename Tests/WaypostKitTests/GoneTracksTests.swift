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
    /// A server that is up or down.
    private final class Server: Destination {
        let maximumBatchCount = 100
        private let state = Mutex<(isUp: Bool, ids: [String])>((true, []))

        func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
            state.withLock { state in
                guard state.isUp else { return .temporary(reason: "down", retryAfter: nil) }
                state.ids += batch.records.map(\.id)
                return .delivered(refused: [:], answer: "200")
            }
        }

        func setUp(_ isUp: Bool) { state.withLock { $0.isUp = isUp } }
        var ids: [String] { state.withLock { $0.ids } }
    }

    /// A box with a log and an outbox.
    private final class Box: Sendable {
        let folder: String
        /// Up to date, down until it is set up, and without positions.
        let (ahead, behind, silent) = (Server(), Server(), Server())
        let order: DestinationSettings.Order
        /// Whether the log knows how far the destinations are.
        let keepsMarks: Bool
        /// What was told of the losses, by their last number.
        let told = Mutex<[UInt64: Int]>([:])

        var log: LogFolder { LogFolder(path: folder + "/log") }

        private func outbox() throws -> Outbox {
            let hasJournals = try !log.journals().isEmpty
            return try Outbox(
                path: folder + "/outbox.sqlite", marksPath: keepsMarks ? log.destinationsPath : nil, logHasJournals: hasJournals)
        }

        /// Removes the outbox and everything beside it.
        func loseOutbox() throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("outbox.sqlite") {
                try FileManager.default.removeItem(atPath: folder + "/" + name)
            }
        }

        init(_ order: DestinationSettings.Order = .oldest, keepsMarks: Bool = false) throws {
            self.keepsMarks = keepsMarks
            folder = NSTemporaryDirectory() + "waypost-gone-\(UUID().uuidString)"
            self.order = order
            try FileManager.default.createDirectory(atPath: folder + "/log", withIntermediateDirectories: true)
            behind.setUp(false)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Records tracks of 40 fixes, with a fence event in the middle of each if wanted.
        func record(_ tracks: Range<Int>, isKilled: Bool = false, hasEvents: Bool = false) async throws {
            var configuration = TrackRecorder.Configuration()
            configuration.numbersPath = folder + "/numbers"
            let recorder = try TrackRecorder(folder: log.path, configuration: configuration)
            _ = try await recorder.recover()
            let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
            for track in tracks {
                for second in 0..<40 {
                    let time = moment(track * 1_000 + second)
                    try await recorder.record(Position(time: time, coordinate: home), now: 0)
                    if hasEvents, second == 20 {
                        _ = try await recorder.record(TrackerEvent(id: "\(track)-enter", kind: "enter", name: "Gate", time: time), now: 0)
                    }
                }
                if !isKilled || track + 1 < tracks.upperBound { _ = try await recorder.finishTrack() }
            }
            if !isKilled { _ = try await recorder.close() }
        }

        /// Deletes all finished tracks by a limit; the numbers of their positions.
        func deleteByLimit(saying isCounted: Bool) async throws -> [ClosedRange<UInt64>] {
            var configuration = TrackRecorder.Configuration()
            configuration.numbersPath = folder + "/numbers"
            configuration.retention.maximumByteCount = 1
            let recorder = try TrackRecorder(folder: log.path, configuration: configuration)
            let tracks = try await recorder.applyRetention(confirmedTime: nil) { _ in isCounted }
            _ = try await recorder.close()
            return tracks.flatMap(\.positions)
        }

        private func dispatcher() async throws -> Dispatcher {
            let supply = try LogPositions(folder: log, types: [.raw]) { [self] loss, _ in
                told.withLock { $0[loss.through] = max($0[loss.through] ?? 0, loss.count) }
            }
            let dispatcher = Dispatcher(outbox: try outbox(), supply: supply, device: "box")
            for (name, server) in [("ahead", ahead), ("behind", behind), ("silent", silent)] {
                var settings = DestinationSettings(name: name, schedule: .init(interval: .zero, phaseOf: name))
                settings.sendsPositions = name != "silent"
                (settings.order, settings.batchCount) = (order, 10)
                try await dispatcher.attach(server, settings)
            }
            try await dispatcher.finishAttaching()
            return dispatcher
        }

        /// Counts what a limit has deleted, as a tracker does whose outbox can be written again.
        func count(_ gone: [ClosedRange<UInt64>]) async throws {
            let dispatcher = try await dispatcher()
            let stretches = gone.map { PositionCursor.Stretch(after: $0.lowerBound - 1, through: $0.upperBound) }
            try await dispatcher.noteGone(stretches, because: "max_bytes")
            await dispatcher.stop()
        }

        /// A run that sends; what each destination has dropped.
        @discardableResult
        func send() async throws -> [String: Int] {
            let dispatcher = try await dispatcher()
            _ = try await dispatcher.dispatch()
            let states = try await dispatcher.outbox.destinations()
            await dispatcher.stop()
            return Dictionary(uniqueKeysWithValues: states.map { ($0.name, $0.droppedCount) })
        }

        /// The journal of a track, and its numbers up to those of the next one.
        func journal(_ track: Int) throws -> (stem: String, numbers: ClosedRange<UInt64>) {
            let journals = try log.journals()
            return (journals[track].stem, journals[track].firstSequence...journals[track + 1].firstSequence - 1)
        }

        func remove(_ stem: String) throws {
            for path in ["\(log.path)/\(stem).gpx", "\(log.path)/journal/\(stem).journal"] {
                try FileManager.default.removeItem(atPath: path)
            }
        }

        /// What the ledger says is lost.
        func ledger() async throws -> [ClosedRange<UInt64>] {
            try await LogPositions(folder: log, types: [.raw]).records(after: 0, since: moment(-1), limit: 10_000).compactMap {
                if case .lost(let loss) = $0 { loss.after + 1...loss.through } else { nil }
            }
        }

        func expectNone(_ dropped: [String: Int]) {
            for name in ["ahead", "behind", "silent"] { #expect(dropped[name] == 0, "\(name)") }
        }
    }

    /// By the numbers, whether the log was repaired or not, and with the first track among them or the last.
    @Test(arguments: [DestinationSettings.Order.oldest, .live], [[1, 3], [0, 1, 2], [5]]) func areCountedByTheirNumbers(
        order: DestinationSettings.Order, gone: [Int]
    ) async throws {
        for isRepaired in [false, true] {
            let box = try Box(order)
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
        let box = try Box()
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
        let box = try Box()
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
        let box = try Box()
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
            let box = try Box()
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
        let box = try Box()
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

    /// What limits deleted is told and counted to the position, also when the outbox could not count it then, and once when it did so later.
    @Test(arguments: [DestinationSettings.Order.oldest, .live], [false, true]) func areCountedWhenLimitsDeletedThemUncounted(
        order: DestinationSettings.Order, isCountedLater: Bool
    ) async throws {
        let box = try Box(order)
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
        let box = try Box(keepsMarks: true)
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
        let box = try Box()
        let told = Mutex<[LostRecords: Int]>([:])
        let supply = try LogPositions(folder: box.log, types: [.raw]) { loss, kind in told.withLock { $0[kind, default: 0] += loss.count } }
        let (logged, outbox) = (LoggedEvents(positions: supply), try Outbox(path: box.folder + "/outbox.sqlite"))
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

    /// The outbox has counted them: nobody does so again.
    @Test func areNotCountedByReadersWhenTheOutboxHas() async throws {
        let box = try Box()
        _ = try await box.send()
        try await box.record(0..<3)
        try await box.count(try await box.deleteByLimit(saying: true))
        try await box.record(3..<4)
        box.behind.setUp(true)
        #expect(try await box.send() == ["ahead": 120, "behind": 120, "silent": 0])
        #expect(box.told.withLock { $0.isEmpty })
    }

    /// What was erased, or deleted by a limit, is not lost; a limit counts what it deletes itself.
    @Test func areNotThoseThatWereErased() async throws {
        let box = try Box()
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

extension LogReader {
    /// The numbers that a reader of everything misses.
    fileprivate static func missed(in folder: LogFolder, besides deleted: Deleted?) throws -> [ClosedRange<UInt64>] {
        var reader = LogReader(folder: folder, from: .after(0))
        reader.missesDeleted = deleted
        var missed: [ClosedRange<UInt64>] = []
        while try reader.next() != nil { missed += reader.takeLosses().map { $0.after + 1...$0.through } }
        return missed
    }
}
