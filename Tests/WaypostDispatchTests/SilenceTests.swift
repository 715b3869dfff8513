import Testing
import Waypost

@testable import WaypostDispatch

/// Sending that is switched off: paused, in private mode, opted out of.
@Suite struct SilenceTests {
    @Test func staysSilentWhilePausedOrOptedOutOverRestarts() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let first = try await fixture.dispatcher([("home", destination)])
        try await first.accept([DispatchFixture.call(1)])
        try await first.setPaused(true, "home")
        #expect(try await first.dispatch().failures.map(\.reason) == ["paused; resume with waypost dispatch resume --to home"])
        await first.stop()
        let second = try await fixture.dispatcher([("home", destination)])
        #expect(try await second.dispatch().word == .error)
        try await second.setPaused(false)
        #expect(try await second.dispatch().word == .good)
        #expect(destination.takenNames == ["call 1"])
        try await second.accept([DispatchFixture.call(2)])
        try await second.setOptedOut(true)
        try await second.accept([DispatchFixture.call(3)])
        #expect(try await second.dispatch().failures.first?.reason.contains("opt_out") == true)
        fixture.log.log(1...10)
        let status = try await second.statuses()[0]
        #expect(status.isOptedOut && status.waitingPositionCount == 0 && status.state.waitingEventCount == 0)
        let page = try await second.waiting(for: "home", after: nil, limit: 20)
        #expect(page.records.isEmpty && page.next == nil, "an export ends")
        #expect(try await second.withoutWord(for: DispatchFixture.call(3)).map(\.name) == ["home"])
        try await second.setOptedOut(false)
        try await second.accept([DispatchFixture.call(4)])
        #expect(try await second.dispatch().word == .good)
        #expect(destination.takenNames == ["call 1", "call 4"])
    }

    /// Also to destinations that are attached later, and whatever is decided about opting out.
    @Test func staysSilentFromBeforeADestinationIsAttached() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        await (try await fixture.dispatcher([("home", destination)])).stop()
        let dispatcher = Dispatcher(outbox: try fixture.outbox(), supply: fixture.log, device: "box", clock: fixture.clock)
        await dispatcher.setSilent(true)
        try await dispatcher.attach(destination, DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home")))
        try await dispatcher.setOptedOut(false)
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().failures.first?.reason.contains("private mode") == true)
        #expect(destination.taken.isEmpty)
        await dispatcher.setSilent(false)
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.takenNames == ["call 1"])
    }
}
