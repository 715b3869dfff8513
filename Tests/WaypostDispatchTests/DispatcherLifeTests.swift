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

    /// While a server takes longer than the receiver for the next fix, there is always something that waits; in batches of one it never gets less.
    @Test(arguments: [1, 2, 100], [DestinationSettings.Order.oldest, .live])
    func endsADispatchThoughNewsComesWithEachBatch(batchCount: Int, order: DestinationSettings.Order) async throws {
        let fixture = try DispatchFixture()
        let news = News(after: 20, in: fixture.log)
        let destination = ScriptedDestination { _ in
            news.comes()
            return .good
        }
        let dispatcher = try await fixture.dispatcher(
            [("home", destination)], order: order, batchCount: batchCount, interval: .seconds(3_600))
        news.comes(to: dispatcher)
        fixture.log.log(1...20)
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(Set(destination.takenNames).isSuperset(of: ["call 1"] + (1...20).map { "\($0)" }))
        // One for what waited, and one for what came meanwhile.
        #expect(destination.batches.count <= 2 * 21 + 1)
        // What has come since is sent with the next interval.
        let status = try await dispatcher.statuses()[0]
        #expect(status.waitingPositionCount != 0 && status.timeToNextAttempt != nil, "\(status)")
        news.ends()
        await dispatcher.stop()
    }

    /// It waits for another's run, and then not for all that came meanwhile.
    @Test func endsASecondDispatchWithWhatWaitedWhenItWasAskedFor() async throws {
        let fixture = try DispatchFixture()
        let news = News(after: 20, in: fixture.log)
        let gate = StuckDestination()
        let destination = SlowDestination(gate) { news.comes() }
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 1)
        news.comes(to: dispatcher)
        fixture.log.log(1...20)
        dispatcher.noteWaiting()
        let first = Task { try await dispatcher.dispatch() }
        #expect(await gate.waits { $0.sending == 1 })
        let second = Task { try await dispatcher.dispatch() }
        try await Task.sleep(for: .milliseconds(50))
        gate.answers()
        #expect(try await first.value.word == .good)
        #expect(try await second.value.word != .error)
        #expect(gate.sendingCount <= 20 + 2, "\(gate.sendingCount)")
        news.ends()
        await dispatcher.stop()
    }

    /// Several events at once are told once, and wait for no backlog of positions, though a batch has room for one alone.
    @Test func sendsEventsThatComeMeanwhileFirst() async throws {
        let fixture = try DispatchFixture()
        let gate = StuckDestination()
        let dispatcher = try await fixture.dispatcher([("home", SlowDestination(gate) {})], batchCount: 1)
        fixture.log.log(1...40)
        dispatcher.noteWaiting()
        let run = Task { try await dispatcher.dispatch() }
        #expect(await gate.waits { $0.sending == 1 })
        try await dispatcher.accept((1...3).map(DispatchFixture.call))
        gate.answers()
        #expect(try await run.value.word == .good)
        #expect(gate.names.prefix(8).contains("call 3"), "\(gate.names)")
        #expect(gate.names.count == 43)
        await dispatcher.stop()
    }

    /// A pause comes while a batch is on its way, which arrives all the same; the rest does not, and nobody is told that all is well.
    @Test func saysThatARunWasPaused() async throws {
        let fixture = try DispatchFixture()
        let gate = StuckDestination()
        let destination = SlowDestination(gate, isCancellable: false) {}
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 1)
        try await dispatcher.accept((1...3).map(DispatchFixture.call))
        let first = Task { try await dispatcher.dispatch() }
        #expect(await gate.waits { $0.sending == 1 })
        let second = Task { try await dispatcher.dispatch() }
        try await Task.sleep(for: .milliseconds(50))
        try await dispatcher.setPaused(true)
        gate.answers()
        let paused = "paused; resume with waypost dispatch resume --to home"
        let completion = try await first.value
        #expect(completion.word == .error && completion.failures.map(\.reason) == [paused], "\(completion)")
        #expect(completion.receipts.map(\.count) == [1], "\(completion)")
        #expect(try await second.value.failures.map(\.reason) == [paused])
        try await dispatcher.setPaused(false)
        #expect(try await dispatcher.dispatch().receipts.map(\.count) == [2])
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

    /// Whoever drains waits for the run of another no longer than the time allows, and ends only their own.
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
        let drained = try await dispatcher.drain(budget: .milliseconds(200))
        #expect(drained.failures.map(\.reason) == ["the time was over before it was sent"])
        #expect(ContinuousClock.now - start < .seconds(10))
        destination.answers()
        #expect(try await first.value.word == .good)
        #expect(try await second.value.word == .noData)
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
    struct State {
        var (sending, answers) = (0, false)
        var names: [String] = []
    }

    let maximumBatchCount = 10
    private let state = Mutex(State())

    func answers() { state.withLock { $0.answers = true } }

    var sendingCount: Int { state.withLock { $0.sending } }
    /// What it was sent, in order.
    var names: [String] { state.withLock { $0.names } }

    func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        state.withLock { state in
            state.sending += 1
            state.names += batch.records.map(\.shortName)
        }
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

/// Does something with each batch that another destination has taken.
private struct SlowDestination: Destination {
    let maximumBatchCount = 10
    private let gate: StuckDestination
    private let isCancellable: Bool
    private let note: @Sendable () -> Void

    init(_ gate: StuckDestination, isCancellable: Bool = true, then note: @escaping @Sendable () -> Void) {
        (self.gate, self.isCancellable, self.note) = (gate, isCancellable, note)
    }

    func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        let outcome = isCancellable ? await gate.send(batch) : await Task { await gate.send(batch) }.value
        note()
        return outcome
    }
}

/// Positions that are logged while others are sent, up to 400: a run that waits for them all takes long, but ends.
private final class News: Sendable {
    private let log: MemoryLog
    private let state: Mutex<(second: Int, dispatcher: Dispatcher?)>

    init(after second: Int, in log: MemoryLog) {
        self.log = log
        state = Mutex((second, nil))
    }

    /// Tells a dispatcher of them from now on.
    func comes(to dispatcher: Dispatcher) { state.withLock { $0.dispatcher = dispatcher } }

    /// Logs one.
    func comes() {
        let (second, dispatcher) = state.withLock { state in
            if state.dispatcher != nil { state.second += 1 }
            return state
        }
        guard let dispatcher, second <= 400 else { return }
        log.log(second...second)
        dispatcher.noteWaiting()
    }

    /// Lets the dispatcher go.
    func ends() { state.withLock { $0.dispatcher = nil } }
}
