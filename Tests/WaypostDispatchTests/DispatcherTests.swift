import Foundation
import Synchronization
import Testing
import Waypost
import WaypostTestKit

@testable import WaypostDispatch

@Suite struct DispatcherTests {
    @Test func sendsEventsThenPositionsInOrderWithNumbersAndAges() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 4)
        fixture.log.log(1...10)
        try await dispatcher.accept((1...6).map(DispatchFixture.call))
        fixture.milliseconds.withLock { $0 += 2_500 }
        fixture.time.withLock { $0 = DispatchFixture.start.advanced(byMilliseconds: 60_000) }
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.takenNames == (1...6).map { "call \($0)" } + (1...10).map { "\($0)" })
        #expect(destination.batches.map(\.count) == [4, 2, 4, 4, 2])
        #expect(destination.taken.map(\.sequence) == Array(1...6) + Array(1...10))
        #expect(destination.taken.map(\.age) == Array(repeating: .milliseconds(2_500), count: 6) + (1...10).map { .seconds(60 - $0) })
        #expect(Set(destination.taken.map(\.id)).count == 16)
        #expect(try await dispatcher.dispatch() == .noData)
        #expect(destination.overlaps == 0)
    }

    @Test func callsTheDeviceWhatEachDestinationCallsIt() async throws {
        let fixture = try DispatchFixture()
        let (usual, other) = (ScriptedDestination(), ScriptedDestination())
        let dispatcher = try await fixture.dispatcher([("usual", usual)])
        var settings = DestinationSettings(name: "other", schedule: .init(interval: .zero, phaseOf: "other"))
        settings.device = "van"
        try await dispatcher.attach(other, settings)
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(usual.devices == ["box"] && other.devices == ["van"])
    }

    @Test func goesOnWhereItWasInTheNextRunWhateverItsSettingsAre() async throws {
        let fixture = try DispatchFixture()
        fixture.log.log(1...3)
        let first = try await fixture.dispatcher([("home", ScriptedDestination())])
        fixture.log.log(4...9)
        try await first.accept([DispatchFixture.call(1)])
        await first.stop()
        let destination = ScriptedDestination(maximumBatchCount: 2)
        let second = try await fixture.dispatcher([("home", destination)], batchCount: 3, interval: .seconds(600))
        #expect(try await second.dispatch().word == .good)
        #expect(destination.takenNames == ["call 1"] + (4...9).map { "\($0)" })
    }

    @Test func repeatsOnlyWithTheSameIDWhenAReceiptIsLost() async throws {
        let fixture = try DispatchFixture()
        let seen = Mutex<[String: Int]>([:])
        let destination = ScriptedDestination { records in
            seen.withLock { seen in for record in records { seen[record.id, default: 0] += 1 } }
            // It has them, and nobody hears of it the first time.
            return seen.withLock { $0[records[0].id] == 1 } ? .temporary(reason: "reset", retryAfter: nil) : .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 5)
        fixture.log.log(1...20)
        try await dispatcher.accept((1...10).map(DispatchFixture.call))
        var endings: [DispatchCompletion] = []
        while endings.last != .noData { endings.append(try await dispatcher.dispatch()) }
        #expect(endings.dropLast().dropLast().allSatisfy { $0.failures.map(\.reason) == ["reset"] })
        #expect(destination.takenNames == (1...10).map { "call \($0)" } + (1...20).map { "\($0)" })
        #expect(seen.withLock { $0.values.allSatisfy { $0 == 2 } })
    }

    /// Of several who ask at once each is told what was sent for them: together all that was sent, and nothing twice.
    @Test(.timeLimit(.minutes(1))) func tellsEachWhoAsksAtOnceWhatWasSentForThem() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 3)
        try await dispatcher.accept((1...30).map(DispatchFixture.call))
        let counts = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await dispatcher.dispatchNext() } }
            group.addTask { try await dispatcher.dispatch() }
            group.addTask { try await dispatcher.dispatch() }
            return try await group.reduce(into: [Int]()) { $0.append($1.receipts.reduce(0) { $0 + $1.count }) }
        }
        #expect(counts.reduce(0, +) == 30 && destination.takenNames.count == 30, "\(counts)")
        try await dispatcher.accept([DispatchFixture.call(31)])
        #expect(try await dispatcher.dispatch().receipts == [.init(destination: "home", count: 1)])
        #expect(try await dispatcher.dispatch() == .noData)
    }

    @Test(.timeLimit(.minutes(1))) func servesManyWhoAskAtOnceOneAfterTheOther() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 3)
        try await dispatcher.accept((1...30).map(DispatchFixture.call))
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { _ = try await dispatcher.dispatchNext() } }
            try await group.waitForAll()
        }
        await dispatcher.stop()
        #expect(destination.takenNames == (1...30).map { "call \($0)" })
        #expect(destination.overlaps == 0)
    }

    @Test func sendsWhatIsNewBetweenTheBatchesOfABacklog() async throws {
        let fixture = try DispatchFixture()
        fixture.log.log(1...1)
        let relay = Mutex<Dispatcher?>(nil)
        let count = Mutex(0)
        let destination = ScriptedDestination { _ in
            // A fix is logged while the third batch is on its way.
            if count.withLock({
                $0 += 1
                return $0 == 3
            }) {
                fixture.log.log(500...500)
                relay.withLock { $0 }?.noteWaiting()
            }
            return .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)], order: .live, batchCount: 8)
        relay.withLock { $0 = dispatcher }
        fixture.log.log(2...201)
        #expect(try await dispatcher.dispatch().word == .good)
        relay.withLock { $0 = nil }
        // The newest eight, a batch of the backlog, and the new one at once, long before the backlog's end.
        let place = try #require(destination.takenNames.firstIndex(of: "500"))
        #expect(place <= 32, "\(place)")
        #expect(Set(destination.takenNames).count == 201)
    }

    /// What cannot be reached for a while is no fault of anybody's; what does not move for longer is said.
    @Test func saysWhichDestinationDoesNotMove() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { _ in .unreachable(reason: "no route") }
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        func pass(_ seconds: Int64) async throws -> Bool {
            fixture.milliseconds.withLock { $0 += seconds * 1_000 }
            _ = try await dispatcher.dispatch()
            return try await dispatcher.statuses()[0].isStalled
        }
        #expect(try await !pass(0))
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await !pass(3_600))
        #expect(try await !pass(59))
        #expect(try await pass(1))
        #expect(try await dispatcher.statuses()[0].failingTime == .seconds(60))
        destination.setAnswer { _ in .good }
        #expect(try await !pass(100))
        #expect(try await dispatcher.statuses()[0].failingTime == nil)
    }

    @Test func marksAndCountsWhatMissesTheCutoff() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([])
        var settings = DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home"))
        // A minute after the start.
        settings.cutoff = DailyMoment(minuteOfDay: 3 * 60 + 26, zone: .utc)
        try await dispatcher.attach(destination, settings)
        for (seconds, now) in [(1...3, 28), (4...6, 68), (70...72, 80)] {
            fixture.log.log(seconds)
            fixture.time.withLock { $0 = DispatchFixture.start.advanced(byMilliseconds: Int64(now) * 1_000) }
            #expect(try await dispatcher.dispatch().word == .good)
        }
        #expect(destination.taken.filter(\.isLate).map(\.shortName) == ["4", "5", "6"])
        #expect(destination.taken.count == 9)
        #expect(try await dispatcher.statuses().map(\.state.lateCount) == [3])
        let bytes = NativeFormat.body(of: DispatchBatch(device: "box", time: nil, records: Array(destination.taken[2...3])))
        #expect(String(decoding: bytes, as: UTF8.self).split(separator: "\"late\":true").count == 2)
    }

    @Test func holdsUpNoOtherDestination() async throws {
        let fixture = try DispatchFixture()
        let (good, bad) = (ScriptedDestination(), ScriptedDestination { _ in .unreachable(reason: "no route") })
        let dispatcher = try await fixture.dispatcher([("good", good), ("bad", bad)])
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().failures == [.init(destination: "bad", reason: "no route")])
        #expect(try await dispatcher.dispatch("bad").word == .noData)
        #expect(good.takenNames == ["call 1"])
        let statuses = try await dispatcher.statuses()
        #expect(statuses.map(\.failure) == [nil, "no route"] && statuses.map(\.state.waitingEventCount) == [0, 1])
        await #expect(throws: OutboxError.unknownDestination(name: "ugly")) { try await dispatcher.dispatch("ugly") }
    }

    @Test func buriesWhatIsRefusedForEverWithTheServersWordsAndDeliversAllOthers() async throws {
        let fixture = try DispatchFixture()
        let notices = Mutex<[DispatchNotice]>([])
        let isMended = Mutex(false)
        let destination = ScriptedDestination { records in
            records.contains { $0.shortName == "call 7" } && !isMended.withLock { $0 } ? .refused(reason: "422: no such fence") : .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)]) { notice in notices.withLock { $0.append(notice) } }
        try await dispatcher.accept((1...20).map(DispatchFixture.call))
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.takenNames == ((1...6).map { $0 } + [8] + (9...20)).map { "call \($0)" })
        let letters = try await dispatcher.outbox.deadLetters()
        #expect(letters.map(\.record.shortName) == ["call 7"] && letters.map(\.reason) == ["422: no such fence"])
        #expect(letters.map(\.record.sequence) == [7])
        #expect(notices.withLock { $0 } == [.buried(destination: "home", count: 1, reason: "422: no such fence")])
        // Tried again, refused again, then taken at last.
        for (mended, left) in [(false, 1), (true, 0)] {
            isMended.withLock { $0 = mended }
            #expect(try await dispatcher.retryDeadLetters(of: "home") == 1)
            _ = try await dispatcher.dispatch()
            #expect(try await dispatcher.outbox.deadLetters().count == left)
        }
        #expect(destination.takenNames.last == "call 7")
    }

    @Test(
        arguments: [
            .refused(reason: "400"), .denied(reason: "404"), .denied(reason: "certificate"),
            .temporary(reason: "503", retryAfter: .seconds(9)),
        ] as [DeliveryOutcome])
    func losesNothingToAServerThatRefusesEverythingForHours(outcome: DeliveryOutcome) async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { _ in outcome }
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        try await dispatcher.accept((1...30).map(DispatchFixture.call))
        fixture.log.log(1...30)
        for _ in 0..<5 {
            guard try await dispatcher.dispatch().word == .error else { throw Unexpected("it must say that it failed") }
        }
        destination.setAnswer { _ in .good }
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.takenNames == (1...30).map { "call \($0)" } + (1...30).map { "\($0)" })
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
    }

    @Test func takesWhatItHasNoWordForAsNoProofThatTheServerTakesOthers() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination(answer: { _ in .refused(reason: "400") }, carries: { $0.kind == "position" })
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        for round in 0..<6 {
            fixture.log.log(round * 5 + 1...round * 5 + 5)
            try await dispatcher.accept((1...3).map { DispatchFixture.call(round * 3 + $0) })
            _ = try await dispatcher.dispatch()
        }
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
        destination.setAnswer { _ in .good }
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.takenNames == (1...30).map { "\($0)" })
    }

    @Test func sendsTheNewestFirstAfterAnOutageAndTheRestInOrder() async throws {
        let fixture = try DispatchFixture()
        let isDown = Mutex(true)
        let destination = ScriptedDestination { _ in isDown.withLock { $0 } ? .unreachable(reason: "no network") : .good }
        let dispatcher = try await fixture.dispatcher([("home", destination)], order: .live, batchCount: 4)
        for end in [50, 100] {
            fixture.log.log(end - 49...end)
            #expect(try await dispatcher.dispatch().word == .noData)
        }
        isDown.withLock { $0 = false }
        #expect(try await dispatcher.dispatch().word == .good)
        let live = destination.taken.filter { $0.lane == .live }.map(\.shortName)
        let history = destination.taken.filter { $0.lane == .history }.map(\.shortName)
        #expect(live.last == "100" && destination.taken.first?.lane == .live)
        #expect(history == (1...100).map { "\($0)" }.filter { !live.contains($0) })
        #expect(destination.taken.filter { $0.lane == .history }.map(\.sequence) == Array(1...UInt64(history.count)))
        #expect(live.count + history.count == 100)
        #expect(try await dispatcher.statuses()[0].waitingPositionCount == 0)
    }

    /// A new one begins with what was logged since the run began; one that is known goes on where it was.
    @Test func attachesADestinationLaterThanTheRunBegan() async throws {
        let fixture = try DispatchFixture()
        fixture.log.log(1...10)
        let (known, new) = (ScriptedDestination(), ScriptedDestination())
        await (try await fixture.dispatcher([("known", known)])).stop()
        fixture.log.log(11...12)
        let dispatcher = Dispatcher(outbox: try fixture.outbox(), supply: fixture.log, device: "box", clock: fixture.clock)
        for (name, destination) in [("known", known), ("new", new)] {
            let settings = DestinationSettings(name: name, schedule: .init(interval: .zero, phaseOf: name))
            try await dispatcher.attach(destination, settings, after: 30)
        }
        #expect(try await dispatcher.dispatch().word == .good)
        #expect((known.taken.count, new.taken.count) == (2, 2))
    }

    @Test func sendsOneBatchWhenAskedForTheNext() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 3)
        try await dispatcher.accept((1...5).map(DispatchFixture.call))
        #expect(try await dispatcher.dispatchNext().word == .good)
        #expect(destination.taken.count == 3)
        #expect(try await dispatcher.dispatchNext().word == .good)
        #expect(try await dispatcher.dispatchNext() == .noData)
    }

    @Test func tellsWhatADryRunWouldSendAndKeepsIt() async throws {
        let fixture = try DispatchFixture()
        let notices = Mutex<[DispatchNotice]>([])
        let destination = ScriptedDestination()
        let dispatcher = Dispatcher(outbox: try fixture.outbox(), supply: fixture.log, device: "box", clock: fixture.clock) { notice in
            notices.withLock { $0.append(notice) }
        }
        var settings = DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home"))
        settings.isDryRun = true
        try await dispatcher.attach(destination, settings)
        try await dispatcher.accept((1...5).map(DispatchFixture.call))
        #expect(try await dispatcher.dispatch() == .noData)
        #expect(destination.batches.isEmpty && notices.withLock { $0 } == [.dryRun(destination: "home", count: 5)])
        #expect(try await dispatcher.statuses()[0].state.waitingEventCount == 5)
    }

    @Test func endsDrainingWithTheTime() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { _ in
            fixture.milliseconds.withLock { $0 += 1_000 }
            return .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 1)
        try await dispatcher.accept((1...9).map(DispatchFixture.call))
        #expect(try await dispatcher.drain(budget: .seconds(4)).word == .good)
        #expect(destination.taken.count == 4)
        #expect(try await dispatcher.drain(budget: .seconds(60)).word == .good)
        #expect(destination.taken.count == 9)
    }

    @Test func saysThatTheLogCannotBeReadAndGoesOnLater() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        fixture.log.log(1...2)
        try await dispatcher.accept([DispatchFixture.call(1)])
        fixture.log.isBroken.withLock { $0 = true }
        #expect(
            try await dispatcher.dispatch()
                == DispatchCompletion(
                    word: .error, receipts: [.init(destination: "home", count: 1)],
                    failures: [.init(destination: "home", reason: "the disk is gone")]))
        #expect(destination.takenNames == ["call 1"])
        fixture.log.isBroken.withLock { $0 = false }
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.takenNames == ["call 1", "1", "2"])
    }

    @Test func hasNoAgeWhenNobodyKnowsTheTime() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        fixture.time.withLock { $0 = nil }
        fixture.log.log(1...1)
        try await dispatcher.accept([DispatchFixture.call(1)])
        fixture.milliseconds.withLock { $0 -= 5_000 }
        _ = try await dispatcher.dispatch()
        // A clock that went back makes nothing negative.
        #expect(destination.taken.map(\.age) == [.zero, nil])
    }

    @Test func keepsTheContractOfDestinationsInItsOwnTests() async {
        let violations = await DestinationContract().violations(of: ScriptedDestination())
        #expect(violations.isEmpty, "\(violations)")
        let liar = ScriptedDestination { records in .delivered(refused: ["stranger": "?"], answer: "") }
        #expect(await DestinationContract().violations(of: liar).count > 3)
        #expect(await DestinationContract().violations(of: ScriptedDestination { _ in .refused(reason: "") }).count > 3)
    }

    @Test func waitsForItsMomentByItself() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination()
        let dispatcher = Dispatcher(outbox: try fixture.outbox(), supply: fixture.log, device: "box", clock: .system)
        try await dispatcher.attach(
            destination, DestinationSettings(name: "home", schedule: .init(interval: .seconds(1), phaseOf: "home")))
        try await dispatcher.accept([DispatchFixture.call(1)])
        fixture.log.log(1...1)
        let end = ContinuousClock.now + .seconds(5)
        while destination.taken.count < 2, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        #expect(destination.takenNames == ["call 1", "1"])
        // Empty: nothing is planned any more.
        try await Task.sleep(for: .milliseconds(1_200))
        #expect(try await dispatcher.statuses()[0].timeToNextAttempt == nil)
        await dispatcher.stop()
    }
}
