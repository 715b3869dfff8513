import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// What leaves for a destination that may know about where the box is and no better.
@Suite struct ReducedDestinationTests {
    private let box = "0f3a5c7e9b1d"

    private func batch(_ contents: [DispatchRecord.Content], lane: DispatchLane = .live) -> DispatchBatch {
        DispatchBatch(
            device: "box", time: DispatchFixture.start,
            records: contents.enumerated().map { index, content in
                DispatchRecord(id: "x-\(index)-\(box)", lane: lane, sequence: UInt64(index + 1), age: .seconds(3), content: content)
            })
    }

    private func call(_ second: Int) -> DispatchRecord.Content {
        .track(
            TrackCall(
                id: "t-\(second)", name: "n", values: [:], time: DispatchFixture.position(second).time,
                position: DispatchFixture.position(second)))
    }

    @Test func tellsOneOfAQuarterOfAnHourAndNoExactTime() async throws {
        let inner = ScriptedDestination()
        let destination = ReducedDestination(inner, sendsPositions: true)
        let positions = (0..<1_800).map { DispatchRecord.Content.position(DispatchFixture.position($0)) }
        for start in stride(from: 0, to: 1_800, by: 100) {
            guard case .delivered = await destination.send(batch(Array(positions[start..<start + 100]))) else {
                throw Unexpected("it takes all")
            }
        }
        // 03:25:02 to 03:55:01: three quarters of an hour.
        #expect(inner.taken.map(\.id) == ["r-1777691700000", "r-1777692600000", "r-1777693500000"].map { "\($0)-\(box)" })
        #expect(inner.taken.compactMap(\.time?.millisecondsSince1970) == [1_777_691_700_000, 1_777_692_600_000, 1_777_693_500_000])
        #expect(Set(inner.taken.compactMap(\.position?.coordinate)).count == 1)
        #expect(inner.taken.allSatisfy { $0.age == nil && $0.position?.accuracy?.origin == .reduced })
        #expect(inner.taken.map(\.sequence) == [1_975_213, 1_975_214, 1_975_215])
    }

    @Test func tellsTheSameAgainAfterAFailure() async throws {
        let inner = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let destination = ReducedDestination(inner, sendsPositions: true)
        let batch = batch([.position(DispatchFixture.position(1))])
        #expect(await destination.send(batch) == .temporary(reason: "busy", retryAfter: nil))
        #expect(await destination.send(batch) == .temporary(reason: "busy", retryAfter: nil))
        #expect(inner.batches.count == 2 && inner.batches[0] == inner.batches[1])
        inner.setAnswer { records in .delivered(refused: [records[0].id: "no"], answer: "200") }
        #expect(await destination.send(batch) == .delivered(refused: ["x-0-\(box)": "no"], answer: "200"))
        guard case .delivered = await destination.send(batch) else { throw Unexpected("nothing new") }
        #expect(inner.batches.count == 3, "it was told")
    }

    @Test func countsWhatIsNotToldToThePartThatIsDone() async throws {
        let inner = ScriptedDestination { records in records.count > 1 ? .first(1, of: records, then: nil) : .good }
        let destination = ReducedDestination(inner, sendsPositions: true)
        let seconds = [0, 1, 2, 600, 601, 1_500, 1_501]
        let batch = batch(seconds.map { .position(DispatchFixture.position($0)) })
        #expect(await destination.send(batch) == .first(3, of: batch.records, then: nil))
        var rest = batch
        rest.records.removeFirst(3)
        #expect(await destination.send(rest) == .first(2, of: rest.records, then: nil))
        #expect(inner.taken.map(\.id) == ["r-1777691700000", "r-1777692600000"].map { "\($0)-\(box)" })
    }

    @Test func tellsNoFenceAndCallsWithoutAPlaceBesidePositions() async throws {
        let inner = ScriptedDestination()
        let event = TrackerEvent(id: "e", kind: "enter", name: "Yard", time: nil, position: DispatchFixture.position(1))
        _ = await ReducedDestination(inner, sendsPositions: true).send(batch([.event(event), call(1), .health(.null)], lane: .events))
        #expect(inner.taken.map(\.shortName) == ["n", "health"])
        #expect(inner.taken[0].position == nil && inner.taken[0].time?.millisecondsSince1970 == 1_777_691_700_000)
        let alone = ScriptedDestination()
        _ = await ReducedDestination(alone, sendsPositions: false).send(batch((0..<1_000).map(call), lane: .events))
        #expect(alone.taken.count == 1_000 && Set(alone.taken.compactMap(\.position)).count == 2)
    }

    @Test func keepsTheContractOfDestinations() async throws {
        let server = try await FlakyServer()
        let destination = ReducedDestination(try HTTPDestination(.init(url: server.url)), sendsPositions: true)
        let violations = await DestinationContract().violations(of: destination)
        #expect(violations.isEmpty, "\(violations)")
        #expect(try server.received().allSatisfy { $0["speed"] == nil && $0["track"] == nil && $0["class"]?.string != "EVENT" })
    }
}
