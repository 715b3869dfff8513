import Testing
import Waypost
import WaypostControl
import WaypostKit

/// Loops over what a tracker tells, on a server of our own.
@Suite(.timeLimit(.minutes(2))) struct TrackerFeedTests {
    private let fake: FakeTracker
    private let tracker: Tracker

    init() throws {
        fake = try FakeTracker()
        tracker = Tracker(socket: fake.path)
    }

    @Test func tellsWhatTheTrackerTells() async throws {
        let server = try await fake.start()
        var updates = tracker.updates().makeAsyncIterator()
        guard case .connected(let status)? = try await updates.next() else { throw Unexpected() }
        #expect(status.version == "1.2.3")
        server.tell(1)
        server.tell(event: "a")
        server.broadcast(PositionLoss().line, topic: .loss)
        #expect(try await updates.next() == .position(position(1)))
        guard case .event(let event)? = try await updates.next() else { throw Unexpected() }
        #expect(event.id == "a")
        #expect(try await updates.next() == .lost(PositionLoss()))
        await server.stop()
    }

    @Test func asksForWhatTheLoopWants() async throws {
        let server = try await fake.start()
        let loops = [
            Task { [tracker] in for try await _ in tracker.positions(.init(distanceFilterMetres: 50)) {} },
            Task { [tracker] in for try await _ in tracker.events {} },
        ]
        #expect(await eventually { fake.watches.count == 2 })
        #expect(fake.watches.contains { $0.selection.distanceFilterMetres == 50 && $0.positions })
        #expect(fake.watches.contains { !$0.positions })
        for loop in loops {
            loop.cancel()
            try await loop.value
        }
        await server.stop()
    }

    @Test func goesOnWithTheNextTracker() async throws {
        let first = try await fake.start()
        var updates = tracker.updates().makeAsyncIterator()
        _ = try await updates.next()
        first.tell(1)
        first.tell(event: "a")
        _ = try await updates.next()
        _ = try await updates.next()
        await first.stop()
        #expect(try await updates.next() == .disconnected(.closed(byService: false)))
        #expect(try await updates.next() == .disconnected(.notRunning(path: fake.path)))
        let second = try await fake.start()
        guard case .connected? = try await updates.next() else { throw Unexpected() }
        // What it tells again, as it does not know who has heard of it, is told once.
        second.tell(event: "a")
        second.tell(1)
        second.tell(event: "b")
        second.tell(2)
        guard case .event(let event)? = try await updates.next() else { throw Unexpected() }
        #expect(event.id == "b")
        #expect(try await updates.next() == .position(position(2)))
        await second.stop()
    }

    private func next(_ updates: inout TrackerFeed<TrackerUpdate>.Iterator) async throws -> String {
        switch try await updates.next() {
        case .connected: "connected"
        case .event(let event): event.id
        case .authorisation(let authorisation): "\(authorisation.level)"
        case .disconnected: try await next(&updates)
        case let other: throw Unexpected("\(String(describing: other))")
        }
    }

    /// What a tracker lists that the user could not know of before is no news, then or after a restart.
    @Test(arguments: [true, false]) func makesNoNewsOfWhatTheUserMightNotKnow(isGivenMeanwhile: Bool) async throws {
        fake.give(.reduced)
        fake.list(["a", "b"])
        let first = try await fake.start()
        var updates = tracker.updates().makeAsyncIterator()
        #expect(try await next(&updates) == "connected")
        if !isGivenMeanwhile {
            fake.give(.full, on: first)
            #expect(try await next(&updates) == "full")
            first.tell(event: "c")
            #expect(try await next(&updates) == "c")
        }
        await first.stop()
        fake.give(.full)
        fake.list(["a", "b", "c", "d"], newCount: 1)
        let second = try await fake.start()
        #expect(try await next(&updates) == "connected")
        second.tell(event: "a")
        second.tell(event: "e")
        // It has been there for "d" only where it could know.
        #expect(try await next(&updates) == (isGivenMeanwhile ? "a" : "d"))
        #expect(try await next(&updates) == "e")
        await second.stop()
    }

    /// The tracker may have told what it had missed before the loop was connected.
    @Test func tellsWhatATrackerHasReportedForWhichTheLoopHasWaited() async throws {
        var updates = tracker.updates().makeAsyncIterator()
        #expect(try await updates.next() == .disconnected(.notRunning(path: fake.path)))
        fake.list(["old", "late"], newCount: 1)
        let server = try await fake.start()
        #expect(try await next(&updates) == "connected")
        #expect(try await next(&updates) == "late")
        server.tell(event: "news")
        #expect(try await next(&updates) == "news")
        await server.stop()

        let second = try await fake.start()
        var others = tracker.updates().makeAsyncIterator()
        #expect(try await next(&others) == "connected")
        second.tell(event: "later")
        #expect(try await next(&others) == "later")
        await second.stop()
    }

    @Test func waitsForATrackerThatIsNotThereYet() async throws {
        let positions = Task { [tracker] in
            var iterator = tracker.positions().makeAsyncIterator()
            return try await iterator.next()
        }
        try await Task.sleep(for: .milliseconds(300))
        let server = try await fake.start()
        #expect(await eventually { fake.watches.count == 1 })
        server.tell(7)
        #expect(try await positions.value == position(7).position)
        await server.stop()
    }

    @Test func tellsTwoLoopsTheSame() async throws {
        let server = try await fake.start()
        let feed = tracker.positions()
        let loops = (0..<2).map { _ in
            Task {
                var seen: [UTCTime?] = []
                for try await position in feed {
                    seen.append(position.time)
                    if seen.count == 20 { break }
                }
                return seen
            }
        }
        #expect(await eventually { fake.watches.count == 2 })
        for second in 0..<20 { server.tell(second) }
        for loop in loops { #expect(try await loop.value == (0..<20).map { moment($0) }) }
        #expect(await eventually { fake.connectionCount == 0 })
        await server.stop()
    }

    @Test func givesTheConnectionBackWhenALoopEnds() async throws {
        let server = try await fake.start()
        for _ in 0..<5 {
            for try await update in tracker.updates() {
                guard case .connected = update else { throw Unexpected() }
                break
            }
        }
        #expect(await eventually { fake.connectionCount == 0 })
        let cancelled = Task { [tracker] in for try await _ in tracker.events {} }
        #expect(await eventually { fake.connectionCount == 1 })
        cancelled.cancel()
        try await cancelled.value
        #expect(await eventually { fake.connectionCount == 0 })
        await server.stop()
    }

    @Test func endsWheneverItIsCancelled() async throws {
        var server = try await fake.start()
        for round in 0..<200 {
            let loop = Task { [tracker] in for try await _ in tracker.updates() {} }
            if round % 20 == 10 {
                await server.stop()
                server = try await fake.start()
            }
            server.tell(round)
            try await Task.sleep(for: .microseconds(.random(in: 0...3_000)))
            loop.cancel()
            try await loop.value
        }
        #expect(await eventually { fake.connectionCount == 0 })
        await server.stop()
    }

    @Test func countsWhatASlowLoopMisses() async throws {
        let server = try await fake.start(limits: .init(waitingLines: 10, unsentBytes: 4_096))
        var updates = tracker.updates().makeAsyncIterator()
        _ = try await updates.next()
        let count = 20_000
        for second in 0..<count { server.tell(second) }
        await server.answer()
        var (told, missed) = (0, 0)
        var last: UTCTime?
        while told + missed < count {
            switch try await updates.next() {
            case .position(let watched)?:
                if let last, let time = watched.position.time { #expect(time > last) }
                last = watched.position.time
                told += 1
            case .missed(let count)?: missed += count
            case let other: throw Unexpected("\(String(describing: other))")
            }
        }
        #expect(told + missed == count)
        // No more than the buffers of both sides and of the socket were kept.
        #expect(missed > count / 2, "\(told) told, \(missed) missed")
        await server.stop()
    }

    @Test func endsWhereSomethingElseListens() async throws {
        let listener = try fake.listen(saying: Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
        await #expect(throws: ControlError.protocolMismatch(found: nil)) { for try await _ in tracker.updates() {} }
        withExtendedLifetime(listener) {}
    }

    @Test(arguments: [
        #"{"class":"HELLO","protocol":2}"# + "\n", #"{"class":"HELLO","protocol":1}"# + "\n\u{0}\u{1}garbage\n",
        #"{"class":"HELLO","protocol":1}"# + "\n{}\n", #"{"class":"HELLO","protocol":1}"# + "\n" + #"{"class":"STATUS"}"# + "\n",
    ])
    func endsOnGarbage(text: String) async throws {
        let listener = try fake.listen(saying: Array(text.utf8))
        await #expect(throws: ControlError.self) { for try await _ in tracker.updates() {} }
        withExtendedLifetime(listener) {}
    }

    @Test func endsOnALineWithoutEnd() async throws {
        let listener = try fake.listen(saying: [UInt8](repeating: UInt8(ascii: "x"), count: 5 << 20))
        await #expect(throws: ControlError.protocolMismatch(found: nil)) { for try await _ in tracker.updates() {} }
        withExtendedLifetime(listener) {}
    }

    @Test func triesAgainWithATrackerThatHangs() async throws {
        var listener: RawListener? = try fake.listen(saying: [])
        var updates = tracker.updates().makeAsyncIterator()
        #expect(try await updates.next() == .disconnected(.timedOut))
        // It is ended by its watchdog, and the next one answers.
        withExtendedLifetime(listener) {}
        listener = nil
        let server = try await fake.start()
        var next = try await updates.next()
        if case .disconnected? = next { next = try await updates.next() }
        guard case .connected? = next else { throw Unexpected("\(String(describing: next))") }
        await server.stop()
    }
}

struct Unexpected: Error, CustomStringConvertible {
    var description = "another update was expected"

    init(_ description: String = "another update was expected") { self.description = description }
}
