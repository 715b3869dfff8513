import Synchronization
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// A cutoff on a tracker that does not know the time at first, or has it wrong.
@Suite struct CutoffTests {
    /// Half an hour after the start of the clock that is set by hand, for a destination that would wait for a day.
    private func dispatcher(_ fixture: DispatchFixture, _ destination: ScriptedDestination) async throws -> Dispatcher {
        let dispatcher = Dispatcher(outbox: try fixture.outbox(), supply: fixture.log, device: "box", clock: fixture.clock)
        var settings = DestinationSettings(name: "home", schedule: .init(interval: .seconds(86_400), phaseOf: "home"))
        // In the interval's middle, far from every moment here.
        settings.schedule.phase = .milliseconds((fixture.milliseconds.withLock { $0 } + 43_200_000) % 86_400_000)
        settings.cutoff = DailyMoment(minuteOfDay: 3 * 60 + 55, zone: .utc)
        try await dispatcher.attach(destination, settings)
        return dispatcher
    }

    /// The time to the next attempt as soon as it is that, or whatever it is after two seconds.
    private func next(_ dispatcher: Dispatcher, _ wanted: Duration) async throws -> Duration? {
        var found: Duration?
        for _ in 0..<200 {
            found = try await dispatcher.statuses()[0].timeToNextAttempt
            if found == wanted { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        return found
    }

    /// 03:50:00 comes 24 min and 58 s after the start.
    private static let untilFirstLead = Duration.seconds(25 * 60 - 2)

    @Test(arguments: [true, false]) func isPlannedWhenTheTimeBecomesKnown(isByRecord: Bool) async throws {
        let fixture = try DispatchFixture()
        fixture.time.withLock { $0 = nil }
        let dispatcher = try await dispatcher(fixture, ScriptedDestination())
        fixture.log.log(1...1)
        dispatcher.noteWaiting()
        #expect(try await next(dispatcher, .seconds(43_200)) == .seconds(43_200))
        fixture.time.withLock { $0 = DispatchFixture.start }
        if isByRecord { dispatcher.noteWaiting() } else { dispatcher.noteTime() }
        #expect(try await next(dispatcher, CutoffTests.untilFirstLead) == CutoffTests.untilFirstLead)
        await dispatcher.stop()
    }

    @Test func isPlannedAnewWhenTheTimeWasWrong() async throws {
        let fixture = try DispatchFixture()
        fixture.time.withLock { $0 = DispatchFixture.start.advanced(byMilliseconds: -7_200_000) }
        let dispatcher = try await dispatcher(fixture, ScriptedDestination())
        fixture.log.log(1...1)
        dispatcher.noteWaiting()
        let later = CutoffTests.untilFirstLead + .seconds(7_200)
        #expect(try await next(dispatcher, later) == later)
        fixture.time.withLock { $0 = DispatchFixture.start }
        dispatcher.noteWaiting()
        #expect(try await next(dispatcher, CutoffTests.untilFirstLead) == CutoffTests.untilFirstLead)
        await dispatcher.stop()
    }

    /// An entry that was accepted before the time was known, and the cutoff passed, is late like any other.
    @Test func countsWhatWasAcceptedBeforeTheTimeWasKnown() async throws {
        let fixture = try DispatchFixture()
        fixture.time.withLock { $0 = nil }
        let home = ScriptedDestination()
        let dispatcher = try await dispatcher(fixture, home)
        try await dispatcher.accept([.track(TrackCall(name: "early", values: [:], time: nil, position: nil))])
        fixture.milliseconds.withLock { $0 += 3_600_000 }
        fixture.time.withLock { $0 = DispatchFixture.start.advanced(byMilliseconds: 3_600_000) }
        try await dispatcher.accept([.track(TrackCall(name: "now", values: [:], time: nil, position: nil))])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(home.taken.map(\.isLate) == [true, false])
        #expect(try await dispatcher.outbox.state(of: "home").lateCount == 1)
        await dispatcher.stop()
    }
}
