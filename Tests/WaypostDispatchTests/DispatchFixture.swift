import Foundation
import Synchronization
import Waypost
import WaypostDispatch

/// A folder with an outbox, a clock that is set by hand, and a log of positions in memory.
final class DispatchFixture: Sendable {
    let folder: String
    /// Milliseconds since the start of the machine.
    let milliseconds = Mutex<Int64>(1_000_000)
    /// What time it is, as far as is known.
    let time = Mutex<UTCTime?>(DispatchFixture.start)
    let log = MemoryLog()

    /// Where the positions are from.
    static let origin = RecordOrigin(logFolder: "/var/log/waypost")
    /// 2026-05-02T03:25:02Z.
    static let start = UTCTime(millisecondsSince1970: 1_777_692_302_000)

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-dispatch-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        // What is left behind in the temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var path: String { folder + "/outbox.sqlite" }

    var clock: DispatchClock {
        DispatchClock(bootMilliseconds: { [self] in milliseconds.withLock { $0 } }, confirmedTime: { [self] in time.withLock { $0 } })
    }

    /// The outbox in a run of its own: whoever had it before is as if killed, and its lock gone.
    func outbox(limits: OutboxLimits = OutboxLimits()) throws -> Outbox {
        try unlock()
        return try Outbox(path: path, limits: limits, clock: clock)
    }

    func unlock() throws {
        if FileManager.default.fileExists(atPath: path + "-lock") { try FileManager.default.removeItem(atPath: path + "-lock") }
    }

    /// A dispatcher whose destinations send only on demand.
    func dispatcher(
        _ destinations: [(String, any Destination)], order: DestinationSettings.Order = .oldest, batchCount: Int = 8,
        interval: Duration = .zero, notify: @escaping @Sendable (DispatchNotice) -> Void = { _ in }
    ) async throws -> Dispatcher {
        let dispatcher = Dispatcher(outbox: try outbox(), supply: log, device: "box", clock: clock, notify: notify)
        for (name, destination) in destinations {
            var settings = DestinationSettings(name: name, schedule: .init(interval: interval, phaseOf: name))
            settings.order = order
            settings.batchCount = batchCount
            try await dispatcher.attach(destination, settings)
        }
        return dispatcher
    }

    static func call(_ number: Int) -> OutboxEntry {
        .track(TrackCall(name: "call \(number)", values: ["n": .integer(Int64(number))], time: start, position: position(number)))
    }

    static func position(_ second: Int) -> Position {
        guard let place = Coordinate(latitudeDegrees: 47.1 + Double(second) / 100_000, longitudeDegrees: 9.5) else {
            preconditionFailure("a place")
        }
        return Position(time: start.advanced(byMilliseconds: Int64(second) * 1_000), coordinate: place)
    }
}

/// Whether an outbox that was made anew is whole at the next start: that one tells the same loss, if there was one, and no other.
func isOnlyToldAgain(_ first: OutboxRecovery?, _ next: OutboxRecovery?) -> Bool {
    guard let first, first.lostCount != 0 else { return next == nil }
    return next?.lostCount == first.lostCount && next?.asidePath == first.asidePath && next?.waitingCount == first.waitingCount
}

/// A log of positions in memory, with numbers that leave some out.
final class MemoryLog: PositionSupply {
    private let positions = Mutex<[NumberedPosition]>([])
    let isBroken = Mutex(false)
    /// The numbers that cannot be read any more.
    let lost = Mutex<ClosedRange<UInt64>?>(nil)

    /// Logs positions of those seconds; the numbers are three times as many.
    func log(_ seconds: ClosedRange<Int>) {
        positions.withLock { positions in
            for second in seconds {
                positions.append(
                    NumberedPosition(number: UInt64(second) * 3, position: DispatchFixture.position(second), origin: DispatchFixture.origin)
                )
            }
            positions.sort { $0.number < $1.number }
        }
    }

    /// Removes positions of those seconds, as a limit of the log does.
    func remove(_ seconds: ClosedRange<Int>) {
        positions.withLock { $0.removeAll { seconds.contains(Int($0.number / 3)) } }
    }

    func positions(after number: UInt64, through last: UInt64, limit: Int) async throws(PositionSupplyError) -> PositionPage {
        if isBroken.withLock({ $0 }) { throw PositionSupplyError(reason: "the disk is gone") }
        let lost = lost.withLock { $0 }
        let all = positions.withLock { $0.filter { $0.number > number && $0.number <= last } }
        let found = all.filter { lost?.contains($0.number) != true }.prefix(limit)
        let through = found.last?.number ?? number
        let missing = all.filter { lost?.contains($0.number) == true && $0.number < through }
        return PositionPage(
            positions: Array(found), through: through, missing: missing.map { MissingPositions(through: $0.number, count: 1) })
    }

    func count(after number: UInt64, through last: UInt64) async throws(PositionSupplyError) -> Int {
        try await positions(after: number, through: last, limit: .max).positions.count
    }

    func newestNumber() async throws(PositionSupplyError) -> UInt64 { positions.withLock { $0.last?.number ?? 0 } }
}

/// A destination that does what a test says, and keeps what it took.
final class ScriptedDestination: Destination {
    struct Record: Sendable {
        var batches: [[DispatchRecord]] = []
        var devices: Set<String> = []
        var taken: [DispatchRecord] = []
        var isInside = false
        var overlaps = 0
    }

    let maximumBatchCount: Int
    private let record = Mutex(Record())
    private let answer: Mutex<@Sendable ([DispatchRecord]) -> DeliveryOutcome>

    private let carries: @Sendable (DispatchRecord) -> Bool

    init(
        maximumBatchCount: Int = 100, answer: @escaping @Sendable ([DispatchRecord]) -> DeliveryOutcome = { _ in .good },
        carries: @escaping @Sendable (DispatchRecord) -> Bool = { _ in true }
    ) {
        self.maximumBatchCount = maximumBatchCount
        self.carries = carries
        self.answer = Mutex(answer)
    }

    func setAnswer(_ answer: @escaping @Sendable ([DispatchRecord]) -> DeliveryOutcome) { self.answer.withLock { $0 = answer } }

    func obstacle(to record: DispatchRecord) -> String? { carries(record) ? nil : "it has no word for it" }

    func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        record.withLock { record in
            if record.isInside { record.overlaps += 1 }
            record.isInside = true
            record.batches.append(batch.records)
            record.devices.insert(batch.device)
        }
        await Task.yield()
        let outcome = answer.withLock { $0 }(batch.records)
        record.withLock { record in
            record.isInside = false
            switch outcome {
            case .delivered(let refused, _): record.taken += batch.records.filter { refused[$0.id] == nil }
            case .partly(let received, _, _, _): record.taken += batch.records.filter { received.contains($0.id) }
            case .temporary, .unreachable, .denied, .refused: break
            }
        }
        return outcome
    }

    var taken: [DispatchRecord] { record.withLock { $0.taken } }
    var batches: [[DispatchRecord]] { record.withLock { $0.batches } }
    /// What the device was called.
    var devices: Set<String> { record.withLock { $0.devices } }
    var overlaps: Int { record.withLock { $0.overlaps } }

    /// The names of the calls and the seconds of the positions that it took.
    var takenNames: [String] { taken.map(\.shortName) }
}

extension DeliveryOutcome {
    static var good: DeliveryOutcome { .delivered(refused: [:], answer: "200") }

    /// The server has the first so many.
    static func first(_ count: Int, of records: [DispatchRecord], answer: String = "200", then rest: DeliveryOutcome?) -> DeliveryOutcome {
        .partly(received: Set(records.prefix(count).map(\.id)), answer: answer, then: rest)
    }
}

extension Destination {
    /// Sends a batch in as many pieces as it takes on a box that is busy; the last answer, with all refusals.
    func sendAll(_ batch: DispatchBatch) async -> DeliveryOutcome {
        var (left, found) = (batch, [:] as [String: String])
        while true {
            switch await send(left) {
            case .partly(let received, let refused, _, nil) where !received.isEmpty || !refused.isEmpty:
                left.records.removeAll { received.contains($0.id) || refused[$0.id] != nil }
                found.merge(refused) { first, _ in first }
            case .delivered(let refused, let answer):
                return .delivered(refused: refused.merging(found) { first, _ in first }, answer: answer)
            case let outcome: return outcome
            }
        }
    }
}

extension DispatchRecord {
    /// `call 7`, or the second of a position.
    var shortName: String {
        switch content {
        case .track(let call): call.name
        case .position(let position):
            "\(((position.time?.millisecondsSince1970 ?? 0) - DispatchFixture.start.millisecondsSince1970) / 1_000)"
        case .event(let event): event.name
        case .health: "health"
        case .waypoints: "waypoints"
        }
    }
}

/// Something came that a test rules out.
struct Unexpected: Error {
    let what: String

    init(_ what: String) { self.what = what }
}
