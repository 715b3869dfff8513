import Synchronization
import Testing
import Waypost
import WaypostPositioning

@Suite(.timeLimit(.minutes(2))) struct LiveUpdatesTests {
    // MARK: - Beginning and end

    @Test func startsTheSourceAndEndsWithIt() async {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0)), .position(fix(1))]))
        var seen: [PositioningUpdate] = []
        for await update in manager.liveUpdates() { seen.append(update) }
        #expect(seen == [.position(fix(0)), .position(fix(1)), .lost(.ended), .finished])
        #expect(await !manager.isRunning)
        // The next loop begins it anew.
        var again = manager.liveUpdates().makeAsyncIterator()
        #expect(await again.next() == .position(fix(0)))
    }

    @Test func endsWithAFailure() async {
        let source = ReplaySource(path: "/nowhere/drive.gpx", format: .gpx)
        var seen: [PositioningUpdate] = []
        for await update in PositioningManager(source: source).liveUpdates() { seen.append(update) }
        guard case .failed(.cannotOpen)? = seen.last, seen.count == 1 else {
            Issue.record("\(seen)")
            return
        }
    }

    @Test func endsWhenTheManagerIsStopped() async {
        let manager = PositioningManager(source: PlayedSource(count: .max))
        let loop = Task {
            var count = 0
            for await _ in manager.liveUpdates() { count += 1 }
            return count
        }
        #expect(await eventually(within: 10) { await manager.rawPosition != nil })
        await manager.stop()
        #expect(await loop.value > 0)
    }

    @Test func needsNothingWhenTheLoopIsOver() async {
        let source = PlayedSource(count: .max)
        let manager = PositioningManager(source: source)
        for await _ in manager.liveUpdates() { break }
        #expect(await eventually(within: 10) { await manager.pace == .unneeded && !source.isRunning })
        let cancelled = Task { for await _ in manager.liveUpdates() {} }
        #expect(await eventually(within: 10) { source.isRunning })
        cancelled.cancel()
        await cancelled.value
        #expect(await eventually(within: 10) { await manager.pace == .unneeded && !source.isRunning })
        #expect(await manager.clients == [])
    }

    /// A first fix by one loop, then everything by another: the second gets the recording from its beginning on, however soon it comes.
    @Test(arguments: [0, 20, 200]) func beginsARecordingAnewForTheNextLoop(pauseMilliseconds: Int) async throws {
        let manager = PositioningManager(source: PlayedSource(count: 300))
        for _ in 0..<10 {
            for await _ in manager.liveUpdates() { break }
            try await Task.sleep(for: .milliseconds(pauseMilliseconds))
            var count = 0
            for await update in manager.liveUpdates() { if case .position = update { count += 1 } }
            #expect(count == 300)
        }
    }

    /// Sources of other programmers may report anything: nothing of it stops the program.
    @Test func takesNumbersThatCannotBeForUnknown() async throws {
        var odd = fix(1)
        (odd.speedMetresPerSecond, odd.courseDegrees, odd.altitudeMSLMetres) = (.nan, .infinity, -.infinity)
        var old = fix(2)
        old.time = UTCTime(millisecondsSince1970: .max)
        let manager = PositioningManager(source: ScriptedSource([.position(odd), .position(old), .position(fix(3))]))
        var positions: [Position] = []
        for await update in manager.liveUpdates() { if case .position(let position) = update { positions.append(position) } }
        #expect(positions.map(\.speedMetresPerSecond) == [nil, nil, nil] && positions.map(\.courseDegrees) == [nil, nil, nil])
        #expect(positions.map(\.time) == [fix(1).time, nil, fix(3).time] && positions[0].altitudeMSLMetres == nil)
    }

    // MARK: - Buffers

    /// A replay at full speed waits for slow loops: neither of two misses anything.
    @Test func losesNothingOfARecording() async {
        let count = 3_000
        let manager = PositioningManager(source: PlayedSource(count: count))
        let live = manager.liveUpdates()
        // Both before it starts.
        let gate = Gate()
        let loops = [0, 1].map { index in
            Task {
                var iterator = live.makeAsyncIterator()
                var times: [UTCTime?] = []
                while let update = await iterator.next() {
                    if case .position(let position) = update { times.append(position.time) }
                    if times.count == 1 { await gate.pass() }
                    if index == 1, times.count % 50 == 0 { try? await Task.sleep(for: .milliseconds(2)) }
                }
                #expect(iterator.droppedCount == 0)
                return times
            }
        }
        for loop in loops {
            let times = await loop.value
            #expect(times.last == fix(Double(count - 1)).time)
            // One of them may have begun a few fixes after the other.
            #expect(times.count >= count - 64 && Set(times).count == times.count)
        }
    }

    @Test func dropsTheOldestOfAReceiver() async {
        let manager = PositioningManager(source: ScriptedSource((0..<500).map { .position(fix(Double($0))) }, stays: true))
        var updates = manager.liveUpdates().makeAsyncIterator()
        #expect(await updates.next() != nil)
        #expect(await eventually(within: 10) { await manager.rawPosition == fix(499) })
        await manager.stop()
        var last: PositioningUpdate?
        var count = 1
        while let update = await updates.next() {
            last = update
            count += 1
        }
        #expect(last == .position(fix(499)))
        #expect(updates.droppedCount > 0 && count + updates.droppedCount == 500)
    }

    /// Who loops may ask anything of the manager, and stop it, while the source waits for the loop.
    @Test func asksAnythingFromTheLoop() async throws {
        let source = PlayedSource(count: .max)
        let manager = PositioningManager(source: source)
        var count = 0
        for await _ in manager.liveUpdates() {
            count += 1
            if count == 1 {
                // Until the source waits.
                try await Task.sleep(for: .milliseconds(50))
                let before = source.toldCount
                await manager.answer()
                _ = await manager.hold(.everyFix, reason: "short")
                #expect(source.toldCount - before <= 1)
            }
            if count == 100 { await manager.stop() }
        }
        #expect(count >= 100 && count < 200)
        #expect(await !manager.isRunning && !source.isRunning)
    }

    @Test func letsAnotherSourceTakeOverWhileNobodyTakes() async {
        let manager = PositioningManager(source: PlayedSource(count: .max))
        var updates = manager.liveUpdates().makeAsyncIterator()
        _ = await updates.next()
        await manager.use(ScriptedSource([.position(fix(-1))]))
        var seen: [PositioningUpdate] = []
        while let update = await updates.next() { seen.append(update) }
        #expect(seen.suffix(3) == [.position(fix(-1)), .lost(.ended), .finished])
    }

    // MARK: - Options

    @Test func changesWhatComesWhileItRuns() async {
        let source = PlayedSource(count: .max)
        let manager = PositioningManager(source: source)
        let live = manager.liveUpdates()
        var updates = live.makeAsyncIterator()
        #expect(await updates.next() == .position(fix(0)))
        await live.change(to: .init(distanceFilterMetres: 1_000))
        #expect(live.options.distanceFilterMetres == 1_000)
        var places: [Coordinate] = []
        while places.count < 60, let update = await updates.next() {
            if case .position(let position) = update { places.append(position.coordinate) }
        }
        // What waited already comes first.
        let steps = zip(places, places.dropFirst()).map { Geodesic.distanceMetres(from: $0, to: $1) }
        #expect(steps.last ?? 0 >= 1_000, "\(steps)")
        await live.change(to: .significantChanges)
        var change: PositioningUpdate?
        while change == nil, let update = await updates.next() {
            if case .significantChange = update { change = update }
        }
        guard case .significantChange(let report)? = change else {
            Issue.record("no significant change")
            return
        }
        // It has had positions: the one that is known is no news.
        #expect(!report.isCached)
        await manager.stop()
    }

    @Test func beginsSignificantChangesWithTheLastKnownPosition() async {
        var settings = PositioningManager.Settings()
        settings.storedPosition = fix(-1_000)
        let manager = PositioningManager(source: PlayedSource(count: .max), settings: settings)
        var updates = manager.liveUpdates(.significantChanges).makeAsyncIterator()
        guard case .significantChange(let report)? = await updates.next() else {
            Issue.record("no report")
            return
        }
        #expect(report.isCached && report.position == fix(-1_000))
        await manager.stop()
    }

    // MARK: - Attachments

    @Test func tellsAConsumerNothingAfterItWasDetached() async {
        let manager = PositioningManager(source: PlayedSource(count: .max))
        let (kept, detached, dropped) = (UpdateLog(), UpdateLog(), UpdateLog())
        await manager.attach(kept)
        let attachment = await manager.attachment(of: detached)
        var other: PositioningAttachment? = await manager.attachment(of: dropped)
        await manager.start()
        #expect(await detached.waits(for: 10))
        #expect(await dropped.waits(for: 10))
        attachment.detach()
        withExtendedLifetime(other) {}
        other = nil
        await manager.answer()
        let counts = (await detached.updates.count, await dropped.updates.count, await kept.updates.count)
        #expect(await kept.waits(for: counts.2 + 50))
        #expect(await detached.updates.count == counts.0)
        #expect(await dropped.updates.count == counts.1)
        attachment.detach()
        await manager.stop()
    }

    @Test func detachesAConsumerFromWithin() async {
        let manager = PositioningManager(source: PlayedSource(count: 200))
        let first = DetachingConsumer(after: 3)
        first.keep(await manager.attachment(of: first))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        #expect(await log.waits(for: 200))
        #expect(first.count == 3)
        await manager.stop()
    }

    // MARK: - Whatever happens when

    /// Loops, consumers, stops and swaps at random moments: nothing hangs, and in the end nobody needs anything.
    @Test func survivesLoopsAtRandom() async {
        let source = PlayedSource(count: .max)
        let manager = PositioningManager(source: source)
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(.random(in: 0...200)))
                    let loop = Task {
                        var count = 0
                        for await _ in manager.liveUpdates(number % 3 == 0 ? .significantChanges : .everyFix) {
                            count += 1
                            if count == 20 + number { break }
                            if number % 7 == 0, count == 10 { await manager.stop() }
                        }
                    }
                    if number % 5 == 0 { await manager.use(PlayedSource(count: 100_000)) }
                    try? await Task.sleep(for: .milliseconds(.random(in: 0...100)))
                    loop.cancel()
                    await loop.value
                }
            }
        }
        #expect(await eventually(within: 10) { await manager.clients == [] })
        await manager.stop()
        #expect(await !manager.isRunning)
    }
}

/// A recording without pauses: a fix a second, as fast as they are taken.
private final class PlayedSource: PositionSource {
    let name = "played"
    let sharing = SourceSharing.alone
    let tellsLosses = true
    let playbackControls = [PlaybackControl()]
    private let count: Int
    private let state = Mutex((toldCount: 0, runningCount: 0))

    init(count: Int) {
        self.count = count
    }

    var toldCount: Int { state.withLock { $0.toldCount } }
    var isRunning: Bool { state.withLock { $0.runningCount > 0 } }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        state.withLock { $0.runningCount += 1 }
        defer { state.withLock { $0.runningCount -= 1 } }
        var number = 0
        while number < count, !Task.isCancelled {
            await output(.position(PlayedSource.position(number)))
            state.withLock { $0.toldCount += 1 }
            number += 1
            // Two of these take both threads of a small machine for ever.
            await Task.yield()
        }
        if number == count { await output(.finished) }
    }

    /// As `fix`, and round and round so that it stays on the earth.
    private static func position(_ number: Int) -> Position {
        var position = fix(Double(number % 20_000))
        position.time = UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(number) * 1_000)
        return position
    }
}

/// Detaches itself after so many updates.
private final class DetachingConsumer: PositioningConsumer {
    private let limit: Int
    private let state = Mutex<(count: Int, attachment: PositioningAttachment?)>((0, nil))

    init(after limit: Int) {
        self.limit = limit
    }

    var count: Int { state.withLock { $0.count } }

    func keep(_ attachment: PositioningAttachment) { state.withLock { $0.attachment = attachment } }

    func consume(_ update: PositioningUpdate) {
        let attachment = state.withLock { state in
            state.count += 1
            return state.count == limit ? state.attachment : nil
        }
        attachment?.detach()
    }
}

/// Lets nobody through before two are there.
private final class Gate: Sendable {
    private let count = Mutex(0)

    func pass() async {
        count.withLock { $0 += 1 }
        while count.withLock({ $0 }) < 2 { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
