import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// What is told of what became of a record.
@Suite struct LedgerTests {
    private func fates(_ dispatcher: Dispatcher, ofCall number: Int) async throws -> [DeliveryAccount.Fate] {
        let entries = try await dispatcher.ledgerEntries(since: DispatchFixture.start, limit: 100)
        let entry = try #require(
            entries.first { entry in
                guard case .track(let call) = entry.record.content else { return false }
                return call.name == "call \(number)"
            })
        return entry.accounts.map(\.fate)
    }

    private func fates(_ dispatcher: Dispatcher, ofPosition second: Int) async throws -> [DeliveryAccount.Fate] {
        let numbered = NumberedPosition(
            number: UInt64(second) * 3, position: DispatchFixture.position(second), origin: DispatchFixture.origin)
        return try await dispatcher.accounts(of: [LedgerKey(position: numbered.number, id: numbered.id)])[0].map(\.fate)
    }

    @Test func endsBeforeAMoment() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", ScriptedDestination())])
        for number in 1...3 {
            let time = DispatchFixture.start.advanced(byMilliseconds: Int64(number) * 1_000)
            try await dispatcher.accept([.track(TrackCall(name: "call \(number)", values: [:], time: time, position: nil))])
        }
        let end = DispatchFixture.start.advanced(byMilliseconds: 3_000)
        let entries = try await dispatcher.ledgerEntries(since: DispatchFixture.start, until: end, limit: 100)
        #expect(entries.map(\.record.shortName) == ["call 1", "call 2"])
        #expect(try await dispatcher.ledgerEntries(since: DispatchFixture.start, limit: 100).count == 3)
        await dispatcher.stop()
    }

    /// Two trackers of one machine count from one, at the same times.
    @Test func namesPositionsOfTwoLogsDifferently() {
        let position = DispatchFixture.position(1)
        let ids = ["/a", "/b"].map { NumberedPosition(number: 7, position: position, origin: RecordOrigin(logFolder: $0)).id }
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { NumberedPosition.number(ofID: $0) == 7 })
        #expect(NumberedPosition(number: 7, position: position, origin: RecordOrigin(logFolder: "/a")).id == ids[0])
    }

    @Test func tellsEveryFate() async throws {
        let fixture = try DispatchFixture()
        fixture.log.log(1...2)
        let poisoned = DispatchFixture.position(5)
        let picky = ScriptedDestination { records in
            records.contains { $0.position == poisoned && $0.lane == .live } ? .refused(reason: "422: no") : .good
        }
        let silent = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let dispatcher = try await fixture.dispatcher([("picky", picky), ("silent", silent)], batchCount: 4)
        fixture.log.log(3...9)
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await fates(dispatcher, ofCall: 1) == [.queued, .queued])
        #expect(try await fates(dispatcher, ofPosition: 4) == [.queued, .queued])

        _ = try await dispatcher.dispatch()
        let receipt = DeliveryAccount.Fate.receipt(time: DispatchFixture.start, answer: "200")
        #expect(try await fates(dispatcher, ofCall: 1) == [receipt, .queued])
        // Logged before anybody wanted it; taken; refused; taken behind the refused one.
        #expect(try await fates(dispatcher, ofPosition: 2) == [.unwanted, .unwanted])
        #expect(try await fates(dispatcher, ofPosition: 4) == [receipt, .queued])
        #expect(try await fates(dispatcher, ofPosition: 5) == [.refused(reason: "422: no"), .queued])
        #expect(try await fates(dispatcher, ofPosition: 6) == [receipt, .queued])

        // A dead letter that was dropped is none that was received, and why is still known.
        _ = try await dispatcher.outbox.dropDeadLetters()
        #expect(try await fates(dispatcher, ofPosition: 5) == [.dropped(reason: "422: no"), .queued])
    }

    /// What a server has confirmed stays confirmed, whatever becomes of the rest of the queue.
    @Test(arguments: [true, false]) func keepsReceiptsWhenTheQueueIsDiscardedOrMoved(isMoved: Bool) async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", ScriptedDestination()), ("lab", ScriptedDestination())])
        try await dispatcher.accept([DispatchFixture.call(1)])
        fixture.log.log(3...9)
        #expect(try await dispatcher.dispatch().word == .good)
        let receipt = DeliveryAccount.Fate.receipt(time: DispatchFixture.start, answer: "200")
        #expect(try await fates(dispatcher, ofCall: 1)[0] == receipt)
        fixture.log.log(10...12)
        if isMoved { try await dispatcher.move("home", to: "lab") } else { _ = try await dispatcher.discard("home") }
        #expect(try await fates(dispatcher, ofCall: 1)[0] == receipt)
        #expect(try await fates(dispatcher, ofPosition: 4)[0] == receipt)
        #expect(try await fates(dispatcher, ofPosition: 11)[0] == .unwanted)
    }

    @Test func tellsNoReceiptForWhatWasNeverSent() async throws {
        let fixture = try DispatchFixture()
        let inner = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", ReducedDestination(inner, sendsPositions: true))], batchCount: 4)
        fixture.log.log(1...9)
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(inner.taken.count == 1)
        #expect(try await fates(dispatcher, ofPosition: 1) == [.receipt(time: DispatchFixture.start, answer: "200")])
        for second in 2...9 { #expect(try await fates(dispatcher, ofPosition: second) == [.unwanted]) }
        #expect(try await dispatcher.statuses()[0].state.sentCount == 1)
        fixture.log.log(10...12)
        #expect(try await dispatcher.dispatch() == .noData, "nothing of it is new")
    }

    /// Also of a destination that is newer than the record.
    @Test(arguments: [true, false]) func tellsTheReceiptOfADeadLetterThatIsSentAgain(isMoved: Bool) async throws {
        let fixture = try DispatchFixture()
        let picky = ScriptedDestination { records in
            records.contains { ["call 2", "2"].contains($0.shortName) } ? .refused(reason: "422") : .good
        }
        let first = try await fixture.dispatcher([("picky", picky)])
        try await first.accept((1...3).map(DispatchFixture.call))
        fixture.log.log(1...3)
        _ = try await first.dispatch()
        #expect(try await first.outbox.deadLetters().count == 2)
        await first.stop()
        let home = ScriptedDestination()
        let second = try await fixture.dispatcher([(isMoved ? "home" : "picky", home)])
        try await second.finishAttaching()
        if isMoved { try await second.move("picky", to: "home") }
        #expect(try await fates(second, ofCall: 2) == [.refused(reason: "422")])
        #expect(try await second.retryDeadLetters() == 2)
        #expect(try await second.dispatch().word == .good)
        #expect(Set(home.takenNames) == ["call 2", "2"])
        let receipt = DeliveryAccount.Fate.receipt(time: DispatchFixture.start, answer: "200")
        #expect(try await fates(second, ofCall: 2) == [receipt])
        #expect(try await fates(second, ofPosition: 2) == [receipt])
        #expect(try await fates(second, ofCall: 1) == [isMoved ? .unwanted : receipt])
        #expect(try await fates(second, ofPosition: 1) == [isMoved ? .unwanted : receipt])
    }

    @Test func tellsWhatIsOnItsWayAndWhatIsForgotten() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", ScriptedDestination())])
        try await dispatcher.accept([DispatchFixture.call(1)])
        let id = try #require(try await dispatcher.ledgerEntries(since: DispatchFixture.start, limit: 1).first?.record.id)
        let worker = try #require(dispatcher.attached.first)
        await worker.setInFlight([id])
        #expect(try await dispatcher.ledgerEntry(id: id)?.accounts.map(\.fate) == [.sent])
        await worker.setInFlight([])
        #expect(try await dispatcher.ledgerEntry(id: "t-nobody") == nil)
        #expect(try await dispatcher.accounts(of: [LedgerKey(position: nil, id: "e-pruned")])[0].map(\.fate) == [.forgotten])
    }

    /// What this version cannot read is left out; it does not end the reading before what comes behind it.
    @Test func goesOnBehindWhatCannotBeRead() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", ScriptedDestination())])
        try await dispatcher.accept((1...9).map(DispatchFixture.call))
        let ids = try await dispatcher.ledgerEntries(since: DispatchFixture.start, limit: 100).map(\.record.id)
        #expect(ids.count == 9)
        let database = try SQLiteDatabase(path: fixture.path)
        // One of a page, then two whole pages of two.
        for id in [ids[1]] + ids[3...6] {
            let unknown = Array(#"{"class":"OF A LATER VERSION"}"#.utf8)
            let entry = try #require(try await dispatcher.outbox.entry(id: id))
            let checksum = StoredEntry(number: entry.number, id: id, moment: entry.moment, body: unknown).checksum
            try database.run("UPDATE entry SET body = ?, checksum = ? WHERE id = ?", [.bytes(unknown), .integer(checksum), .text(id)])
        }

        var (told, number) = ([String](), UInt64(0))
        while true {
            let page = try await dispatcher.ledgerEntries(since: DispatchFixture.start, after: number, limit: 2)
            told += page.map(\.record.id)
            guard page.count == 2, let last = page.last else { break }
            number = last.record.sequence
        }
        #expect(told == [ids[0], ids[2], ids[7], ids[8]])
        #expect(try await dispatcher.ledgerEntry(id: ids[1]) == nil)
    }

    @Test func readsTheNumberOutOfAPositionsName() {
        let numbered = NumberedPosition(number: 4_711, position: DispatchFixture.position(1), origin: DispatchFixture.origin)
        #expect(NumberedPosition.number(ofID: numbered.id) == 4_711)
        // The same number at the same second is another position on another machine.
        #expect(numbered.id.hasSuffix("-" + MachineIdentity.digits(for: "records\n/var/log/waypost", digitCount: 12)))
        for id in ["", "p-", "p-1", "p-x-1", "t-1-2", "p-0-5", "p-99999999999999999999-5"] {
            #expect(NumberedPosition.number(ofID: id) == nil)
        }
    }
}

extension DestinationWorker {
    /// As if these were on their way.
    fileprivate func setInFlight(_ ids: Set<String>) { inFlight = ids }
}
