import Foundation
import Synchronization
import Testing
import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

@testable import WaypostKit

/// A server that is up or down; it keeps the ids of what it takes.
final class TestServer: Destination {
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
final class SendingBox: Sendable {
    let folder: String
    /// Up to date, down until it is set up, and without positions.
    let (ahead, behind, silent) = (TestServer(), TestServer(), TestServer())
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

    /// A run with one or both of two destinations, to which nothing is sent; how many events wait for each.
    func queue(_ names: [String], _ tracks: Range<Int>) async throws -> [String: Int] {
        let supply = try LogPositions(folder: log, types: [.raw])
        let (logged, outbox) = (LoggedEvents(of: supply), try outbox())
        _ = try await logged.offer(to: outbox)
        let dispatcher = Dispatcher(outbox: outbox, supply: supply, device: "box")
        for name in names {
            try await dispatcher.attach(behind, DestinationSettings(name: name, schedule: .init(interval: .zero, phaseOf: name)))
        }
        try await dispatcher.finishAttaching()
        try await record(tracks, hasEvents: true)
        _ = try await logged.offer(to: outbox)
        let states = try await outbox.destinations()
        await dispatcher.stop()
        return Dictionary(uniqueKeysWithValues: states.map { ($0.name, $0.waitingEventCount) })
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

extension LogReader {
    /// The numbers that a reader of everything misses.
    static func missed(in folder: LogFolder, besides deleted: Deleted?) throws -> [ClosedRange<UInt64>] {
        var reader = LogReader(folder: folder, from: .after(0))
        reader.missesDeleted = deleted
        var missed: [ClosedRange<UInt64>] = []
        while try reader.next() != nil { missed += reader.takeLosses().map { $0.after + 1...$0.through } }
        return missed
    }
}
