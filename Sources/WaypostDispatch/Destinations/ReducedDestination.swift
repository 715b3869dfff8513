import Synchronization
import Waypost
import WaypostSystem

/// Tells another destination only about where the box is: `accuracy = "reduced"`.
///
/// What leaves is decided by `PositionReduction`: the middle of a cell of 5 km, four times an hour, and no fence events. Records that say nothing
/// new are not sent and count as delivered. What would give the exact time away goes, too: a position's id is that of its quarter of an hour
/// and this box (`r-1777692300000-0f3a5c7e9b1d`), its number that of the quarter, and its age is not said. Track calls are sent under their own
/// names and values, with ids that do not hold their time; they have a place only where no positions are sent, as both together would tell
/// eight an hour.
///
/// What was told is known until the next start of the program; the quarter that it falls into may then be told twice, under the same id.
/// - Concurrency: as every destination; it remembers what was told, once its receipt is there.
public final class ReducedDestination: Destination {
    private let destination: any Destination
    private let placesCalls: Bool
    private let told = Mutex<[DispatchLane: PositionReduction]>([:])

    /// A destination that gets what is left.
    ///
    /// - Parameters:
    ///   - destination: the one that is told.
    ///   - sendsPositions: whether positions of the log are sent to it.
    public init(_ destination: any Destination, sendsPositions: Bool) {
        self.destination = destination
        placesCalls = !sendsPositions
    }

    /// As many as the destination takes, though most of them say nothing.
    public var maximumBatchCount: Int { destination.maximumBatchCount }

    /// Why nothing of it may be told, or has a word there.
    public func obstacle(to record: DispatchRecord) -> String? {
        switch record.content {
        case .position, .health: return nil
        case .event, .waypoints: return "fences are not told at reduced accuracy"
        case .track(var call):
            if !placesCalls { call.position = nil }
            var coarse = record
            coarse.content = .track(call)
            return destination.obstacle(to: coarse)
        }
    }

    /// That of the destination behind it.
    public func hurry() { destination.hurry() }

    /// Those that say nothing new at reduced accuracy.
    public func withheld(from batch: DispatchBatch) -> Set<String> {
        Set(batch.records.map(\.id)).subtracting(reduce(batch.records).records.map { batch.records[$0.place].id })
    }

    /// Sends what of the batch may be told.
    public func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        var reduced = batch
        let (records, after) = reduce(batch.records)
        guard !records.isEmpty else {
            keep(after)
            return .delivered(refused: [:], answer: "nothing of it is sent at reduced accuracy")
        }
        reduced.records = records.map(\.coarse)
        switch await destination.send(reduced) {
        case .delivered(let refused, let answer):
            keep(after)
            let named = records.compactMap { place, coarse in refused[coarse.id].map { (batch.records[place].id, $0) } }
            return .delivered(refused: Dictionary(named) { first, _ in first }, answer: answer)
        case .partly(let received, let refused, let answer, let rest):
            let isDone = { (record: (place: Int, coarse: DispatchRecord)) in
                received.contains(record.coarse.id) || refused[record.coarse.id] != nil
            }
            // What is not told behind the first that are done is done as well.
            let end = records.first { !isDone($0) }?.place ?? batch.records.count
            keep(reduce(batch.records[..<end]).after)
            let done = records.filter(isDone)
            let named = done.compactMap { place, coarse in refused[coarse.id].map { (batch.records[place].id, $0) } }
            return .partly(
                received: batch.firstIDs(end).union(done.map { batch.records[$0.place].id }).subtracting(named.map(\.0)),
                refused: Dictionary(named) { first, _ in first }, answer: answer, then: rest)
        case let failure: return failure
        }
    }

    private func keep(_ reductions: [DispatchLane: PositionReduction]) { told.withLock { $0 = reductions } }

    /// What is told of records, each with its place among them, and what was told then.
    private func reduce(
        _ records: some Collection<DispatchRecord>
    ) -> (records: [(place: Int, coarse: DispatchRecord)], after: [DispatchLane: PositionReduction]) {
        var after = told.withLock { $0 }
        var coarse: [(place: Int, coarse: DispatchRecord)] = []
        for (place, record) in records.enumerated() {
            if let record = reduce(record, &after[record.lane, default: PositionReduction()]) { coarse.append((place, record)) }
        }
        return (coarse, after)
    }

    private func reduce(_ record: DispatchRecord, _ reduction: inout PositionReduction) -> DispatchRecord? {
        var coarse = record
        coarse.age = nil
        switch record.content {
        case .position(let position):
            guard let told = reduction.process(position), told.isNew, let start = told.position.time else { return nil }
            coarse.id = "r-\(start.millisecondsSince1970)-\(RecordOrigin.digits(ofID: record.id))"
            coarse.sequence = UInt64(clamping: told.quarter)
            coarse.content = .position(told.position)
        case .track(var call):
            coarse.id = "t-" + MachineIdentity.digits(for: record.id, digitCount: 32)
            call.time = call.time.map { PositionReduction.start(ofQuarter: PositionReduction.quarter(of: $0)) }
            call.position = placesCalls ? call.position.flatMap { reduction.process($0)?.position } : nil
            coarse.content = .track(call)
        case .event, .waypoints: return nil
        case .health: break
        }
        return coarse
    }
}
