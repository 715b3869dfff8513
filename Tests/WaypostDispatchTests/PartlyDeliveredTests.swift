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
        let destination = ScriptedDestination { records in records.count > 3 ? .first(3, of: records, then: rest) : .good }
        let dispatcher = try await fixture.dispatcher([("a", destination)])
        fixture.log.log(1...20)
        try await dispatcher.accept((1...10).map(DispatchFixture.call))
        try await drain(dispatcher, attempts: 12)
        #expect(destination.takenNames == (1...10).map { "call \($0)" } + (1...20).map { "\($0)" })
        #expect(try await dispatcher.statuses()[0].waitingPositionCount == 0)
    }

    @Test func saysWhatStoppedItThere() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { .first(2, of: $0, then: .temporary(reason: "busy", retryAfter: nil)) }
        let dispatcher = try await fixture.dispatcher([("a", destination)])
        try await dispatcher.accept((1...8).map(DispatchFixture.call))
        #expect(try await dispatcher.dispatch().failures.map(\.reason) == ["busy"])
        #expect(try await dispatcher.statuses()[0].failure == "busy")
        #expect(destination.takenNames == ["call 1", "call 2"])
    }

    @Test func looksForTheOneToBlameOnlyAmongTheOthers() async throws {
        let fixture = try DispatchFixture()
        // As a server that takes one after the other and refuses two of them.
        let destination = ScriptedDestination { records in
            guard let bad = records.firstIndex(where: { ["call 4", "call 9"].contains($0.shortName) }) else { return .good }
            let refusal = DeliveryOutcome.refused(reason: "422: no")
            return bad == 0 ? refusal : .first(bad, of: records, then: refusal)
        }
        let dispatcher = try await fixture.dispatcher([("a", destination)])
        try await dispatcher.accept((1...12).map(DispatchFixture.call))
        try await drain(dispatcher)
        #expect(destination.takenNames == [1, 2, 3, 5, 6, 7, 8, 10, 11, 12].map { "call \($0)" })
        #expect(try await dispatcher.outbox.deadLetters().map(\.record.shortName) == ["call 4", "call 9"])
    }

    /// Receipts that come one by one, in any order: what is missing holds up nothing, and only it is sent again, in a later run, too.
    @Test(arguments: [[2], [1, 4, 5], [3, 9, 10, 11, 30]]) func settlesEachRecordByItself(missing: [Int]) async throws {
        let names = Set(missing.map { "call \($0)" } + missing.map { "\($0)" })
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { records in
            let received = records.filter { !names.contains($0.shortName) }
            let rest = DeliveryOutcome.temporary(reason: "no word", retryAfter: nil)
            if received.isEmpty { return rest }
            return received.count == records.count ? .good : .partly(received: Set(received.map(\.id)), answer: "200", then: nil)
        }
        let dispatcher = try await fixture.dispatcher([("a", destination)])
        fixture.log.log(1...40)
        try await dispatcher.accept((1...40).map(DispatchFixture.call))
        #expect(try await dispatcher.dispatch().failures.map(\.reason) == ["no word"])
        let all = (1...40).map { "call \($0)" }
        #expect(destination.takenNames == all.filter { !names.contains($0) })
        let status = try await dispatcher.statuses()[0]
        #expect(status.state.waitingEventCount == missing.count && status.state.sentCount == 40 - missing.count)
        #expect(
            try await dispatcher.waiting(for: "a", after: nil, limit: 100).records.prefix(missing.count).map(\.shortName)
                == missing.map { "call \($0)" })
        await dispatcher.stop()
        // Killed and started again: nothing but what is missing is sent, the positions behind it, and what is missing of those.
        let second = ScriptedDestination { records in
            let received = records.filter { !names.contains($0.shortName) || $0.lane == .events }
            let rest = DeliveryOutcome.temporary(reason: "no word", retryAfter: nil)
            if received.isEmpty { return rest }
            return received.count == records.count ? .good : .partly(received: Set(received.map(\.id)), answer: "200", then: nil)
        }
        let later = try await fixture.dispatcher([("a", second)])
        #expect(try await later.dispatch().failures.map(\.reason) == ["no word"])
        let calls = missing.map { "call \($0)" }
        let others = (1...40).map { "\($0)" }.filter { !names.contains($0) }
        #expect(second.takenNames == calls + others)
        await later.stop()
        let third = ScriptedDestination()
        let last = try await fixture.dispatcher([("a", third)])
        _ = try await last.dispatch()
        #expect(third.takenNames == missing.map { "\($0)" })
        // Numbers of the lane are as they were.
        #expect(third.taken.map(\.sequence) == missing.map { UInt64($0) })
        let end = try await last.statuses()[0]
        #expect(end.waitingPositionCount == 0 && end.state.waitingEventCount == 0 && end.state.sentCount == 80)
        #expect(end.state.settledEvents == SettledAhead() && end.state.settledPositions == SettledAhead())
        #expect(end.state.liveSequence == 40)
        let fates = try await last.accounts(of: (1...40).map { LedgerKey(position: UInt64($0) * 3, id: "p-\($0)") })
        for fate in fates.map({ $0[0].fate }) {
            guard case .receipt = fate else { throw Unexpected("\(fate)") }
        }
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
                == .first(4, of: batch(10).records, answer: "200: {}", then: .refused(reason: #"422: {"error":"no such parcel"}"#)))
        #expect(try server.received().count == 4 && server.requests().count == 5)
        try server.setMode("poison p-1-0")
        #expect(await destination.send(batch(10)) == .refused(reason: #"422: {"error":"no such parcel"}"#))
    }

    @Test func endsWithItsTimeAndSaysHowFarItCame() async throws {
        let server = try await FlakyServer("slow 0.4")
        guard case .partly(let received, _, _, nil) = await (try destination(server.url, timeout: .seconds(1))).send(batch(10)) else {
            throw Unexpected("ten take four seconds")
        }
        #expect((1...4).contains(received.count))
        #expect(try server.received().count == received.count)
    }

    /// Killed again and again on a slow link: what has its receipt is settled after two seconds, and not after the batch.
    @Test func settlesWhatASlowServerHasBeforeTheBatchEnds() async throws {
        let server = try await FlakyServer("slow 0.3")
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("traccar", try destination(server.url, timeout: .seconds(30)))], batchCount: 100)
        try await dispatcher.accept((1...30).map(DispatchFixture.call))
        let run = Task { try await dispatcher.dispatch() }
        try await Task.sleep(for: .seconds(4))
        let settled = 30 - (try await dispatcher.statuses()[0].state.waitingEventCount)
        #expect((1...15).contains(settled), "\(settled)")
        await dispatcher.stop()
        _ = try await run.value
    }

    /// The whole way, with a link that fails every few requests: all of it, in order, and little of it twice.
    @Test func getsThroughAFlakyServerRecordByRecord() async throws {
        let server = try await FlakyServer("flaky 11")
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("traccar", try destination(server.url))], batchCount: 50)
        fixture.log.log(1...150)
        var attempts = 0
        while try await dispatcher.statuses()[0].waitingPositionCount ?? 1 > 0, attempts < 400 {
            attempts += 1
            _ = try await dispatcher.dispatch()
        }
        let received = try server.received().compactMap { $0["recordId"]?.string }
        var seen: Set<String> = []
        let first = received.filter { seen.insert($0).inserted }
        #expect(
            first
                == (1...150).map {
                    NumberedPosition(number: UInt64($0) * 3, position: DispatchFixture.position($0), origin: DispatchFixture.origin).id
                })
        // A broken answer makes one repeat, or two when libcurl tries on a new connection; batches that were sent whole would make thousands.
        #expect(received.count < 300)
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
    }
}
