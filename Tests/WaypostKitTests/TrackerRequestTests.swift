import Testing
import WaypostControl
import WaypostKit
import WaypostSystem

/// Requests and holds, on a server of our own.
@Suite(.timeLimit(.minutes(2))) struct TrackerRequestTests {
    private let fake: FakeTracker
    private let tracker: Tracker

    init() throws {
        fake = try FakeTracker()
        tracker = Tracker(socket: fake.path)
    }

    @Test func asksAndIsAnswered() async throws {
        let server = try await fake.start()
        #expect(try await tracker.status().version == "1.2.3")
        await #expect(throws: ControlError.refused(code: "not_found", message: "destination: there is none")) {
            try await tracker.track("lunch")
        }
        #expect(await eventually { fake.connectionCount == 0 })
        await server.stop()
    }

    @Test func asksForManyAtOnce() async throws {
        let server = try await fake.start()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { [tracker] in try await tracker.status().version } }
            for try await version in group { #expect(version == "1.2.3") }
        }
        #expect(await eventually { fake.connectionCount == 0 })
        await server.stop()
    }

    @Test func saysThatNobodyListens() async throws {
        await #expect(throws: ControlError.notRunning(path: fake.path)) { try await tracker.status() }
        #expect("\(ControlError.notRunning(path: "/x"))".contains("not running"))
        let unset = Tracker(socket: "")
        await #expect(throws: ControlError.cannotConnect(path: "", reason: "its path is empty")) { try await unset.status() }
        await #expect(throws: ControlError.self) { for try await _ in unset.updates() where Task.isCancelled {} }
        let long = Tracker(socket: "/" + String(repeating: "x", count: 200))
        await #expect(throws: ControlError.pathTooLong(path: long.socket, limit: UnixSocket.maximumPathBytes)) { try await long.status() }
    }

    @Test func waitsNoLongerThanItIsTold() async throws {
        let server = try await fake.start()
        fake.fallSilent()
        await #expect(throws: ControlError.timedOut) { try await tracker.ask(CapabilitiesRequest(), within: .milliseconds(200)) }
        let waiting = Task { [tracker] in try await tracker.dispatchNow() }
        #expect(await eventually { fake.connectionCount == 1 })
        waiting.cancel()
        await #expect(throws: ControlError.cancelled) { try await waiting.value }
        #expect(await eventually { fake.connectionCount == 0 })
        await server.stop()
    }

    @Test func waitsNoLongerForAHello() async throws {
        let listener = try fake.listen(saying: [])
        let begin = ContinuousClock.now
        await #expect(throws: ControlError.timedOut) { try await tracker.status() }
        #expect(.now - begin < .seconds(15))
        withExtendedLifetime(listener) {}
    }

    /// The limit is for all of it, the greeting too.
    @Test func waitsNoLongerForAHelloThanItIsTold() async throws {
        let listener = try fake.listen(saying: [])
        for limit in [Duration.milliseconds(200), .zero, .seconds(-1)] {
            let begin = ContinuousClock.now
            await #expect(throws: ControlError.timedOut) { try await tracker.ask(StatusRequest(), within: limit) }
            await #expect(throws: ControlError.timedOut) { try await tracker.dispatchNow(within: limit) }
            await #expect(throws: ControlError.timedOut) { try await tracker.fullAccuracy(for: "photo", within: limit) }
            #expect(.now - begin < .seconds(4))
        }
        withExtendedLifetime(listener) {}
    }

    @Test func holdsUntilItIsReleasedOrDropped() async throws {
        let server = try await fake.start()
        let hold = try await tracker.hold(reason: "photo walk")
        #expect(hold.isHeld && fake.holds == ["photo walk"])
        do {
            let other = try await tracker.hold(reason: "other")
            #expect(fake.connectionCount == 2)
            withExtendedLifetime(other) {}
        }
        #expect(await eventually { fake.connectionCount == 1 })
        hold.release()
        #expect(!hold.isHeld)
        #expect(await eventually { fake.connectionCount == 0 })
        await server.stop()
    }

    @Test func holdsNoLongerThanTheUserMay() async throws {
        let server = try await fake.start()
        let hold = try await tracker.hold(reason: "photo walk")
        fake.give(.reduced, on: server)
        #expect(await eventually { !hold.isHeld && fake.connectionCount == 0 })
        // For good.
        fake.give(.full, on: server)
        try await Task.sleep(for: .milliseconds(300))
        #expect(!hold.isHeld && fake.holds.count == 1)
        await server.stop()
    }

    @Test func takesAHoldUpAgain() async throws {
        let first = try await fake.start()
        let hold = try await tracker.hold(reason: "photo walk")
        await first.stop()
        #expect(await eventually { !hold.isHeld })
        let second = try await fake.start()
        #expect(await eventually { hold.isHeld })
        #expect(fake.holds == ["photo walk", "photo walk"])
        hold.release()
        #expect(await eventually { fake.connectionCount == 0 })
        await second.stop()
    }

    @Test func releasesAHoldWhileThereIsNoTracker() async throws {
        let first = try await fake.start()
        var holds: [TrackerHold] = []
        for _ in 0..<5 { holds.append(try await tracker.hold(reason: "photo walk")) }
        await first.stop()
        #expect(await eventually { holds.allSatisfy { !$0.isHeld } })
        holds.removeLast(4)
        holds[0].release()
        let second = try await fake.start()
        try await Task.sleep(for: .milliseconds(500))
        #expect(fake.connectionCount == 0 && fake.holds.count == 5)
        await second.stop()
    }
}
