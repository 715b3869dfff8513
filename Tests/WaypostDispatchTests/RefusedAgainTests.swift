import Synchronization
import Testing
import Waypost
import WaypostDispatch

/// What the dispatcher says of records that a server refuses, and of one that does not answer.
struct RefusedAgainTests {
    @Test func tellsTheServersWordsAboutTheOnlyRecordThatWaits() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("h", ScriptedDestination { _ in .refused(reason: "400: because") })])
        try await dispatcher.accept([DispatchFixture.call(1)])
        let completion = try await dispatcher.dispatch()
        #expect(completion.word == .error && completion.failures.map(\.destination) == ["h"])
        #expect(completion.failures.first?.reason.contains("400: because") == true, "\(completion)")
        #expect(try await dispatcher.statuses().first?.failure == completion.failures.first?.reason)
    }

    @Test(arguments: [true, false]) func tellsThatAllWereRefusedAgain(isDelivered: Bool) async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { records in
            guard let bad = records.first(where: { $0.shortName == "call 2" }) else { return .good }
            return isDelivered ? .delivered(refused: [bad.id: "no such fence"], answer: "") : .refused(reason: "no such fence")
        }
        let dispatcher = try await fixture.dispatcher([("h", destination)])
        try await dispatcher.accept([1, 2, 3].map(DispatchFixture.call))
        let first = try await dispatcher.dispatch()
        #expect(first.word == .good && first.receipts.map(\.count) == [2], "\(first)")
        #expect(first.failures.map(\.reason) == ["refuses 1 record for good: no such fence; see waypost dispatch list"])
        #expect(try await dispatcher.retryDeadLetters() == 1)
        #expect(try await dispatcher.statuses().map(\.state.dueDeadLetterCount) == [1])
        let again = try await dispatcher.dispatch()
        #expect(again.word == .error && again.receipts == [], "\(again)")
        #expect(again.failures.map(\.reason) == ["refuses 1 record for good: no such fence; see waypost dispatch list"])
        #expect(try await dispatcher.statuses().map { [$0.state.dueDeadLetterCount, $0.state.deadLetterCount] } == [[0, 1]])
        #expect(try await dispatcher.dispatch() == .noData, "nothing waits, and nothing was refused now")
    }

    @Test func givesDeadLettersAPageAtATime() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { records in
            .delivered(refused: Dictionary(records.map { ($0.id, "no") }) { $1 }, answer: "")
        }
        let dispatcher = try await fixture.dispatcher([("h", destination)])
        try await dispatcher.accept((1...7).map(DispatchFixture.call))
        _ = try await dispatcher.dispatch()
        var pages: [[String?]] = []
        var last: Int64 = 0
        while case let page = try await dispatcher.outbox.deadLetters(of: "h", after: last, limit: 3), let end = page.last {
            pages.append(page.map(\.record.shortName))
            last = end.number
        }
        #expect(pages == [[1, 2, 3], [4, 5, 6], [7]].map { $0.map { "call \($0)" } })
    }

    /// A server that takes the request and does not answer.
    private struct Hanging: Destination {
        let maximumBatchCount = 8

        func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
            try? await Task.sleep(for: .seconds(60))  // Cancelled at the end.
            return .temporary(reason: "no answer", retryAfter: nil)
        }
    }

    @Test func tellsHowLongAnAttemptTakesAlready() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("h", Hanging())])
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.statuses().first?.timeSending == nil)
        let sending = Task { try await dispatcher.dispatch() }
        while try await dispatcher.statuses().first?.timeSending == nil { try await Task.sleep(for: .milliseconds(10)) }
        fixture.milliseconds.withLock { $0 += 12_000 }
        #expect(try await dispatcher.statuses().first?.timeSending == .seconds(12))
        await dispatcher.stop()
        _ = try await sending.value
        #expect(try await dispatcher.statuses().first?.timeSending == nil)
    }
}
