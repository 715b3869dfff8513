import Synchronization
import Testing
import Waypost
import WaypostDispatch

/// Cancelled callers and dropped dispatchers.
@Suite(.timeLimit(.minutes(1))) struct DispatcherLifeTests {
    @Test(arguments: ["dispatch", "dispatchNext", "drain"]) func endsADispatchWithItsCaller(call: String) async throws {
        let fixture = try DispatchFixture()
        let destination = StuckDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        try await dispatcher.accept([DispatchFixture.call(1)])
        let caller = Task {
            switch call {
            case "dispatch": try await dispatcher.dispatch()
            case "dispatchNext": try await dispatcher.dispatchNext()
            default: try await dispatcher.drain(budget: .seconds(3_600))
            }
        }
        #expect(await destination.waits { $0.sending == 1 })
        caller.cancel()
        guard try await caller.value.word == .error else {
            Issue.record("not an error")
            return
        }
        // It waits still, and goes out at once when it is asked for: nobody blames the server.
        destination.answers()
        #expect(try await dispatcher.dispatch().word == .good)
        await dispatcher.stop()
    }

    /// While a server takes longer than the receiver for the next fix, there is always something that waits; in batches of one it would never get less.
    @Test(arguments: [2, 100]) func endsADispatchThoughNewsComesWithEachBatch(batchCount: Int) async throws {
        let fixture = try DispatchFixture()
        let holder = Mutex<Dispatcher?>(nil)
        let newest = Mutex(20)
        let destination = ScriptedDestination { _ in
            let number = newest.withLock { newest in
                newest += 1
                return newest
            }
            fixture.log.log(number...number)
            holder.withLock { $0 }?.noteWaiting()
            return .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: batchCount)
        holder.withLock { $0 = dispatcher }
        fixture.log.log(1...20)
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(Set(destination.takenNames).isSuperset(of: ["call 1"] + (1...20).map { "\($0)" }))
        holder.withLock { $0 = nil }
        await dispatcher.stop()
    }

    @Test func erasesAtOnceWhileAServerDoesNotAnswer() async throws {
        let fixture = try DispatchFixture()
        let destination = StuckDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        try await dispatcher.accept([DispatchFixture.call(1)])
        let caller = Task { try await dispatcher.dispatch() }
        #expect(await destination.waits { $0.sending == 1 })
        try await dispatcher.erase(from: UTCTime(millisecondsSince1970: 0), to: UTCTime(millisecondsSince1970: 4_000_000_000_000))
        #expect(try await caller.value.word == .error)
        destination.answers()
        #expect(try await dispatcher.dispatch() == .noData)
        await dispatcher.stop()
    }

    @Test func letsACallerGoThatWaitsForAnothersRun() async throws {
        let fixture = try DispatchFixture()
        let destination = StuckDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        try await dispatcher.accept([DispatchFixture.call(1)])
        let first = Task { try await dispatcher.dispatch() }
        #expect(await destination.waits { $0.sending == 1 })
        let second = Task { try await dispatcher.dispatch() }
        try await Task.sleep(for: .milliseconds(50))
        second.cancel()
        #expect(try await second.value.failures.map(\.reason) == ["cancelled"])
        destination.answers()
        #expect(try await first.value.word == .good)
        await dispatcher.stop()
    }

    /// A run that begins when the one before was cancelled at the deadline is not waited for.
    @Test func endsDrainingInTimeThoughOthersGoOn() async throws {
        let fixture = try DispatchFixture()
        let destination = StuckDestination()
        let outbox = try Outbox(path: fixture.path, limits: OutboxLimits(), clock: .system)
        let dispatcher = Dispatcher(outbox: outbox, supply: fixture.log, device: "box", clock: .system) { _ in }
        try await dispatcher.attach(destination, DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home")))
        try await dispatcher.accept([DispatchFixture.call(1)])
        let first = Task { try await dispatcher.dispatch() }
        #expect(await destination.waits { $0.sending == 1 })
        let second = Task { try await dispatcher.dispatch() }
        try await Task.sleep(for: .milliseconds(50))
        let start = ContinuousClock.now
        #expect(try await dispatcher.drain(budget: .milliseconds(200)).word == .error)
        #expect(ContinuousClock.now - start < .seconds(10))
        _ = try await first.value
        #expect(await destination.waits { $0.sending == 2 })
        destination.answers()
        #expect(try await second.value.word == .good)
        await dispatcher.stop()
    }

    @Test func sendsNothingWhenNobodyHoldsItAnyMore() async throws {
        let fixture = try DispatchFixture()
        var destination: StuckDestination? = StuckDestination()
        destination?.answers()
        weak let dropped = destination
        do {
            let held = try #require(destination)
            let dispatcher = try await fixture.dispatcher([("home", held)], interval: .seconds(3_600))
            try await dispatcher.accept([DispatchFixture.call(1)])
            // Its timer is set now.
            #expect(await held.waits { _ in true })
        }
        destination = nil
        for _ in 0..<500 where dropped != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(dropped == nil)
        // The file is free again.
        let outbox = try fixture.outbox()
        #expect(try await outbox.state(of: "home").waitingEventCount == 1)
    }
}

/// Takes nothing before it is told to, or its task is cancelled.
private final class StuckDestination: Destination {
    struct State { var (sending, answers) = (0, false) }

    let maximumBatchCount = 10
    private let state = Mutex(State())

    func answers() { state.withLock { $0.answers = true } }

    func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        state.withLock { $0.sending += 1 }
        while !state.withLock({ $0.answers }) {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return .temporary(reason: "cancelled", retryAfter: nil) }
        }
        return .good
    }

    func waits(until isTrue: (State) -> Bool) async -> Bool {
        for _ in 0..<500 {
            if state.withLock({ isTrue($0) }) { return true }
            try? await Task.sleep(for: .milliseconds(10))  // Nobody cancels a test.
        }
        return false
    }
}
