import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// Destinations that are sent no positions for a while: what is logged meanwhile is not for them, then or later.
@Suite struct PositionsSwitchTests {
    /// A run of a tracker with one destination.
    private struct Run {
        let dispatcher: Dispatcher
        let home: ScriptedDestination

        init(
            _ fixture: DispatchFixture, sendsPositions: Bool, isDown: Bool = false, order: DestinationSettings.Order = .oldest
        ) async throws {
            home = isDown ? ScriptedDestination { _ in .unreachable(reason: "down") } : ScriptedDestination()
            dispatcher = Dispatcher(outbox: try fixture.outbox(), supply: fixture.log, device: "box", clock: fixture.clock)
            var settings = DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home"))
            (settings.sendsPositions, settings.order) = (sendsPositions, order)
            try await dispatcher.attach(home, settings)
            try await dispatcher.finishAttaching()
        }

        func fate(ofPosition second: Int) async throws -> DeliveryAccount.Fate {
            let numbered = NumberedPosition(
                number: UInt64(second) * 3, position: DispatchFixture.position(second), origin: DispatchFixture.origin)
            return try await dispatcher.accounts(of: [LedgerKey(position: numbered.number, id: numbered.id)])[0][0].fate
        }
    }

    private static let receipt = DeliveryAccount.Fate.receipt(time: DispatchFixture.start, answer: "200")

    @Test(arguments: [DestinationSettings.Order.oldest, .live]) func neverSendsWhatWasLoggedMeanwhile(
        order: DestinationSettings.Order
    ) async throws {
        let fixture = try DispatchFixture()
        let first = try await Run(fixture, sendsPositions: true, order: order)
        fixture.log.log(1...4)
        #expect(try await first.dispatcher.dispatch().word == .good)
        await first.dispatcher.stop()
        for seconds in [5...8, 9...12] {
            let without = try await Run(fixture, sendsPositions: false, order: order)
            fixture.log.log(seconds)
            try await without.dispatcher.accept([DispatchFixture.call(seconds.upperBound)])
            #expect(try await without.dispatcher.statuses()[0].waitingPositionCount == 0)
            #expect(try await without.dispatcher.dispatch().word == .good)
            #expect(without.home.takenNames == ["call \(seconds.upperBound)"])
            #expect(try await without.fate(ofPosition: 2) == PositionsSwitchTests.receipt)
            #expect(try await without.fate(ofPosition: seconds.upperBound) == .unwanted)
            await without.dispatcher.stop()
        }
        let again = try await Run(fixture, sendsPositions: true, order: order)
        fixture.log.log(13...15)
        #expect(try await again.dispatcher.statuses()[0].waitingPositionCount == 3)
        #expect(try await again.dispatcher.dispatch().word == .good)
        #expect(again.home.takenNames == ["13", "14", "15"])
        for (second, fate) in [(2, PositionsSwitchTests.receipt), (6, .unwanted), (11, .unwanted), (14, PositionsSwitchTests.receipt)] {
            #expect(try await again.fate(ofPosition: second) == fate)
        }
        await again.dispatcher.stop()
    }

    @Test func beginsWithTheSwitchWhenItHadNoneFromTheStart() async throws {
        let fixture = try DispatchFixture()
        let first = try await Run(fixture, sendsPositions: false)
        fixture.log.log(1...4)
        await first.dispatcher.stop()
        let second = try await Run(fixture, sendsPositions: true)
        fixture.log.log(5...6)
        #expect(try await second.dispatcher.dispatch().word == .good)
        #expect(second.home.takenNames == ["5", "6"])
        await second.dispatcher.stop()
    }

    /// What waited before the switch is not lost: it waits, and says so, until positions are sent again.
    @Test(arguments: [false, true]) func keepsWhatWaitedBefore(isDiscarded: Bool) async throws {
        let fixture = try DispatchFixture()
        let first = try await Run(fixture, sendsPositions: true, isDown: true)
        fixture.log.log(1...3)
        #expect(try await first.dispatcher.dispatch().word == .noData)
        await first.dispatcher.stop()
        let without = try await Run(fixture, sendsPositions: false)
        fixture.log.log(4...6)
        #expect(try await without.dispatcher.statuses()[0].waitingPositionCount == 3)
        #expect(try await without.dispatcher.waiting(for: "home", after: nil, limit: 10).records.map(\.shortName) == ["1", "2", "3"])
        #expect(try await without.dispatcher.dispatch().word == .noData)
        #expect(without.home.taken.isEmpty)
        #expect(try await without.fate(ofPosition: 2) == .queued)
        if isDiscarded { _ = try await without.dispatcher.discard("home") }
        fixture.log.log(7...8)
        #expect(try await without.dispatcher.statuses()[0].waitingPositionCount == (isDiscarded ? 0 : 3))
        await without.dispatcher.stop()
        let again = try await Run(fixture, sendsPositions: true)
        fixture.log.log(9...9)
        try await again.dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await again.dispatcher.dispatch().word == .good)
        #expect(Set(again.home.takenNames) == Set(["call 1", "9"] + (isDiscarded ? [] : ["1", "2", "3"])))
        await again.dispatcher.stop()
    }

    /// Positions that are moved to a destination without any wait there, and open nothing.
    @Test func keepsWhatIsMovedToIt() async throws {
        let fixture = try DispatchFixture()
        let first = try await fixture.dispatcher([("old", ScriptedDestination { _ in .unreachable(reason: "down") })])
        try await first.finishAttaching()
        fixture.log.log(1...3)
        await first.stop()
        let without = try await Run(fixture, sendsPositions: false)
        fixture.log.log(4...6)
        try await without.dispatcher.move("old", to: "home")
        #expect(try await without.dispatcher.statuses()[0].waitingPositionCount == 3)
        _ = try await without.dispatcher.dispatch()
        #expect(without.home.taken.isEmpty)
        await without.dispatcher.stop()
        let again = try await Run(fixture, sendsPositions: true)
        fixture.log.log(7...7)
        #expect(try await again.dispatcher.dispatch().word == .good)
        #expect(Set(again.home.takenNames) == ["1", "2", "3", "7"])
        await again.dispatcher.stop()
    }

    /// The marks beside the log say it, too.
    @Test func staysSwitchedOffWhenTheOutboxIsLost() async throws {
        let fixture = try DispatchFixture()
        let outbox = try Outbox(path: fixture.path, clock: fixture.clock, marksPath: fixture.folder + "/marks")
        _ = try await outbox.attach("home", newestPosition: 0, takesPositions: true)
        _ = try await outbox.attach("home", newestPosition: 9, takesPositions: false)
        try await outbox.forgetDamage()
        try await outbox.checkpoint()
        for suffix in ["", "-wal", "-shm", "-tally", "-lock"] { _ = try Syscalls.remove(fixture.path + suffix) }
        let new = try Outbox(path: fixture.path, clock: fixture.clock, marksPath: fixture.folder + "/marks")
        let positions = try await new.attach("home", newestPosition: 30, takesPositions: false).positions
        #expect(!positions.isOpen && positions.stretches == [.init(after: 0, through: 9)])
        #expect(
            try await new.attach("home", newestPosition: 60, takesPositions: true).positions
                == PositionCursor(live: 60, stretches: positions.stretches))
    }
}
