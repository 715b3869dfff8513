import Testing
import Waypost
import WaypostPositioning

@Suite struct PositioningManagerTests {
    @Test func startsOnceAndStopsWithoutAFurtherUpdate() async {
        let source = ScriptedSource([.position(fix(0)), .position(fix(1))], stays: true)
        let manager = PositioningManager(source: source)
        let log = UpdateLog()
        await manager.attach(log)
        #expect(await manager.start())
        #expect(await !manager.start())
        #expect(await log.waits(for: 2))
        #expect(await manager.rawPosition == fix(1))
        #expect(await manager.currentPosition == fix(1))
        await manager.stop()
        #expect(await !manager.isRunning)
        #expect(await manager.rawPosition == nil)
        #expect(await log.updates == [.position(fix(0)), .position(fix(1))])
        #expect(await manager.start())
        #expect(await log.waits(for: 4))
        await manager.stop()
    }

    @Test func reportsALossOnceHoweverOftenTheSourceSaysIt() async throws {
        let source = ScriptedSource([
            .position(fix(0)), .lost(.disconnected("refused")), .lost(.disconnected("refused")), .position(fix(30)), .finished,
        ])
        let log = try await updates(of: source)
        #expect(log == [.position(fix(0)), .lost(.disconnected("refused")), .position(fix(30)), .lost(.ended), .finished])
    }

    @Test func findsAGapInARecordingThatIsPlayedAtOnce() async throws {
        let source = ScriptedSource([.position(fix(0)), .position(fix(1)), .position(fix(21)), .finished])
        let log = try await updates(of: source)
        #expect(log == [.position(fix(0)), .position(fix(1)), .lost(.silent), .position(fix(21)), .lost(.ended), .finished])
    }

    @Test func dropsAFixThatIsRepeated() async throws {
        let source = ScriptedSource([.position(fix(0)), .position(fix(0)), .position(fix(1)), .finished])
        let log = try await updates(of: source)
        #expect(log == [.position(fix(0)), .position(fix(1)), .lost(.ended), .finished])
    }

    @Test func losesASilentSourceAfterFiveSeconds() async {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0))], stays: true))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        #expect(await log.waits(for: 2, seconds: 8))
        #expect(await log.updates == [.position(fix(0)), .lost(.silent)])
        #expect(await manager.rawPosition == nil)
        #expect(await manager.lossReason == .silent)
        await manager.stop()
    }

    @Test func tellsNothingAfterItHasStoppedWhileALossWasTold() async {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0))], stays: true))
        let (slow, log) = (SlowConsumer(), UpdateLog())
        await manager.attach(slow)
        await manager.attach(log)
        await manager.start()
        // The loss is told to the slow one; the other's turn comes later.
        #expect(await slow.hearsOfALoss())
        await manager.stop()
        let told = await log.updates
        try? await Task.sleep(for: SlowConsumer.pause * 2)  // Nobody cancels a test.
        #expect(await log.updates == told)
    }

    @Test func givesTheReasonWhyASourceCannotRun() async {
        let manager = PositioningManager(source: NMEAFileSource(path: "/nonexistent/drive.nmea"))
        await manager.start()
        await #expect(throws: PositionSourceError.cannotOpen(path: "/nonexistent/drive.nmea", reason: "No such file or directory")) {
            try await manager.waitUntilFinished()
        }
    }

    @Test func dropsTheOldestForASlowListenerAndCountsIt() async throws {
        let events = (0..<100).map { PositionSourceEvent.position(fix(Double($0))) }
        let manager = PositioningManager(source: ScriptedSource(events + [.finished]))
        let slow = await manager.updates(bufferingNewest: 10)
        let fast = await manager.updates(bufferingNewest: 1_000)
        await manager.start()
        try await manager.waitUntilFinished()
        #expect(slow.droppedCount == 92)
        #expect(fast.droppedCount == 0)
        var first: PositioningUpdate?
        for await update in slow {
            first = update
            break
        }
        #expect(first == .position(fix(92)))
    }

    @Test func replacesItsSourceWhileItRuns() async throws {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0))], stays: true))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        #expect(await log.waits(for: 1))
        await manager.use(ScriptedSource([.position(fix(500)), .position(fix(501))], stays: true))
        #expect(await log.waits(for: 4))
        #expect(await log.updates == [.position(fix(0)), .lost(.replaced), .position(fix(500)), .position(fix(501))])
        #expect(await manager.rawPosition == fix(501))
        await manager.stop()
    }

    @Test func goesOnWithAnotherSourceWhereOneHasEnded() async throws {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0)), .finished]))
        await manager.start()
        try await manager.waitUntilFinished()
        let log = UpdateLog()
        await manager.attach(log)
        await manager.use(ScriptedSource([.position(fix(9)), .finished]))
        #expect(await log.waits(for: 3))
        #expect(await log.updates == [.position(fix(9)), .lost(.ended), .finished])
        await manager.stop()
    }

    @Test func tellsListenersWhyASourceCannotRun() async {
        let manager = PositioningManager(source: NMEAFileSource(path: "/nonexistent/drive.nmea"))
        var updates = await manager.updates().makeAsyncIterator()
        await manager.start()
        #expect(await updates.next() == .failed(.cannotOpen(path: "/nonexistent/drive.nmea", reason: "No such file or directory")))
    }

    @Test func givesASlowListenerWhatWaitedWithTheNewestLast() async throws {
        let manager = PositioningManager(source: ScriptedSource((0..<20).map { .position(fix(Double($0))) } + [.finished]))
        let updates = await manager.updates(bufferingNewest: 5)
        await manager.start()
        try await manager.waitUntilFinished()
        var batches = updates.batches.makeAsyncIterator()
        #expect(await batches.next() == [.position(fix(17)), .position(fix(18)), .position(fix(19)), .lost(.ended), .finished])
    }

    @Test func endsTheUpdatesWithTheManager() async {
        var manager: PositioningManager? = PositioningManager(source: ScriptedSource([]))
        let updates = await manager?.updates()
        manager = nil
        var iterator = updates?.makeAsyncIterator()
        #expect(await iterator?.next() == nil)
    }

    @Test func wakesAListenerThatIsCancelled() async {
        let manager = PositioningManager(source: ScriptedSource([]))
        let updates = await manager.updates()
        let listener = Task {
            for await _ in updates {}
            return true
        }
        listener.cancel()
        #expect(await listener.value)
    }

    @Test func prefersARoadThatIsMoreLikelyThanNot() async {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0)), .position(fix(1))], stays: true))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.matchPositions(with: EastOf(confidences: [0.4, 0.9]))
        await manager.start()
        #expect(await log.waits(for: 2))
        let doubtful = await log.updates[1]
        #expect(doubtful == .matched(EastOf.match(fix(0), confidence: 0.4)))
        #expect(await log.waits(for: 4))
        #expect(await manager.mapMatchedPosition == EastOf.match(fix(1), confidence: 0.9))
        #expect(await manager.currentPosition == EastOf.match(fix(1), confidence: 0.9).position)
        #expect(await manager.rawPosition == fix(1))
        await manager.matchPositions(with: nil)
        #expect(await manager.currentPosition == fix(1))
        await manager.stop()
    }

    /// Off the roads the road before is not the road any more, at no moment.
    @Test func leavesTheRoadWithTheFixThatIsOnNone() async {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0)), .position(fix(1))], stays: true))
        let log = UpdateLog()
        let looker = Looker(manager)
        await manager.attach(log)
        await manager.attach(looker)
        await manager.matchPositions(with: EastOf(confidences: [0.9]))
        await manager.start()
        #expect(await log.waits(for: 4))
        #expect(await log.updates[3] == .matched(nil))
        #expect(await manager.mapMatchedPosition == nil)
        #expect(await manager.currentPosition == fix(1))
        let match = EastOf.match(fix(0), confidence: 0.9)
        #expect(await looker.seen == [.init(raw: fix(0), match: match), .init(raw: fix(1), match: nil)])
        await manager.stop()
    }

    @Test func matchesOnlyWhileThatIsNeeded() async {
        let source = ScriptedSource([.position(fix(0)), .position(fix(1)), .position(fix(2))], stays: true)
        let manager = PositioningManager(source: source)
        #expect(await !manager.mapMatchingEnabled)
        let hold = await manager.hold(nil, reason: "page")
        let log = UpdateLog()
        await manager.attach(log)
        // It is needed for the second fix alone.
        await manager.attach(Needing(hold))
        await manager.matchPositions(with: EastOf(confidences: [0.9, 0.9, 0.9]), onlyOnNeed: true)
        #expect(await !manager.matchesPositions)
        await manager.start()
        #expect(await log.waits(for: 4))
        #expect(
            await log.updates == [
                .position(fix(0)), .position(fix(1)), .matched(EastOf.match(fix(1), confidence: 0.9)), .position(fix(2)),
            ])
        #expect(await manager.mapMatchedPosition == nil)
        await manager.setMapMatchingEnabled(true)
        #expect(await manager.matchesPositions)
        await manager.stop()
    }

    /// One coarse place for a whole privacy zone is on none of its roads.
    @Test func putsACoarsePlaceOnNoRoad() async {
        var coarse = fix(0)
        coarse.accuracy = HorizontalAccuracy(radiusMetres: 8_000, origin: .reduced)
        let manager = PositioningManager(source: ScriptedSource([.position(coarse)], stays: true))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.matchPositions(with: EastOf(confidences: [0.9]))
        await manager.start()
        #expect(await log.waits(for: 2))
        #expect(await log.updates == [.position(coarse), .matched(nil)])
        await manager.stop()
    }

    @Test func startsAListenerToSignificantChangesWithTheStoredPosition() async {
        var settings = PositioningManager.Settings()
        settings.storedPosition = fix(-90_000)
        let manager = PositioningManager(source: ScriptedSource([]), settings: settings)
        var updates = await manager.updates(.init(isSignificantOnly: true)).makeAsyncIterator()
        guard case .significantChange(let change) = await updates.next() else {
            Issue.record("no report")
            return
        }
        #expect(change.isCached)
        #expect(change.position == fix(-90_000))
    }

    @Test func forgetsWhereItWasWhenNobodyMaySeeIt() async {
        let source = ScriptedSource([.position(fix(0)), .lost(.withheld(.privateMode))], stays: true)
        let manager = PositioningManager(source: source)
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        #expect(await log.waits(for: 2))
        let updates = await manager.updates(.init(isSignificantOnly: true))
        await manager.stop()
        let told = Task {
            for await update in updates { if case .significantChange = update { return true } }
            return false
        }
        told.cancel()
        #expect(await !told.value)
    }

    private func updates(of source: ScriptedSource) async throws -> [PositioningUpdate] {
        let manager = PositioningManager(source: source)
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        try await manager.waitUntilFinished()
        return await log.updates
    }
}

/// Finds a road a little to the east, as likely as it is told.
private actor EastOf: PositionMatching {
    private var confidences: [Double]

    init(confidences: [Double]) { self.confidences = confidences }

    func match(_ position: Position) -> MatchedPosition? {
        confidences.isEmpty ? nil : EastOf.match(position, confidence: confidences.removeFirst())
    }

    func lose() {}

    static func match(_ position: Position, confidence: Double) -> MatchedPosition {
        var moved = position
        guard
            let place = Coordinate(
                latitudeDegrees: position.coordinate.latitudeDegrees, longitudeDegrees: position.coordinate.longitudeDegrees + 0.0001)
        else { fatalError("a place on Earth") }
        moved.coordinate = place
        return MatchedPosition(position: moved, confidence: confidence, wayID: 7, offsetMetres: 7.6)
    }
}

/// Looks at each position, and at its road, when it comes.
private actor Looker: PositioningConsumer {
    struct Sight: Equatable {
        var raw: Position?
        var match: MatchedPosition?
    }

    private unowned let manager: PositioningManager
    private(set) var seen: [Sight] = []

    init(_ manager: PositioningManager) { self.manager = manager }

    func consume(_ update: PositioningUpdate) async {
        guard case .position = update else { return }
        seen.append(Sight(raw: await manager.rawPosition, match: await manager.mapMatchedPosition))
    }
}

/// Needs places on roads between the first and the second position.
private actor Needing: PositioningConsumer {
    private let hold: PositioningHold

    init(_ hold: PositioningHold) { self.hold = hold }

    func consume(_ update: PositioningUpdate) {
        if case .position = update { hold.needsMatches.toggle() }
    }
}

/// Takes its time over a loss.
private actor SlowConsumer: PositioningConsumer {
    static let pause = Duration.milliseconds(300)
    private var hasHeard = false

    func consume(_ update: PositioningUpdate) async {
        guard case .lost = update else { return }
        hasHeard = true
        try? await Task.sleep(for: SlowConsumer.pause)  // Cancelled: no longer slow.
    }

    func hearsOfALoss() async -> Bool {
        for _ in 0..<1_000 where !hasHeard {
            try? await Task.sleep(for: .milliseconds(10))  // Nobody cancels a test.
        }
        return hasHeard
    }
}
