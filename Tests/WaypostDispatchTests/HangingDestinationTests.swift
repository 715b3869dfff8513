import Synchronization
import Testing
import Waypost
import WaypostDispatch

/// A destination that a library or the system holds, and that does not even end when it is cancelled.
@Suite(.timeLimit(.minutes(1))) struct HangingDestinationTests {
    private func hanging(
        _ destination: HangingDestination, in fixture: DispatchFixture
    ) async throws -> (dispatcher: Dispatcher, caller: Task<DispatchCompletion, any Error>) {
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        try await dispatcher.accept([DispatchFixture.call(1)])
        let caller = Task { try await dispatcher.dispatch() }
        while destination.callCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
        return (dispatcher, caller)
    }

    @Test func holdsUpNoEnd() async throws {
        let fixture = try DispatchFixture()
        let destination = HangingDestination()
        defer { destination.letGo() }
        let (dispatcher, caller) = try await hanging(destination, in: fixture)
        let start = ContinuousClock.now
        _ = try await dispatcher.drain(budget: .seconds(1))
        await dispatcher.stop()
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(try await caller.value.word == .error)
    }

    /// Whoever erases waits no longer, either, and what hangs is not asked for more.
    @Test func isNotAskedAgainWhileItHangs() async throws {
        let fixture = try DispatchFixture()
        let destination = HangingDestination()
        let (dispatcher, caller) = try await hanging(destination, in: fixture)
        caller.cancel()
        #expect(try await caller.value.word == .error)
        let again = try await dispatcher.dispatch()
        #expect(again.failures.first?.reason.contains("an earlier attempt") == true, "\(again)")
        #expect(destination.callCount == 1)
        destination.letGo()
        while try await dispatcher.dispatch().word == .error { try await Task.sleep(for: .milliseconds(10)) }
        #expect(destination.callCount == 2)
        await dispatcher.stop()
    }

    /// An attempt has its time, though nobody cancels it; it has failed since it began.
    @Test func isLeftBehindAfterItsTime() async throws {
        let fixture = try DispatchFixture()
        let destination = HangingDestination()
        defer { destination.letGo() }
        let dispatcher = try await fixture.dispatcher([])
        var settings = DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home"))
        settings.attemptLimit = .milliseconds(200)
        try await dispatcher.attach(destination, settings)
        try await dispatcher.accept([DispatchFixture.call(1)])
        let caller = Task { try await dispatcher.dispatch() }
        while destination.callCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
        fixture.milliseconds.withLock { $0 += 60_000 }
        let completion = try await caller.value
        #expect(completion.failures.first?.reason == "the attempt did not end in 60 s", "\(completion)")
        let status = try await dispatcher.statuses()[0]
        #expect(status.isStalled && !status.isSending && status.failingTime == .seconds(60), "\(status)")
        await dispatcher.stop()
    }

    /// What has not failed yet moves no more than what has.
    @Test func isSaidToTakeNothing() async throws {
        let fixture = try DispatchFixture()
        let destination = HangingDestination()
        let (dispatcher, caller) = try await hanging(destination, in: fixture)
        #expect(try await !dispatcher.statuses()[0].isStalled)
        fixture.milliseconds.withLock { $0 += 59_000 }
        #expect(try await !dispatcher.statuses()[0].isStalled)
        fixture.milliseconds.withLock { $0 += 1_000 }
        let status = try await dispatcher.statuses()[0]
        #expect(status.isStalled && status.isSending && status.timeSending == .seconds(60), "\(status)")
        destination.letGo()
        #expect(try await caller.value.word == .good)
        #expect(try await !dispatcher.statuses()[0].isStalled)
        await dispatcher.stop()
    }
}

/// Takes what it was sent once it is let go.
private final class HangingDestination: Destination {
    let maximumBatchCount = 10
    private let state = Mutex((callCount: 0, isFree: false))

    var callCount: Int { state.withLock { $0.callCount } }
    func letGo() { state.withLock { $0.isFree = true } }

    func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        state.withLock { $0.callCount += 1 }
        while !state.withLock({ $0.isFree }) {
            // A task of its own, which nobody cancels.
            await Task { try? await Task.sleep(for: .milliseconds(5)) }.value
        }
        return .good
    }
}
