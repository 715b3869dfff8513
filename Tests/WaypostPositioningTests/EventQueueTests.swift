import Foundation
import Synchronization
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem

@Suite struct EventQueueTests {
    @Test func deliversInOrderAndEnds() async throws {
        let queue = EventQueue(capacity: 8, whenFull: .waits)
        for number in 0..<5 { #expect(queue.send(fix(number))) }
        queue.finish()
        #expect(queue.send(fix(9)) == false)
        #expect(try await queue.nextBatch() == (0..<5).map(fix))
        #expect(try await queue.nextBatch() == nil)
        #expect(try await queue.nextBatch() == nil)
    }

    @Test func throwsTheFailureAfterTheLastEvent() async throws {
        let failure = PositionSourceError.unusable(path: "x", reason: "y")
        let queue = EventQueue(capacity: 8, whenFull: .waits)
        queue.send(fix(1))
        queue.finish(failure)
        #expect(try await queue.nextBatch() == [fix(1)])
        await #expect(throws: failure) { try await queue.nextBatch() }
    }

    @Test func aFullQueueMakesTheSenderWait() async throws {
        let queue = EventQueue(capacity: 2, whenFull: .waits)
        let sent = Atomic(0)
        try await confirmation { allSent in
            let sender = try DedicatedThread.start(name: "sender") { _ in
                for number in 0..<100 where queue.send(fix(number)) { sent.add(1, ordering: .relaxed) }
                queue.finish()
            }
            for _ in 0..<1_000 where sent.load(ordering: .relaxed) < 2 { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(50))
            #expect(sent.load(ordering: .relaxed) == 2)
            var received: [PositionSourceEvent] = []
            while let batch = try await queue.nextBatch() {
                #expect(batch.count <= 2)
                received += batch
            }
            #expect(received == (0..<100).map(fix))
            #expect(queue.droppedCount == 0)
            sender.raise()
            allSent()
        }
    }

    @Test func aFullLiveQueueDropsTheOldestAndCounts() async throws {
        let queue = EventQueue(capacity: 3, whenFull: .dropsOldest)
        queue.send(.lost(.silent))
        for number in 0..<10 { #expect(queue.send(fix(number))) }
        #expect(queue.droppedCount == 8)
        #expect(try await queue.nextBatch() == [.lost(.silent), fix(8), fix(9)])
    }

    @Test func aThreadDoesTheWorkOfWhatItSends() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let names = Mutex<[String: Int]>([:])
            let count = 100
            try await EventQueue.run(threadName: "receiver", whenFull: .dropsOldest) { _ in
                let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                names.withLock { $0[name ?? "", default: 0] += 1 }
            } body: { queue, stop in
                for number in 0..<count where stop.sleep(milliseconds: 25) { queue.send(fix(number)) }
            }
            #expect(names.withLock { $0["receiver\n", default: 0] } > 9 * count / 10, "\(names.withLock { $0 })")
        }
    }

    @Test func aLiveQueueFullOfLossesStaysBounded() async throws {
        let queue = EventQueue(capacity: 2, whenFull: .dropsOldest)
        for number in 0..<5 { queue.send(.lost(.disconnected("\(number)"))) }
        #expect(try await queue.nextBatch() == [.lost(.disconnected("3")), .lost(.disconnected("4"))])
    }

    @Test func closingFreesASenderThatWaits() async throws {
        let queue = EventQueue(capacity: 1, whenFull: .waits)
        queue.send(fix(0))
        let answers = AsyncStream<Bool>.makeStream()
        _ = try DedicatedThread.start(name: "sender") { _ in answers.continuation.yield(queue.send(fix(1))) }
        try await Task.sleep(for: .milliseconds(50))
        queue.close()
        for await answer in answers.stream {
            #expect(answer == false)
            break
        }
        #expect(try await queue.nextBatch() == nil)
    }

    @Test func cancellationEndsAWaitingReceiver() async throws {
        let queue = EventQueue(capacity: 1, whenFull: .waits)
        let receiver = Task { try await queue.nextBatch() }
        try await Task.sleep(for: .milliseconds(50))
        receiver.cancel()
        #expect(try await receiver.value == nil)
        #expect(queue.send(fix(0)) == false)
    }

    @Test func wakesAReceiverForEveryEvent() async throws {
        let queue = EventQueue(capacity: 4, whenFull: .waits)
        _ = try DedicatedThread.start(name: "sender") { _ in
            for number in 0..<20_000 { queue.send(fix(number)) }
            queue.finish()
        }
        var received: [PositionSourceEvent] = []
        while let batch = try await queue.nextBatch() { received += batch }
        #expect(received == (0..<20_000).map(fix))
    }

    @Test func runDeliversUntilTheBodyReturns() async throws {
        let log = EventLog()
        try await EventQueue.run(threadName: "test", whenFull: .waits, capacity: 2, output: { log.append($0) }) { queue, _ in
            for number in 0..<50 { queue.send(fix(number)) }
            queue.send(.finished)
        }
        #expect(log.events == (0..<50).map(fix) + [.finished])
    }

    @Test func runThrowsWhatTheBodyThrows() async throws {
        let failure = PositionSourceError.cannotOpen(path: "x", reason: "y")
        let log = EventLog()
        await #expect(throws: failure) {
            try await EventQueue.run(threadName: "test", whenFull: .waits, output: { log.append($0) }) {
                (queue, _) throws(PositionSourceError) in
                queue.send(fix(1))
                throw failure
            }
        }
        #expect(log.events == [fix(1)])
    }

    @Test(arguments: [EventQueue.Overflow.waits, .dropsOldest])
    func runReturnsSoonWhenCancelledThoughTheBodyHangs(overflow: EventQueue.Overflow) async throws {
        let log = EventLog()
        let run = Task {
            try await EventQueue.run(threadName: "test", whenFull: overflow, output: { log.append($0) }) { queue, stop in
                queue.send(fix(1))
                // A call that does not hear the stop.
                while !stop.isRaised { Thread.sleep(forTimeInterval: 0.01) }
                Thread.sleep(forTimeInterval: 3)
                queue.send(fix(2))
            }
        }
        #expect(await log.waits { $0.events.count == 1 })
        let start = MonotonicClock.milliseconds
        run.cancel()
        try await run.value
        #expect(MonotonicClock.milliseconds - start < (overflow == .waits ? 2_500 : 1_000))
        #expect(log.events == [fix(1)])
    }

    /// Otherwise whoever starts and stops one source after the other runs out of descriptors.
    @Test func runReturnsWhenTheBodyHasEnded() async throws {
        let ends = EventLog()
        let log = EventLog()
        for number in 1...3 {
            let run = Task {
                try await EventQueue.run(threadName: "test", whenFull: .waits, output: { log.append($0) }) { queue, stop in
                    queue.send(fix(number))
                    while stop.sleep(milliseconds: 1_000) {}
                    Thread.sleep(forTimeInterval: 0.1)
                    ends.append(.finished)
                }
            }
            #expect(await log.waits { $0.events.count == number })
            run.cancel()
            try await run.value
            #expect(ends.events.count == number)
        }
    }
}

/// A position that its time tells from others.
private func fix(_ number: Int) -> PositionSourceEvent {
    guard let place = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8) else { return .finished }
    return .position(Position(time: UTCTime(millisecondsSince1970: Int64(number)), coordinate: place))
}
