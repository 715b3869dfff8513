import Synchronization
import Testing
import Waypost
import WaypostPositioning

/// Start, stop, end and drop: whoever calls what, when, and from where.
@Suite(.timeLimit(.minutes(1))) struct ManagerLifeTests {
    // MARK: - Start and stop

    @Test func stopsAlsoWhenItIsStartedAgainBeforeThat() async {
        for round in 0..<40 {
            let source = EndlessSource()
            let manager = PositioningManager(source: source)
            await manager.start()
            #expect(await eventually(within: 5) { await manager.rawPosition != nil })
            async let stopped: Void = manager.stop()
            if round % 2 == 0 { await Task.yield() }
            while await manager.isRunning { await Task.yield() }
            #expect(await manager.start())
            await stopped
            #expect(await eventually(within: 5) { await manager.rawPosition != nil })
            #expect(source.mostAtOnce == 1)
            await manager.stop()
            #expect(await manager.rawPosition == nil)
        }
    }

    @Test func startsAnewWhatHasFailed() async throws {
        let source = FaultySource(failures: 1)
        let manager = PositioningManager(source: source)
        #expect(await manager.start())
        await #expect(throws: FaultySource.failure) { try await manager.waitUntilFinished() }
        #expect(await !manager.isRunning)
        #expect(await manager.rawPosition == nil)
        // The second run may be over before anybody asks whether it goes on.
        #expect(await manager.start())
        #expect(try await manager.waitUntilFinished())
        #expect(await !manager.isRunning)
        #expect(source.runCount == 2)
        await manager.stop()
    }

    @Test func goesOnForAHoldWhenWhoeverStartedItStops() async {
        let source = EndlessSource()
        let manager = PositioningManager(source: source)
        await manager.start()
        let hold = await manager.hold(.everyFix, reason: "photo walk")
        #expect(await eventually(within: 5) { source.isRunning })
        await manager.stop()
        let count = source.positionCount
        #expect(await eventually(within: 5) { source.positionCount > count + 5 })
        #expect(await manager.clients == [PositioningClient(reason: "photo walk", need: .everyFix)])
        #expect(await manager.isRunning)
        hold.release()
        #expect(await eventually(within: 5) { await !manager.isRunning && !source.isRunning })
        #expect(await eventually(within: 5) { await manager.rawPosition == nil })
        #expect(await manager.start())
        let other = await manager.hold(.everyFix, reason: "another")
        await manager.stop(ignoringHolds: true)
        #expect(!source.isRunning)
        #expect(await manager.clients.isEmpty)
        // It counts again when the manager is started.
        await manager.start(needing: nil)
        #expect(await manager.clients == [PositioningClient(reason: "another", need: .everyFix)])
        #expect(await eventually(within: 5) { source.isRunning })
        withExtendedLifetime(other) {}
        await manager.stop(ignoringHolds: true)
    }

    /// What a consumer asks for holds from the update on that it has got, not from a later one.
    @Test func leavesTheOldSourceAtTheUpdateAtWhichAConsumerReplacesIt() async throws {
        let manager = PositioningManager(source: ScriptedSource((0..<100).map { .position(fix(Double($0))) }, stays: true))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.attach(Replacer(manager, at: fix(10), by: ScriptedSource([.position(fix(500))], stays: true)))
        await manager.start()
        #expect(await eventually(within: 10) { await manager.rawPosition == fix(500) })
        let positions = await log.updates.compactMap { if case .position(let position) = $0 { position } else { nil } }
        #expect(positions == (0...10).map { fix(Double($0)) } + [fix(500)])
        await manager.stop()
    }

    // MARK: - Ends

    @Test(arguments: [Ending.finishes, .fails, .stops]) func endsItsListeners(ending: Ending) async {
        let source: any PositionSource =
            switch ending {
            case .finishes: ScriptedSource([.position(fix(0))])
            case .fails: FaultySource(failures: 9)
            case .stops: EndlessSource()
            }
        let manager = PositioningManager(source: source)
        let updates = await manager.updates(bufferingNewest: 1_000)
        let told = Task {
            var last: PositioningUpdate?
            for await update in updates { last = update }
            return last
        }
        await manager.start()
        if ending == .stops {
            #expect(await eventually(within: 5) { await manager.rawPosition != nil })
            await manager.stop()
        }
        let last = await told.value
        switch ending {
        case .finishes: #expect(last == .finished)
        case .fails: #expect(last == .failed(FaultySource.failure))
        case .stops: #expect(last != nil)
        }
        guard ending != .stops else { return }
        // Who comes late is told, too, and does not wait.
        var late: [PositioningUpdate] = []
        for await update in await manager.updates() { late.append(update) }
        #expect(late == [ending == .fails ? .failed(FaultySource.failure) : .finished])
    }

    enum Ending { case finishes, fails, stops }

    @Test func waitsForTheEndNoLongerThanItsTask() async throws {
        let manager = PositioningManager(source: EndlessSource())
        await manager.start()
        let waiting = Task { try await manager.waitUntilFinished() }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        #expect(try await !waiting.value)
        await manager.stop()
        #expect(try await manager.waitUntilFinished())
    }

    @Test func endsWithItsLastOwner() async {
        let source = EndlessSource()
        var manager: PositioningManager? = PositioningManager(source: source)
        let updates = await manager?.updates()
        let log = UpdateLog()
        await manager?.attach(log)
        await manager?.start()
        #expect(await eventually(within: 5) { source.positionCount > 2 })
        weak let dropped = manager
        manager = nil
        #expect(await eventually(within: 5) { !source.isRunning })
        #expect(await eventually(within: 5) { dropped == nil })
        var count = 0
        if let updates { for await _ in updates { count += 1 } }
        #expect(count > 0)
    }

    @Test(arguments: [Ending.finishes, .fails]) func startsAnewForAConsumerThatIsToldOfTheEnd(ending: Ending) async throws {
        let source = FaultySource(failures: ending == .fails ? 3 : 0)
        let manager = PositioningManager(source: source)
        let (restarter, log) = (Restarter(manager, times: 3), UpdateLog())
        await manager.attach(restarter)
        await manager.attach(log)
        await manager.start()
        #expect(try await manager.waitUntilFinished())
        #expect(restarter.answers == [true, true, true], "nobody else has started it")
        #expect(source.runCount == 4)
        let end: PositioningUpdate = ending == .fails ? .failed(FaultySource.failure) : .finished
        #expect(await log.updates.count { $0 == end } == (ending == .fails ? 3 : 4))
        #expect(await log.updates.count { if case .position = $0 { true } else { false } } == 4, "each run has its position")
        #expect(await log.updates.last == .finished)
        #expect(await !manager.isRunning)
    }

    @Test func startsAnewForALoopThatIsToldOfTheFailure() async throws {
        let source = FaultySource(failures: 2)
        let manager = PositioningManager(source: source)
        var answers: [Bool] = []
        var last: PositioningUpdate?
        while last != .finished {
            for await update in manager.liveUpdates() {
                last = update
                if case .failed = update { answers.append(await manager.start()) }
            }
        }
        // The next loop may have begun after the next failure, and has started it then.
        #expect(!answers.isEmpty && !answers.contains(false))
        #expect(source.runCount == 3)
        await manager.stop()
    }

    // MARK: - From a consumer

    @Test(arguments: Call.allCases) func letsAConsumerCallAnything(call: Call) async throws {
        let source = PrivateSource(EndlessSource(), gate: PrivacyGate(zones: [], key: try #require(SipHash.Key(Array(0..<16)))))
        let manager = PositioningManager(source: source)
        let (caller, log) = (Caller(call, manager: manager, source: source), UpdateLog())
        await manager.attach(caller)
        await manager.attach(log)
        await manager.start()
        #expect(await eventually(within: 10) { caller.isDone })
        switch call {
        case .stop:
            #expect(await eventually(within: 5) { await !manager.isRunning })
            await manager.stop()
            #expect(await log.updates.count == 1)
        case .setPrivate:
            #expect(await log.waits(for: 2))
            #expect(await log.updates == [.position(EndlessSource.position(0)), .lost(.withheld(.privateMode))])
        case .use:
            #expect(await log.waits(for: 3))
            #expect(await log.updates.prefix(3) == [.position(EndlessSource.position(0)), .lost(.replaced), .position(fix(0))])
        default: #expect(await log.waits(for: 5))
        }
        await manager.stop()
    }

    @Test func followsWhatAConsumerNeedsFromThenOn() async {
        let source = EndlessSource()
        let manager = PositioningManager(source: source)
        let consumer = Satisfied(with: 5, hold: await manager.hold(.everyFix, reason: "test"))
        await manager.attach(consumer)
        await manager.start(needing: nil)
        #expect(await eventually(within: 5) { await manager.pace == .unneeded && !source.isRunning })
        #expect((5...10).contains(consumer.count))
        consumer.hold.need = .everyFix
        #expect(await eventually(within: 5) { source.isRunning })
        await manager.stop(ignoringHolds: true)
    }

    enum Call: CaseIterable { case matchPositions, setPrivate, answer, stop, use, waitUntilFinished, start, childTask }
}

/// Replaces the source at a position.
private actor Replacer: PositioningConsumer {
    private let manager: PositioningManager
    private let position: Position
    private let source: ScriptedSource

    init(_ manager: PositioningManager, at position: Position, by source: ScriptedSource) {
        (self.manager, self.position, self.source) = (manager, position, source)
    }

    func consume(_ update: PositioningUpdate) async {
        if update == .position(position) { await manager.use(source) }
    }
}

/// Calls the manager or its source from the first update on, once.
private final class Caller: PositioningConsumer {
    private let call: ManagerLifeTests.Call
    private let manager: PositioningManager
    private let source: PrivateSource
    private let state = Mutex((hasCalled: false, isDone: false))

    init(_ call: ManagerLifeTests.Call, manager: PositioningManager, source: PrivateSource) {
        (self.call, self.manager, self.source) = (call, manager, source)
    }

    var isDone: Bool { state.withLock { $0.isDone } }

    func consume(_ update: PositioningUpdate) async {
        let hasCalled = state.withLock { state in
            defer { state.hasCalled = true }
            return state.hasCalled
        }
        guard !hasCalled else { return }
        switch call {
        case .matchPositions: await manager.matchPositions(with: nil)
        case .setPrivate: await source.setPrivate(true)
        case .answer: await manager.answer()
        case .stop: await manager.stop()
        case .use: await manager.use(ScriptedSource([.position(fix(0))], stays: true))
        case .waitUntilFinished: _ = try? await manager.waitUntilFinished()  // It cannot wait for itself.
        case .start: _ = await manager.start()
        case .childTask:
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { [manager] in await manager.answer() } }
            }
        }
        state.withLock { $0.isDone = true }
    }
}

/// Starts a source again when it ends, so many times.
private final class Restarter: PositioningConsumer {
    private let manager: PositioningManager
    private let state: Mutex<(left: Int, answers: [Bool])>

    init(_ manager: PositioningManager, times: Int) {
        self.manager = manager
        state = Mutex((times, []))
    }

    /// What the manager has answered.
    var answers: [Bool] { state.withLock { $0.answers } }

    func consume(_ update: PositioningUpdate) async {
        switch update {
        case .failed, .finished: break
        default: return
        }
        let isDue = state.withLock { state in
            state.left -= 1
            return state.left >= 0
        }
        guard isDue else { return }
        let answer = await manager.start()
        state.withLock { $0.answers.append(answer) }
    }
}

/// Needs no more than so many positions.
private final class Satisfied: PositioningConsumer {
    let hold: PositioningHold
    private let limit: Int
    private let positions = Mutex(0)

    init(with limit: Int, hold: PositioningHold) { (self.limit, self.hold) = (limit, hold) }

    var count: Int { positions.withLock { $0 } }

    func consume(_ update: PositioningUpdate) async {
        guard case .position = update else { return }
        let count = positions.withLock { count in
            count += 1
            return count
        }
        if count == limit { hold.need = nil }
    }
}

/// A fix every ten milliseconds until it is cancelled.
private final class EndlessSource: PositionSource {
    let name = "endless"
    private let state = Mutex((running: 0, mostAtOnce: 0, positionCount: 0))

    var isRunning: Bool { state.withLock { $0.running > 0 } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var positionCount: Int { state.withLock { $0.positionCount } }

    static func position(_ number: Int) -> Position { fix(Double(number)) }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        state.withLock { state in
            state.running += 1
            state.mostAtOnce = max(state.mostAtOnce, state.running)
        }
        defer { state.withLock { $0.running -= 1 } }
        while !Task.isCancelled {
            let number = state.withLock { state in
                defer { state.positionCount += 1 }
                return state.positionCount
            }
            await output(.position(EndlessSource.position(number)))
            try? await Task.sleep(for: .milliseconds(10))  // Cancelled: the loop ends.
        }
    }
}

/// Gives a fix and fails, so many times; then it gives one and ends.
private final class FaultySource: PositionSource {
    static let failure = PositionSourceError.cannotOpen(path: "/dev/none", reason: "No such file or directory")
    let name = "failing"
    private let failures: Int
    private let count = Mutex(0)

    init(failures: Int) { self.failures = failures }

    var runCount: Int { count.withLock { $0 } }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        await output(.position(fix(Double(number))))
        if number <= failures { throw FaultySource.failure }
    }
}
