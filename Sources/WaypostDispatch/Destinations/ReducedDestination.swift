import Synchronization
import Waypost
import WaypostSystem

/// Reports only the approximate position to another destination: `accuracy = "reduced"`.
///
/// `PositionReduction` decides what is sent: the middle of a cell of 5 km, four times an hour, and no fence events. Records without news are
/// not sent and count as delivered. Everything that would reveal the exact time is removed, too: a position's id is made from its quarter of an
/// hour and this device (`r-1777692300000-0f3a5c7e9b1d`), its number from the quarter, and its age is left out. Track calls are sent with
/// their own names and values, and with ids that do not contain their time; they have a place only where no positions are sent, as both together
/// would reveal eight places an hour.
///
/// It remembers what was sent until the program is started again; the current quarter may then be sent twice, under the same id.
/// - Concurrency: as every destination; it remembers what was sent, once it has the receipt.
public final class ReducedDestination: Destination {
    private let destination: any Destination
    private let placesCalls: Bool
    private let told = Mutex<[DispatchLane: PositionReduction]>([:])

    /// A destination that gets the reduced records.
    ///
    /// - Parameters:
    ///   - destination: the destination that is sent to.
    ///   - sendsPositions: whether positions of the log are sent to it.
    public init(_ destination: any Destination, sendsPositions: Bool) {
        self.destination = destination
        placesCalls = !sendsPositions
    }

    /// As many as the destination accepts, although most of them hold no news.
    public var maximumBatchCount: Int { destination.maximumBatchCount }

    /// Why a record may not be sent at all, or cannot be expressed there.
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

    /// Hurries the destination behind it.
    public func hurry() { destination.hurry() }

    /// The records that hold no news at reduced accuracy.
    public func withheld(from batch: DispatchBatch) -> Set<String> {
        Set(batch.records.map(\.id)).subtracting(reduce(batch.records).records.map { batch.records[$0.place].id })
    }

    /// Sends the records of the batch that may be sent.
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
            // Records that are not sent, and follow the first delivered ones, count as delivered as well.
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

    /// The reduced records, each with its place among the originals, and what has been sent after them.
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
