import Waypost
import WaypostDispatch

/// Checks that a destination keeps the contract of `Destination`; for our destinations and for yours.
///
/// ```swift
/// let violations = await DestinationContract().violations(of: MyDestination(server))
/// #expect(violations.isEmpty, "\(violations)")
/// ```
/// Its server must be there, and accept everything while this runs. How a destination handles a server that is busy, refuses, lies or
/// is not there cannot be checked here; that is for its own tests.
public struct DestinationContract: Sendable {
    /// How long a batch may take.
    public var patience: Duration

    /// A check with that patience.
    public init(patience: Duration = .seconds(10)) {
        self.patience = patience
    }

    /// Where the destination breaks the contract; empty when it keeps it.
    public func violations(of destination: any Destination) async -> [Violation] {
        var found: [Violation] = []
        if destination.maximumBatchCount < 1 { found.append(Violation("the largest batch has \(destination.maximumBatchCount) records")) }
        for (kind, record) in DestinationContract.oddRecords {
            found += await check(destination, [record], "a batch with one record, \(kind)")
        }
        let count = min(max(1, destination.maximumBatchCount), 500)
        let full = (1...count).map(DestinationContract.record)
        found += await check(destination, full, "a full batch of \(count)")
        found += await check(destination, full, "the same batch again")
        found += await checkCancelled(destination, full)
        return found
    }

    private func check(_ destination: any Destination, _ records: [DispatchRecord], _ what: String) async -> [Violation] {
        let start = ContinuousClock.now
        var outcome = await destination.send(DestinationContract.batch(records))
        // A destination that takes long reports progress in between, and continues.
        var left = records
        while case .partly(let received, let refused, _, nil) = outcome, refused.isEmpty, ContinuousClock.now - start < patience {
            let count = left.count
            left.removeAll { received.contains($0.id) }
            if left.isEmpty || left.count == count { break }
            outcome = await destination.send(DestinationContract.batch(left))
        }
        var found: [Violation] = []
        if ContinuousClock.now - start > patience { found.append(Violation("\(what) took \(ContinuousClock.now - start)")) }
        switch outcome {
        case .delivered(let refused, _):
            let ids = Set(records.map(\.id))
            let strangers = refused.keys.filter { !ids.contains($0) }.sorted()
            if !strangers.isEmpty { found.append(Violation("\(what): refused what it was not sent: \(strangers)")) }
            if !refused.isEmpty { found.append(Violation("\(what): \(refused.count) were refused")) }
        case .partly, .temporary, .unreachable, .denied, .refused: found.append(Violation("\(what) was not delivered: \(outcome)"))
        }
        return found
    }

    // Whatever it answers, it must answer soon.
    private func checkCancelled(_ destination: any Destination, _ records: [DispatchRecord]) async -> [Violation] {
        let start = ContinuousClock.now
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await destination.send(DestinationContract.batch(records))
        }
        _ = await task.value
        let time = ContinuousClock.now - start
        return time > .seconds(3) ? [Violation("a cancelled batch took \(time)")] : []
    }

    // MARK: - What is sent

    private static func batch(_ records: [DispatchRecord]) -> DispatchBatch {
        DispatchBatch(device: "contract", time: start, records: records)
    }

    private static let start = UTCTime(millisecondsSince1970: 1_777_692_302_000)

    private static func record(_ number: Int) -> DispatchRecord {
        DispatchRecord(
            id: "p-\(number)-0", lane: .live, sequence: UInt64(number), age: .milliseconds(250 * number),
            content: .position(position(number)))
    }

    private static func position(_ second: Int) -> Position {
        guard let place = Coordinate(latitudeDegrees: 47.1 + Double(second % 1_000) / 10_000, longitudeDegrees: 9.5) else {
            preconditionFailure("a place")
        }
        var position = Position(time: start.advanced(byMilliseconds: Int64(second) * 1_000), coordinate: place)
        position.speedMetresPerSecond = 13.5
        position.courseDegrees = 96.25
        position.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .gst)
        return position
    }

    /// Every kind of record, with as few and as many fields as possible.
    private static var oddRecords: [(String, DispatchRecord)] {
        guard let pole = Coordinate(latitudeDegrees: -90, longitudeDegrees: -180),
            let origin = Coordinate(latitudeDegrees: 0, longitudeDegrees: 0)
        else { preconditionFailure("places") }
        let words = "Tür \"7\" \\ 東京 \u{1F697}\n\t"
        func record(_ id: String, _ content: DispatchRecord.Content, age: Duration? = nil) -> DispatchRecord {
            DispatchRecord(id: id, lane: .events, sequence: 1, age: age, content: content)
        }
        return [
            ("a position with nothing but a place", record("p-1-0", .position(Position(time: nil, coordinate: pole)))),
            ("a position at 0, 0", record("p-2-0", .position(Position(time: start, coordinate: origin)), age: .zero)),
            (
                "an event without time and place",
                record("a-enter", .event(TrackerEvent(id: "a-enter", kind: "enter", name: "Yard", time: nil, payload: .init(visit: 7))))
            ),
            (
                "an event",
                record(
                    "a-enter",
                    .event(TrackerEvent(id: "a-enter", kind: "enter", name: words, time: start, position: position(3))))
            ),
            ("a track call without values", record("t-1", .track(TrackCall(name: "ping", values: [:], time: nil, position: nil)))),
            (
                "a track call with odd words",
                record(
                    "t-2",
                    .track(
                        TrackCall(
                            name: words, values: [words: .string(words), "count": .integer(7), "ok": .bool(true), "list": .array([.null])],
                            time: start, position: position(4))), age: .seconds(86_400))
            ),
            ("health", record("h-1", .health(.object(["version": .string("0.1.0"), "queue": .integer(0)])))),
        ]
    }
}
