import Synchronization
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// Positions that are removed from the log before every destination has them.
@Suite struct GonePositionsTests {
    /// Numbers are three times the seconds.
    private func stretch(_ seconds: ClosedRange<Int>) -> [PositionCursor.Stretch] {
        seconds.map { .init(after: UInt64($0) * 3 - 1, through: UInt64($0) * 3) }
    }

    private func dropped(_ name: String, _ dispatcher: Dispatcher) async throws -> Int {
        try await dispatcher.outbox.state(of: name).droppedCount
    }

    /// A receipt that the outbox cannot store is kept until it can: nothing is sent again, and what is deleted meanwhile was received.
    @Test(arguments: [DestinationSettings.Order.oldest, .live]) func areNotCountedForThoseWhoseReceiptIsStoredLater(
        order: DestinationSettings.Order
    ) async throws {
        let fixture = try DispatchFixture()
        let (quick, slow) = (ScriptedDestination(), ScriptedDestination())
        let dispatcher = try await fixture.dispatcher([("quick", quick), ("slow", slow)], order: order, batchCount: 4)
        fixture.log.log(1...6)
        try await dispatcher.accept([DispatchFixture.call(1)])
        let other = try SQLiteDatabase(path: fixture.path)
        try other.execute("BEGIN IMMEDIATE")
        for _ in 0..<2 { #expect(try await dispatcher.dispatch().word == .error) }
        try other.execute("ROLLBACK")
        _ = try await dispatcher.dispatch("quick")
        fixture.log.log(7...12)
        try other.execute("BEGIN IMMEDIATE")
        for _ in 0..<2 { #expect(try await dispatcher.dispatch("quick").word == .error) }
        try other.execute("ROLLBACK")
        let known = quick.taken.count
        // By the order `live` a place of its own is stored before anything is sent.
        #expect(order == .live ? known == 7 : known == 11)
        try await dispatcher.noteGone(stretch(1...12), because: "max_bytes")
        fixture.log.remove(1...12)
        fixture.log.log(13...14)
        _ = try await dispatcher.dispatch()
        for (name, destination) in [("quick", quick), ("slow", slow)] {
            let ids = destination.taken.map(\.id)
            #expect(Set(ids).count == ids.count, "\(name)")
            // Of a call and 14 positions.
            #expect(try await dropped(name, dispatcher) + ids.count == 15, "\(name)")
        }
        #expect(quick.taken.count == known + 2 && slow.taken.count == 3)
    }

    /// A batch is on its way, or at least in memory: it counts until its receipt comes, and for ever when the tracker is killed before.
    @Test(arguments: [false, true]) func areCountedForThoseWhoHaveThemNot(isKilled: Bool) async throws {
        let fixture = try DispatchFixture()
        fixture.log.log(1...2)
        let quick = ScriptedDestination()
        let silent = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        var dispatcher = try await fixture.dispatcher([("quick", quick), ("silent", silent)])
        fixture.log.log(3...40)
        _ = try await dispatcher.dispatch("quick")
        _ = try await dispatcher.dispatch("silent")
        #expect(await dispatcher.attached.last?.reading.queues[.live]?.items.count == 8)
        // The first two were there before anybody wanted them. A deletion that is repeated after a kill counts nothing twice.
        for _ in 0..<2 { try await dispatcher.noteGone(stretch(1...20), because: "max_bytes") }
        fixture.log.remove(1...20)
        #expect(try await dropped("quick", dispatcher) == 0)
        #expect(try await dropped("silent", dispatcher) == 18)
        fixture.milliseconds.withLock { $0 += 600_000 }
        if isKilled { dispatcher = try await fixture.dispatcher([("quick", quick), ("silent", silent)]) }
        let known = GonePositions(count: 18, age: .seconds(600))
        #expect(try await dispatcher.outbox.gonePositions() == ["max_bytes": known])

        silent.setAnswer { _ in .good }
        _ = try await dispatcher.dispatch("silent")
        let taken = isKilled ? Array(21...40) : Array(3...10) + Array(21...40)
        #expect(silent.takenNames == taken.map(String.init))
        #expect(try await dropped("silent", dispatcher) == (isKilled ? 18 : 10))
        #expect(try await dispatcher.outbox.gonePositions()["max_bytes"]?.count == (isKilled ? 18 : 10))
        fixture.milliseconds.withLock { $0 += 3_000_000 }
        #expect(try await dispatcher.outbox.gonePositions().isEmpty)
        #expect(try await dropped("silent", dispatcher) == (isKilled ? 18 : 10))
    }

    /// With the newest first, and receipts in any order.
    @Test func areCountedInWhatWasLeftForLater() async throws {
        let fixture = try DispatchFixture()
        let home = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let dispatcher = try await fixture.dispatcher([("home", home)], order: .live)
        fixture.log.log(1...40)
        _ = try await dispatcher.dispatch()
        try await dispatcher.noteGone(stretch(1...20), because: "max_age")
        try await dispatcher.noteGone(stretch(10...35), because: "max_bytes")
        #expect(try await dropped("home", dispatcher) == 35)
        #expect(try await dispatcher.outbox.gonePositions().mapValues(\.count) == ["max_age": 20, "max_bytes": 15])
        fixture.log.remove(1...35)
        home.setAnswer { records in .first(5, of: records, then: nil) }
        for _ in 0..<4 { _ = try await dispatcher.dispatch() }
        // What a server accepted only in part is read again, and three of the newest eight are gone by then.
        #expect(Set(home.takenNames) == Set((36...40).map(String.init)))
        #expect(try await dropped("home", dispatcher) == 35)
        #expect(try await dispatcher.outbox.gonePositions().mapValues(\.count) == ["max_age": 20, "max_bytes": 15])
        #expect(try await dispatcher.statuses().first?.waitingPositionCount == 0)
        let state = try await dispatcher.outbox.state(of: "home")
        #expect(state.settledPositions.stretches.isEmpty)
    }

    @Test func areForgottenWithTheirDestination() async throws {
        let fixture = try DispatchFixture()
        let home = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let first = try await fixture.dispatcher([("home", home), ("other home", home)])
        fixture.log.log(1...5)
        try await first.noteGone(stretch(1...5), because: "min_free")
        await first.stop()
        let next = try await fixture.dispatcher([("other home", home)])
        _ = try await next.discard("home")
        #expect(try await next.outbox.gonePositions()["min_free"]?.count == 5)
        _ = try await next.outbox.forget("other home")
        #expect(try await next.outbox.gonePositions().isEmpty)
    }

    @Test(arguments: [DestinationSettings.Order.oldest, .live]) func thoseThatTheLogHasLostAreCountedOnce(
        order: DestinationSettings.Order
    ) async throws {
        let fixture = try DispatchFixture()
        let quick = ScriptedDestination()
        let slow = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let dispatcher = try await fixture.dispatcher([("quick", quick), ("slow", slow)], order: order)
        fixture.log.log(1...40)
        _ = try await dispatcher.dispatch("quick")
        fixture.log.lost.withLock { $0 = 30...60 }
        _ = try await dispatcher.dispatch("slow")
        #expect(try await dispatcher.outbox.state(of: "slow").droppedCount == 0, "nothing is settled yet")
        slow.setAnswer { _ in .good }
        for _ in 0..<2 {
            try await dispatcher.reload()
            _ = try await dispatcher.dispatch()
        }
        // Seconds 10 to 20.
        let left = (Array(1...9) + Array(21...40)).map(String.init)
        #expect(Set(slow.takenNames) == Set(left) && slow.taken.count == left.count)
        #expect(try await dispatcher.outbox.state(of: "slow").droppedCount == 11)
        #expect(try await dispatcher.outbox.state(of: "quick").droppedCount == 0 && quick.taken.count == 40)
        await dispatcher.stop()
        // The next run has counted them already.
        let next = try await fixture.dispatcher([("quick", quick), ("slow", slow)], order: order)
        _ = try await next.dispatch()
        #expect(try await next.outbox.state(of: "slow").droppedCount == 11)
    }

    /// Those that a limit deleted, and those that are with the destination already, are not counted again among the numbers that are lost.
    @Test(arguments: [false, true]) func thoseThatAreLostAreNotCountedTwice(isDeleted: Bool) async throws {
        let fixture = try DispatchFixture()
        let home = ScriptedDestination { _ in .temporary(reason: "busy", retryAfter: nil) }
        let dispatcher = try await fixture.dispatcher([("home", home)])
        fixture.log.log(1...40)
        let has = Set(["5", "6", "7", "8"])
        if !isDeleted {
            home.setAnswer { records in
                let received = records.filter { has.contains($0.shortName) }
                return .partly(
                    received: Set(received.map(\.id)), refused: [:], answer: "200", then: .temporary(reason: "busy", retryAfter: nil))
            }
        }
        _ = try await dispatcher.dispatch()
        if isDeleted { try await dispatcher.noteGone(stretch(10...15), because: "max_bytes") }
        #expect(try await dropped("home", dispatcher) == (isDeleted ? 6 : 0))
        #expect(home.taken.count == (isDeleted ? 0 : 4))
        // Seconds 10 to 20, or 3 to 6, of which the destination has two.
        fixture.log.lost.withLock { $0 = isDeleted ? 30...60 : 9...18 }
        home.setAnswer { _ in .good }
        for _ in 0..<2 {
            try await dispatcher.reload()
            _ = try await dispatcher.dispatch()
        }
        #expect(try await dropped("home", dispatcher) == (isDeleted ? 11 : 2))
        #expect(home.taken.count == (isDeleted ? 29 : 38))
    }
}
