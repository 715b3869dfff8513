import Testing
import Waypost

@testable import WaypostDispatch

/// Positions that the log does not have in one run, as on a stick that is not there, wait for a later one.
@Suite struct AbsentPositionsTests {
    private typealias Stretch = PositionCursor.Stretch

    private func dispatcher(
        _ fixture: DispatchFixture, to destination: ScriptedDestination, absent: [PositionCursor.Stretch],
        _ order: DestinationSettings.Order, _ batchCount: Int
    ) async throws -> Dispatcher {
        let dispatcher = Dispatcher(outbox: try fixture.outbox(), supply: fixture.log, device: "box", clock: fixture.clock)
        await dispatcher.keepForLater(absent)
        var settings = DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home"))
        (settings.order, settings.batchCount) = (order, batchCount)
        try await dispatcher.attach(destination, settings)
        return dispatcher
    }

    /// What the destination got, in seconds, in the order in which it came.
    private func seconds(_ destination: ScriptedDestination) -> [Int] {
        destination.taken.compactMap {
            $0.time.map { Int(($0.millisecondsSince1970 - DispatchFixture.start.millisecondsSince1970) / 1_000) }
        }
    }

    /// Everything else is sent meanwhile, in the order of the destination; then they are, once.
    @Test(arguments: [DestinationSettings.Order.oldest, .live], [1, 3, 100])
    func areSentOnceTheyAreThere(order: DestinationSettings.Order, batchCount: Int) async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        // Numbers are three times the seconds; those at both ends have no position.
        let absent = [Stretch(after: 31, through: 62), Stretch(after: 92, through: 95)]
        var dispatcher = try await dispatcher(fixture, to: destination, absent: absent, order, batchCount)
        fixture.log.log(1...10)
        fixture.log.log(21...30)
        while try await dispatcher.dispatch() != .noData {}
        #expect(seconds(destination).sorted() == Array(1...10) + Array(21...30))
        if order == .oldest { #expect(seconds(destination) == seconds(destination).sorted()) }
        // What comes after the last one is sent, too.
        fixture.log.log(32...35)
        while try await dispatcher.dispatch() != .noData {}
        #expect(seconds(destination).sorted() == Array(1...10) + Array(21...30) + Array(32...35))
        await dispatcher.stop()
        // They are not there at a further start either, nor lost with a change of the order.
        dispatcher = try await self.dispatcher(fixture, to: destination, absent: absent, order == .live ? .oldest : .live, batchCount)
        fixture.log.log(36...40)
        while try await dispatcher.dispatch() != .noData {}
        #expect(seconds(destination).sorted() == Array(1...10) + Array(21...30) + Array(32...40))
        await dispatcher.stop()
        // Back again.
        fixture.log.log(11...20)
        fixture.log.log(31...31)
        dispatcher = try await self.dispatcher(fixture, to: destination, absent: [], order, batchCount)
        while try await dispatcher.dispatch() != .noData {}
        #expect(seconds(destination).sorted() == Array(1...40))
        let state = try #require(try await dispatcher.statuses().first?.state)
        #expect(state.droppedCount == 0 && state.positions.stretches.isEmpty, "\(state.positions)")
        await dispatcher.stop()
    }

    /// A lane reads around what is absent and settles only what it reads.
    @Test func areNotSettledWithTheOthers() {
        let absent = [Stretch(after: 40, through: 60), Stretch(after: 80, through: 90)]
        var cursor = PositionCursor(live: 120, stretches: [Stretch(after: 20, through: 110)])
        var read: [Stretch] = []
        while let next = cursor.next(in: .history, besides: absent) {
            read.append(next)
            // Half of it, then the rest.
            cursor.settle(.history, through: (next.after + next.through) / 2, besides: absent)
            cursor.settle(.history, through: next.through, besides: absent)
        }
        #expect(read == [Stretch(after: 20, through: 40), Stretch(after: 60, through: 80), Stretch(after: 90, through: 110)])
        #expect(cursor.stretches == absent)
        #expect(cursor.next(in: .live, besides: absent) == Stretch(after: 120, through: .max))
        #expect(PositionCursor(live: 30).next(in: .live, besides: absent) == Stretch(after: 30, through: 40))
        #expect(PositionCursor(live: 50).next(in: .live, besides: absent) == Stretch(after: 50, through: 50))
    }
}
