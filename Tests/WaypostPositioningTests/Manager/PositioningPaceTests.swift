import Synchronization
import Testing
import Waypost
import WaypostPositioning

@Suite struct PositioningPaceTests {
    @Test func keepsTheReceiverOffUntilSomebodyNeedsIt() async throws {
        let source = CountingSource()
        let manager = PositioningManager(source: source)
        #expect(await manager.start(needing: nil))
        #expect(await manager.pace == .unneeded)
        #expect(source.runCount == 0)
        let hold = await manager.hold(.everyFix, reason: "test")
        #expect(await eventually { source.isRunning })
        #expect(await manager.pace == .everyFix)
        #expect(await manager.clients == [PositioningClient(reason: "test", need: .everyFix)])
        hold.release()
        #expect(await eventually { !source.isRunning })
        #expect(await manager.pace == .unneeded)
        #expect(await manager.isRunning)
        await manager.stop()
    }

    /// A loop that waits for rare news has started it before.
    @Test(arguments: [nil, PositioningNeed.within(.seconds(300))])
    func followsAsCloselyAsAnyStartNeeds(first: PositioningNeed?) async throws {
        let source = CountingSource()
        let manager = PositioningManager(source: source)
        let log = Updates()
        await manager.attach(log)
        #expect(await manager.start(needing: first))
        #expect(await !manager.start())
        #expect(await manager.pace == .everyFix)
        #expect(await eventually { log.positionCount > 5 })
        // A later one that needs less takes nothing from it.
        #expect(await !manager.start(needing: .within(.seconds(300))))
        #expect(await !manager.start(needing: nil))
        #expect(await manager.clients == [PositioningClient(reason: "started", need: .everyFix)])
        await manager.stop()
        // It ends with the stop.
        await manager.start(needing: nil)
        #expect(await manager.clients.isEmpty)
        await manager.stop()
    }

    @Test func followsAsCloselyAsAStartAfterALoopNeeds() async throws {
        let source = CountingSource()
        let manager = PositioningManager(source: source)
        let log = Updates()
        await manager.attach(log)
        let loop = Task { for await _ in manager.liveUpdates(.significantChanges) {} }
        #expect(await eventually { !source.isRunning && source.runCount == 1 })
        let count = log.positionCount
        #expect(await !manager.start())
        #expect(await eventually { log.positionCount > count + 5 })
        loop.cancel()
        await manager.stop()
    }

    @Test func stopsTheReceiverWhenTheLastListenerHasGone() async throws {
        let source = CountingSource()
        let manager = PositioningManager(source: source)
        await manager.start(needing: nil)
        do {
            let listener = await manager.updates()
            var updates = listener.makeAsyncIterator()
            _ = await updates.next()
            #expect(source.isRunning)
        }
        #expect(await eventually { !source.isRunning })
        await manager.stop()
    }

    @Test func endsAHoldThatNobodyKeeps() async throws {
        let source = CountingSource()
        let manager = PositioningManager(source: source)
        await manager.start(needing: nil)
        do {
            let hold = await manager.hold(.everyFix, reason: "forgotten")
            #expect(hold.need == .everyFix)
            #expect(await eventually { source.isRunning })
        }
        #expect(await eventually { !source.isRunning })
        await manager.stop()
    }

    @Test func sleepsAfterASampleAndWakesForSomebodyWhoNeedsMore() async throws {
        let source = CountingSource()
        let manager = PositioningManager(source: source)
        let listener = await manager.updates(.init(isSignificantOnly: true))
        await manager.start(needing: nil)
        var updates = listener.makeAsyncIterator()
        let first = await updates.next()
        guard case .significantChange(let change) = first else {
            Issue.record("no report: \(String(describing: first))")
            return
        }
        #expect(!change.isCached)
        let second = await updates.next()
        guard case .paused(let pause?) = second else {
            Issue.record("no pause: \(String(describing: second))")
            return
        }
        #expect(pause > .seconds(290))
        #expect(!source.isRunning)
        #expect(await manager.rawPosition != nil)
        #expect(await manager.lossReason == nil)
        guard case .asleep = await manager.pace else {
            Issue.record("not asleep")
            return
        }
        let hold = await manager.hold(.everyFix, reason: "look")
        #expect(await updates.next() == .resumed)
        #expect(await eventually { source.isRunning })
        hold.release()
        await manager.stop()
    }

    @Test func doesNotCallAPlannedSleepALoss() async throws {
        let source = CountingSource(pause: 400_000)
        let manager = PositioningManager(source: source)
        let log = Updates()
        await manager.attach(log)
        let hold = await manager.hold(.within(.seconds(300)), reason: "samples")
        await manager.start(needing: nil)
        #expect(await eventually { !source.isRunning && source.runCount == 1 })
        hold.need = .everyFix
        #expect(await eventually { source.runCount == 2 && log.positionCount > 2 })
        hold.need = .within(.seconds(300))
        #expect(await eventually { !source.isRunning })
        #expect(!log.updates.contains { if case .lost = $0 { true } else { false } })
        await manager.stop()
    }

    @Test func neverInterruptsARecording() async throws {
        let source = CountingSource(sharing: .alone)
        let manager = PositioningManager(source: source)
        let hold = await manager.hold(.within(.seconds(300)), reason: "samples")
        await manager.start(needing: nil)
        #expect(await eventually { source.positionCount > 5 })
        #expect(source.runCount == 1)
        #expect(await manager.pace == .everyFix)
        #expect(await !manager.capabilities.canPause)
        hold.release()
        await manager.stop()
    }

    @Test func switchesTheReceiverOffForAPauseAndOnBeforeTheNextSample() async throws {
        let power = PowerLog()
        var settings = PositioningManager.Settings()
        settings.power = power
        let source = CountingSource()
        let manager = PositioningManager(source: source, settings: settings)
        #expect(await manager.capabilities.canSwitchReceiverOff)
        #expect(await !manager.capabilities.isPlayback)
        let hold = await manager.hold(.within(.seconds(120)), reason: "samples")
        await manager.start(needing: nil)
        #expect(await eventually { power.states == [false] })
        hold.need = .everyFix
        #expect(await eventually { source.runCount == 2 })
        #expect(power.states == [false, true])
        await manager.stop()
    }

    @Test func sleepsAtRestWhenItMay() async throws {
        var settings = PositioningManager.Settings()
        settings.restInterval = .seconds(60)
        let source = CountingSource(step: 10_000, metresPerSecond: 0)
        let manager = PositioningManager(source: source, settings: settings)
        let log = Updates()
        await manager.attach(log)
        await manager.start()
        #expect(await eventually { !source.isRunning && source.runCount == 1 })
        #expect(await manager.isStationary)
        #expect(log.updates.contains(.stationary(true)))
        await manager.stop()
    }

    @Test func staysOnAtRestByDefault() async throws {
        let source = CountingSource(step: 10_000, metresPerSecond: 0)
        let manager = PositioningManager(source: source)
        await manager.start()
        #expect(await eventually { source.positionCount > 20 })
        #expect(await manager.isStationary)
        #expect(source.runCount == 1)
        await manager.stop()
    }
}

/// Gives a fix every few milliseconds, on the way north, and counts its runs; between two of them its clock goes on.
private final class CountingSource: PositionSource {
    let name = "counting"
    let sharing: SourceSharing
    private let step: Int64
    private let pause: Int64
    private let metresPerSecond: Double
    private let state = Mutex((runs: 0, isRunning: false, positions: Int64(0)))

    init(sharing: SourceSharing = .free, step: Int64 = 1_000, pause: Int64 = 0, metresPerSecond: Double = 10) {
        self.sharing = sharing
        self.pause = pause
        self.step = step
        self.metresPerSecond = metresPerSecond
    }

    var runCount: Int { state.withLock { $0.runs } }
    var isRunning: Bool { state.withLock { $0.isRunning } }
    var positionCount: Int64 { state.withLock { $0.positions } }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        state.withLock { $0 = ($0.runs + 1, true, $0.positions) }
        while !Task.isCancelled {
            let (index, run) = state.withLock { state in
                state.positions += 1
                return (state.positions, Int64(state.runs))
            }
            await output(.position(fix(index * step + run * pause)))
            try? await Task.sleep(for: .milliseconds(5))  // Cancelled: the loop ends.
        }
        state.withLock { $0.isRunning = false }
    }

    private func fix(_ milliseconds: Int64) -> Position {
        let metres = metresPerSecond * Double(milliseconds) / 1_000
        guard let coordinate = Coordinate(latitudeDegrees: 40 + metres / 111_000, longitudeDegrees: 8) else {
            fatalError("a place on Earth")
        }
        var position = Position(time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + milliseconds), coordinate: coordinate)
        position.speedMetresPerSecond = metresPerSecond
        position.accuracy = HorizontalAccuracy(radiusMetres: 5, origin: .receiver)
        return position
    }
}

private final class PowerLog: ReceiverPower {
    private let log = Mutex([Bool]())
    var states: [Bool] { log.withLock { $0 } }
    func setReceiver(isOn: Bool) async { log.withLock { $0.append(isOn) } }
}

private final class Updates: PositioningConsumer {
    private let log = Mutex([PositioningUpdate]())
    var updates: [PositioningUpdate] { log.withLock { $0 } }
    var positionCount: Int { updates.count { if case .position = $0 { true } else { false } } }
    func consume(_ update: PositioningUpdate) { log.withLock { $0.append(update) } }
}

/// Waits up to five seconds for something to come true.
private func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<500 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))  // Nobody cancels a test.
    }
    return await condition()
}
