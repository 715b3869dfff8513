import Synchronization
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// Servers that confirm record by record: what has its receipt is behind us, however the rest ends.
@Suite struct PartlyDeliveredTests {
    private func drain(_ dispatcher: Dispatcher, attempts: Int = 40) async throws {
        for _ in 0..<attempts { _ = try await dispatcher.dispatch() }
    }

    @Test(
        arguments: [nil, .temporary(reason: "busy", retryAfter: nil), .unreachable(reason: "gone"), .denied(reason: "401")]
            as [DeliveryOutcome?])
    func sendsOnlyTheRestAgain(rest: DeliveryOutcome?) async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { records in records.count > 3 ? .partly(count: 3, answer: "200", then: rest) : .good }
        let dispatcher = try await fixture.dispatcher([("a", destination)])
        fixture.log.log(1...20)
        try await dispatcher.accept((1...10).map(DispatchFixture.call))
        try await drain(dispatcher, attempts: 12)
        #expect(destination.takenNames == (1...10).map { "call \($0)" } + (1...20).map { "\($0)" })
        #expect(try await dispatcher.statuses()[0].positionsBehind == 0)
    }

    @Test func saysWhatStoppedItThere() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { _ in .partly(count: 2, answer: "200", then: .temporary(reason: "busy", retryAfter: nil)) }
        let dispatcher = try await fixture.dispatcher([("a", destination)])
        try await dispatcher.accept((1...8).map(DispatchFixture.call))
        #expect(try await dispatcher.dispatch() == .error(reason: "busy"))
        #expect(try await dispatcher.statuses()[0].failure == "busy")
        #expect(destination.takenNames == ["call 1", "call 2"])
    }

    @Test func looksForTheOneToBlameOnlyAmongTheOthers() async throws {
        let fixture = try DispatchFixture()
        // As a server that takes one after the other and refuses two of them.
        let destination = ScriptedDestination { records in
            guard let bad = records.firstIndex(where: { ["call 4", "call 9"].contains($0.shortName) }) else { return .good }
            let refusal = DeliveryOutcome.refused(reason: "422: no")
            return bad == 0 ? refusal : .partly(count: bad, answer: "200", then: refusal)
        }
        let dispatcher = try await fixture.dispatcher([("a", destination)])
        try await dispatcher.accept((1...12).map(DispatchFixture.call))
        try await drain(dispatcher)
        #expect(destination.takenNames == [1, 2, 3, 5, 6, 7, 8, 10, 11, 12].map { "call \($0)" })
        #expect(try await dispatcher.outbox.deadLetters().map(\.record.shortName) == ["call 4", "call 9"])
    }

    // MARK: - Over HTTP

    private func destination(_ url: String, timeout: Duration = .seconds(5)) throws -> HTTPDestination {
        var settings = HTTPDestination.Settings(url: url)
        settings.client.timeout = timeout
        return try HTTPDestination(settings, format: TraccarFormat(device: "van-7"))
    }

    private func batch(_ count: Int) -> DispatchBatch {
        DispatchBatch(
            device: "box", time: DispatchFixture.start,
            records: (1...count).map { number in
                DispatchRecord(
                    id: "p-\(number)-0", lane: .live, sequence: UInt64(number), age: nil,
                    content: .position(DispatchFixture.position(number)))
            })
    }

    @Test func confirmsWhatIsBeforeAFailure() async throws {
        let server = try await FlakyServer("poison p-5-0")
        let destination = try destination(server.url)
        #expect(
            await destination.send(batch(10))
                == .partly(count: 4, answer: "200: {}", then: .refused(reason: #"422: {"error":"no such parcel"}"#)))
        #expect(try server.received().count == 4 && server.requests().count == 5)
        try server.setMode("poison p-1-0")
        #expect(await destination.send(batch(10)) == .refused(reason: #"422: {"error":"no such parcel"}"#))
    }

    @Test func endsWithItsTimeAndSaysHowFarItCame() async throws {
        let server = try await FlakyServer("slow 0.4")
        guard case .partly(let count, _, nil) = await (try destination(server.url, timeout: .seconds(1))).send(batch(10)) else {
            throw Unexpected("ten take four seconds")
        }
        #expect((1...4).contains(count))
        #expect(try server.received().count == count)
    }

    /// The whole way, with a link that fails every few requests: all of it, in order, and little of it twice.
    @Test func getsThroughAFlakyServerRecordByRecord() async throws {
        let server = try await FlakyServer("flaky 11")
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("traccar", try destination(server.url))], batchCount: 50)
        fixture.log.log(1...150)
        var attempts = 0
        while try await dispatcher.statuses()[0].positionsBehind > 0, attempts < 400 {
            attempts += 1
            _ = try await dispatcher.dispatch()
        }
        let received = try server.received().compactMap { $0["recordId"]?.string }
        var seen: Set<String> = []
        let first = received.filter { seen.insert($0).inserted }
        #expect(first == (1...150).map { NumberedPosition(number: UInt64($0) * 3, position: DispatchFixture.position($0)).id })
        // A broken answer makes one repeat, or two when libcurl tries on a new connection; batches that were sent whole would make thousands.
        #expect(received.count < 300)
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
    }
}
