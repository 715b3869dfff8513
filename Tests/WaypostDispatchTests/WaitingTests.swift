import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// What waits, looked at and taken from one destination to another.
@Suite struct WaitingTests {
    private func ids(_ dispatcher: Dispatcher, _ name: String, pageCount: Int) async throws -> [String] {
        var ids: [String] = []
        var place: WaitingCursor?
        repeat {
            let page = try await dispatcher.waiting(for: name, after: place, limit: pageCount)
            #expect(page.records.count <= pageCount)
            ids += page.records.map(\.id)
            place = page.next
        } while place != nil
        return ids
    }

    /// A destination of an earlier run that is not attached any more, with calls 1 to 9 and positions 3 to 12 waiting for it.
    private func orphan(_ fixture: DispatchFixture) async throws {
        fixture.log.log(1...2)
        let earlier = try await fixture.dispatcher([("old", ScriptedDestination { _ in .unreachable(reason: "gone") })])
        try await earlier.accept((1...9).map(DispatchFixture.call))
        fixture.log.log(3...12)
        #expect(try await earlier.dispatch().word == .noData)
        await earlier.stop()
    }

    @Test(arguments: [1, 4, 19, 1_000]) func tellsWhatWaitsInPages(pageCount: Int) async throws {
        let fixture = try DispatchFixture()
        try await orphan(fixture)
        let dispatcher = try await fixture.dispatcher([("new", ScriptedDestination())])
        let found = try await ids(dispatcher, "old", pageCount: pageCount)
        #expect(found.count == 19 && Set(found).count == 19)
        #expect(
            found.suffix(10)
                == (3...12).map {
                    NumberedPosition(number: UInt64($0) * 3, position: DispatchFixture.position($0), origin: DispatchFixture.origin).id
                }[...])
        #expect(try await ids(dispatcher, "new", pageCount: pageCount) == [])
        await #expect(throws: OutboxError.unknownDestination(name: "nobody")) {
            try await dispatcher.waiting(for: "nobody", after: nil, limit: 10)
        }
    }

    @Test func movesWhatWaitsForAnOldDestinationToANewOne() async throws {
        let fixture = try DispatchFixture()
        try await orphan(fixture)
        let new = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("new", new)])
        let statuses = try await dispatcher.statuses()
        #expect(statuses.map(\.state.name) == ["new", "old"] && statuses.map(\.isAttached) == [true, false])
        #expect(statuses[1].state.waitingEventCount == 9 && statuses[1].waitingPositionCount == 10)
        #expect(try await dispatcher.dispatch() == .noData)

        try await dispatcher.move("old", to: "new")
        #expect(try await dispatcher.statuses().map(\.state.name) == ["new"])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(new.taken.count == 19 && Set(new.taken.map(\.id)).count == 19)
        let entry = try #require(try await dispatcher.ledgerEntry(id: new.taken[0].id))
        #expect(entry.accounts.map(\.fate) == [.receipt(time: DispatchFixture.start, answer: "200")])
        await #expect(throws: OutboxError.unknownDestination(name: "old")) { try await dispatcher.move("old", to: "new") }
        await #expect(throws: OutboxError.unknownDestination(name: "old")) { try await dispatcher.move("new", to: "old") }
    }

    @Test func movesBetweenTwoThatGoOn() async throws {
        let fixture = try DispatchFixture()
        let silent = ScriptedDestination { _ in .unreachable(reason: "gone") }
        let picky = ScriptedDestination { records in
            records.count > 1 || records[0].id.hasPrefix("p-9-") ? .refused(reason: "no") : .good
        }
        let home = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("silent", silent), ("picky", picky), ("home", home)])
        try await dispatcher.accept((1...3).map(DispatchFixture.call))
        fixture.log.log(1...6)
        _ = try await dispatcher.dispatch()
        #expect(home.taken.count == 9 && picky.taken.count == 8)
        // What it has is sent to it again, as the other one never had it; the dead letter is no repeat.
        try await dispatcher.move("silent", to: "home")
        try await dispatcher.move("picky", to: "home")
        #expect(try await dispatcher.outbox.state(of: "silent").waitingEventCount == 0)
        #expect(try await dispatcher.outbox.deadLetters(of: "home").count == 1)
        silent.setAnswer { _ in .good }
        try await dispatcher.accept([DispatchFixture.call(4)])
        fixture.log.log(7...7)
        _ = try await dispatcher.dispatch()
        #expect(silent.taken.count == 2)
        #expect(home.taken.count == 20 && Set(home.taken.map(\.id)).count == 11)
    }

    /// Of a destination that wants events alone every position since it was attached is in the log, and none is meant for it.
    @Test func movesNoPositionsOfOneThatTakesNone() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("events", newestPosition: 0, takesPositions: false)
        let home = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", home)])
        try await dispatcher.accept([DispatchFixture.call(1)])
        fixture.log.log(1...9)
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(try await ids(dispatcher, "events", pageCount: 100).count == 1)
        #expect(try await dispatcher.statuses().last?.waitingPositionCount == 0)
        try await dispatcher.move("events", to: "home")
        _ = try await dispatcher.dispatch()
        #expect(home.taken.map(\.lane) == [.events] + Array(repeating: .live, count: 9) + [.events])
        // Whoever wants them later begins then.
        _ = try await outbox.attach("events", newestPosition: 27, takesPositions: false)
        #expect(try await outbox.attach("events", newestPosition: 30, takesPositions: true).positions.live == 30)
    }

    @Test func endsAPageWithWhatMakesItLong() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", ScriptedDestination { _ in .unreachable(reason: "gone") })])
        let text = JSONValue.string(String(repeating: "x", count: 30_000))
        for number in 0..<100 {
            try await dispatcher.accept([.track(TrackCall(name: "n\(number)", values: ["text": text], time: nil, position: nil))])
        }
        let page = try await dispatcher.waiting(for: "home", after: nil, limit: 1_000)
        #expect(page.records.count == 40 && page.next != nil)
        #expect(try await ids(dispatcher, "home", pageCount: 1_000).count == 100)
    }

    @Test func dropsWhatWaitsOnlyWhenAskedTo() async throws {
        let fixture = try DispatchFixture()
        try await orphan(fixture)
        let home = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", home)])
        try await dispatcher.accept([DispatchFixture.call(20)])
        fixture.log.log(13...14)
        #expect(try await dispatcher.discard("home") == 1)
        #expect(try await dispatcher.outbox.state(of: "home").droppedCount == 0)
        #expect(try await dispatcher.discard("old") == 10)
        #expect(try await dispatcher.statuses().map(\.state.name) == ["home"])
        try await dispatcher.accept([DispatchFixture.call(21)])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(home.taken.count == 1)
        await #expect(throws: OutboxError.unknownDestination(name: "old")) { try await dispatcher.discard("old") }
    }

    /// A settlement of what is on its way would take what was moved for settled.
    @Test func movesWhileASendingRunIsOnItsWay() async throws {
        let fixture = try DispatchFixture()
        try await orphan(fixture)
        let new = ScriptedDestination(maximumBatchCount: 1)
        let dispatcher = try await fixture.dispatcher([("new", new)], batchCount: 1)
        try await dispatcher.accept((20...60).map(DispatchFixture.call))
        async let ending = dispatcher.dispatch()
        while new.taken.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        try await dispatcher.move("old", to: "new")
        _ = try await ending
        _ = try await dispatcher.dispatch()
        #expect(Set(new.taken.map(\.id)).count == 60)
    }

    /// Beside sets of numbers.
    @Test func joinsCursorsAsSets() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            func cursor() -> PositionCursor {
                var cursor = PositionCursor(live: UInt64.random(in: 0...10, using: &generator))
                for _ in 0..<Int.random(in: 0...5, using: &generator) {
                    cursor.settle(.live, through: cursor.live + UInt64.random(in: 0...6, using: &generator))
                    cursor.leaveForLater(through: cursor.live + UInt64.random(in: 0...6, using: &generator))
                    if Bool.random(using: &generator), let first = cursor.stretches.first {
                        cursor.settle(.history, through: first.after + UInt64.random(in: 0...6, using: &generator))
                    }
                }
                return cursor
            }
            func waiting(_ cursor: PositionCursor) -> Set<UInt64> { Set((1...100).filter(cursor.has)) }
            let (one, other) = (cursor(), cursor())
            var joined = one
            joined.join(other)
            #expect(waiting(joined) == waiting(one).union(waiting(other)))
            for (left, right) in zip(joined.stretches, joined.stretches.dropFirst()) { #expect(left.through < right.after) }
            #expect(joined.stretches.allSatisfy { $0.after < $0.through && $0.through < joined.live })
        }
    }

    @Test func givesNoNumberTwiceEvenWhenTheLastEntryIsGone() async throws {
        let fixture = try DispatchFixture()
        do {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("a", newestPosition: 0)
            try await outbox.accept((1...5).map(DispatchFixture.call))
            let erased = try await outbox.erase(from: DispatchFixture.start, to: DispatchFixture.start.advanced(byMilliseconds: 1))
            #expect(erased == 5)
        }
        let next = try fixture.outbox()
        try await next.accept([DispatchFixture.call(6)])
        #expect(try await next.entries(after: 0, limit: 10).map(\.number) == [6])
    }
}
