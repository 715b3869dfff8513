import Foundation
import Synchronization
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// What an acknowledgement of a broker is worth, and what an application's receipts are, against a real mosquitto.
@Suite(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed")) struct MQTTReceiptTests {
    private static let received = DeliveryOutcome.delivered(refused: [:], answer: "receipt of the application")

    private func destination(
        _ url: String, patience: Duration = .milliseconds(500), republishInterval: Duration = .seconds(60)
    ) throws -> MQTTDestination {
        try MQTTDestinationTests.destination(url) {
            try MQTTDestinationTests.applicationReceipts(&$0)
            $0.receiptTimeout = patience
            $0.republishInterval = republishInterval
        }
    }

    @Test func waitsForAnApplicationThatComesLater() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) { $0 }
        // Its subscription stays with the broker.
        _ = try await consumer.client.connect()
        consumer.client.close()
        let destination = try destination(broker.url)
        for _ in 1...2 {
            #expect(
                await destination.send(MQTTDestinationTests.batch(1...20))
                    == .temporary(
                        reason: "the broker has them, but no application has said on waypost-receipts/box that it has 20 of 20 records",
                        retryAfter: nil))
        }
        _ = try await consumer.client.connect()
        #expect(await destination.send(MQTTDestinationTests.batch(1...20)) == Self.received)
        // The broker had them all along: nothing was published twice.
        #expect(consumer.ids == (1...20).map { "t-\($0)" })
        #expect(await destination.send(MQTTDestinationTests.batch(21...40)) == Self.received)
    }

    /// Anybody may write to the topic, and an application may repeat itself: such words give what waits no more time.
    @Test(arguments: ["nope", #"{"x":1}"#, "t-1", #"{"received":["t-1"],"refused":["t-1"]}"#])
    func waitsNoLongerForWordsThatSettleNothing(words: String) async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) { $0 == "t-1" ? $0 : nil }
        _ = try await consumer.client.connect()
        let destination = try destination(broker.url, patience: .seconds(1))
        #expect(await destination.send(MQTTDestinationTests.batch(1...1)) == Self.received)
        let chatter = try MQTTConsumer(broker.url, topic: "none", id: "chatter")
        _ = try await chatter.client.connect()
        let talking = Task {
            for _ in 0..<60 {
                _ = try await chatter.client.publish([MQTTMessage(topic: "waypost-receipts/box", payload: Array(words.utf8))])
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { talking.cancel() }
        let start = ContinuousClock.now
        guard case .temporary(let reason, _) = await destination.send(MQTTDestinationTests.batch(2...5)) else {
            throw Unexpected("nobody confirmed any")
        }
        #expect(reason.contains("4 of 4 records") && ContinuousClock.now - start < .seconds(4), "\(reason)")
    }

    /// Words that come now and then, each just in time: those who wait behind get their turn.
    @Test(.timeLimit(.minutes(1))) func sendsPositionsThoughEventsAreConfirmedSlowlyOrNever() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) { $0.hasPrefix("p-") ? $0 : nil }
        _ = try await consumer.client.connect()
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("broker", try destination(broker.url, patience: .milliseconds(300)))])
        try await dispatcher.accept((1...3).map(DispatchFixture.call))
        fixture.log.log(1...5)
        var rounds = 0
        while try await dispatcher.statuses()[0].waitingPositionCount != 0, rounds < 30 {
            rounds += 1
            _ = try await dispatcher.drain(budget: .seconds(60))
        }
        #expect(try await dispatcher.statuses()[0].waitingPositionCount == 0)
        #expect(try await dispatcher.statuses()[0].state.waitingEventCount == 3)
    }

    /// An event waits for its receipt; those of positions that were published before come meanwhile, and are stored at once.
    @Test(.timeLimit(.minutes(1))) func storesReceiptsOfPositionsWhileAnEventWaitsForItsOwn() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) { _ in nil }
        _ = try await consumer.client.connect()
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("broker", try destination(broker.url, patience: .seconds(5)))])
        fixture.log.log(1...6)
        _ = try await dispatcher.drain(budget: .seconds(1))
        #expect(try await dispatcher.statuses()[0].waitingPositionCount == 6)
        try await dispatcher.accept([DispatchFixture.call(1)])
        let waiting = Task {
            while !Task.isCancelled { _ = try await dispatcher.drain(budget: .seconds(20)) }
        }
        while !consumer.ids.contains(where: { !$0.hasPrefix("p-") }) { try await Task.sleep(for: .milliseconds(50)) }
        for id in Set(consumer.ids.filter { $0.hasPrefix("p-") }).sorted().prefix(4) {
            _ = try await consumer.client.publish([MQTTMessage(topic: "waypost-receipts/box", payload: Array(id.utf8))])
            try await Task.sleep(for: .milliseconds(300))
        }
        try await Task.sleep(for: .milliseconds(2_500))
        let status = try await dispatcher.statuses()[0]
        #expect(status.waitingPositionCount == 2 && status.state.waitingEventCount == 1, "\(status)")
        waiting.cancel()
        _ = try? await waiting.value  // It was cancelled.
    }

    /// Longer than is read, and kept by the broker for the session: the destination goes on without what it kept.
    @Test(arguments: [30_000, 150_000]) func survivesReceiptsOfAnyLength(count: Int) async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) { $0 }
        _ = try await consumer.client.connect()
        let destination = try destination(broker.url, patience: .seconds(2))
        #expect(await destination.send(MQTTDestinationTests.batch(1...5)) == Self.received)
        let ids = (0..<count).map { "\"p-\(1_000_000 + $0)-1795406442900-1080cd4271d3\"" }
        let receipt = MQTTMessage(topic: "waypost-receipts/box", payload: Array("[\(ids.joined(separator: ","))]".utf8))
        _ = try await consumer.client.publish([receipt])
        let batch = MQTTDestinationTests.batch(6...10)
        let first = await destination.send(batch)
        if case .temporary(let reason, _) = first { #expect(reason.contains("thrown away") && count > 100_000, "\(reason)") }
        #expect(first == Self.received || count > 100_000, "\(first)")
        if first != Self.received { #expect(await destination.send(batch) == Self.received) }
        #expect(await destination.send(MQTTDestinationTests.batch(11...15)) == Self.received)
    }

    @Test func takesReceiptsInAnyOrderAndRefusals() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) {
            $0 == "t-3" ? #"{"refused":["t-3"]}"# : $0 == "t-1" ? nil : $0 == "t-2" ? #"["t-2","t-1","x"]"# : $0
        }
        _ = try await consumer.client.connect()
        #expect(
            await (try destination(broker.url)).sendAll(MQTTDestinationTests.batch(1...5))
                == .delivered(refused: ["t-3": "refused by the application"], answer: "receipt of the application"))
    }

    @Test func losesWithoutReceiptsWhatOverflowsAndNothingWithThem() async throws {
        let broker = try await MosquittoBroker("allow_anonymous true\nmax_queued_messages 10\nmax_inflight_messages 1")
        let consumer = try MQTTConsumer(broker.url) { $0 }
        _ = try await consumer.client.connect()
        consumer.client.close()
        // The broker acknowledges all of them.
        let trusting = try MQTTDestinationTests.destination(broker.url)
        #expect(await trusting.send(MQTTDestinationTests.batch(1...50)) == .delivered(refused: [:], answer: "PUBACK"))
        let careful = try MQTTDestinationTests.destination(broker.url) {
            try MQTTDestinationTests.applicationReceipts(&$0)
            $0.client.clientID = "box-2"
            $0.receiptTimeout = .milliseconds(500)
        }
        guard case .temporary = await careful.send(MQTTDestinationTests.batch(101...150)) else { throw Unexpected("nobody has them") }
        _ = try await consumer.client.connect()
        try await Task.sleep(for: .milliseconds(300))
        #expect(consumer.ids.count == 10 && consumer.ids.allSatisfy { $0.count == 3 || $0 == "t-10" })
        // The queue was full of the other's: it has none of these, and nothing was heard of it. After a while they are published again.
        let patient = try MQTTDestinationTests.destination(broker.url) {
            try MQTTDestinationTests.applicationReceipts(&$0)
            $0.client.clientID = "box-2"
            $0.receiptTimeout = .milliseconds(200)
            $0.republishInterval = .seconds(1)
        }
        var (rounds, left) = (0, MQTTDestinationTests.batch(101...150))
        while !left.records.isEmpty, rounds < 60 {
            rounds += 1
            switch await patient.send(left) {
            case .delivered: left.records = []
            case .partly(let received, _, _, _): left.records.removeAll { received.contains($0.id) }
            case let outcome: guard case .temporary = outcome else { throw Unexpected("\(outcome)") }
            }
        }
        #expect(Set(consumer.ids).isSuperset(of: (101...150).map { "t-\($0)" }), "after \(rounds) rounds")
    }

    /// One that the application never speaks of holds up no other, and a start sends nothing else again.
    @Test func settlesEachRecordByItsOwnReceipt() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) { [calls = Mutex<[String: Int]>([:])] id in
            let count = calls.withLock { calls in
                calls[id, default: 0] += 1
                return calls[id, default: 0]
            }
            // Of the first time every seventh receipt is lost.
            return count == 1 && (id.utf8.last ?? 0) % 7 == 0 ? nil : id
        }
        _ = try await consumer.client.connect()
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("broker", try destination(broker.url, patience: .seconds(30)))], batchCount: 50)
        try await dispatcher.accept((1...120).map(DispatchFixture.call))
        let run = Task { try await dispatcher.dispatch() }
        let end = ContinuousClock.now + .seconds(20)
        var status = try await dispatcher.statuses()[0]
        while consumer.ids.count < 120 || status.state.waitingEventCount > 119 - status.state.sentCount + 1, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(100))
            status = try await dispatcher.statuses()[0]
        }
        try await Task.sleep(for: .seconds(3))
        status = try await dispatcher.statuses()[0]
        let missing = Set(consumer.records.filter { ($0["id"]?.string?.utf8.last ?? 0) % 7 == 0 }.compactMap { $0["id"]?.string })
        #expect(!missing.isEmpty && consumer.ids.count == 120)
        #expect(status.state.waitingEventCount == missing.count && status.state.sentCount == 120 - missing.count)
        // As after kill -9: what is on the disk counts.
        run.cancel()
        await dispatcher.stop()
        let later = try await fixture.dispatcher([("broker", try destination(broker.url, patience: .seconds(30)))], batchCount: 50)
        #expect(try await later.dispatch().word == .good)
        #expect(consumer.ids.count == 120 + missing.count && Set(consumer.ids.suffix(missing.count)) == missing)
        #expect(try await later.statuses()[0].state.waitingEventCount == 0)
    }

    /// What was said while the box was off comes with the connection, before anybody asks.
    @Test func takesReceiptsThatCameWhileItWasOff() async throws {
        let broker = try await MosquittoBroker()
        let first = try destination(broker.url)
        guard case .temporary = await first.send(MQTTDestinationTests.batch(1...20)) else { throw Unexpected("nobody has them") }
        let other = try MQTTConsumer(broker.url, topic: "none", id: "application")
        _ = try await other.client.connect()
        // It is off now: another client with its id has thrown it out and gone, its session stays.
        let thief = MQTTClient(try MQTTSettings(url: broker.url, clientID: "box-1"))
        _ = try await thief.connect()
        thief.close()
        try await Task.sleep(for: .milliseconds(200))
        let words = #"{"received":[\#((1...20).map { "\"t-\($0)\"" }.joined(separator: ","))]}"#
        _ = try await other.client.publish([MQTTMessage(topic: "waypost-receipts/box", payload: Array(words.utf8))])
        let watcher = try MQTTConsumer(broker.url, id: "watcher")
        _ = try await watcher.client.connect()
        let second = try destination(broker.url, patience: .seconds(5))
        #expect(await second.send(MQTTDestinationTests.batch(1...20)) == Self.received)
        try await Task.sleep(for: .milliseconds(300))
        #expect(watcher.ids.count <= 20, "once more at most, where the words came behind the connection")
    }

    @Test func sendsAgainNowWhenSomebodyWantsIt() async throws {
        let broker = try await MosquittoBroker()
        let isThere = Atomic(false)
        let consumer = try MQTTConsumer(broker.url) { isThere.load(ordering: .relaxed) ? $0 : nil }
        _ = try await consumer.client.connect()
        let fixture = try DispatchFixture()
        let destination = try destination(broker.url, patience: .seconds(20), republishInterval: .seconds(3_600))
        let dispatcher = try await fixture.dispatcher([("broker", destination)], interval: .seconds(1))
        try await dispatcher.accept((1...5).map(DispatchFixture.call))
        // By itself, and it waits for words now.
        try await consumer.wait(for: 5)
        isThere.store(true, ordering: .relaxed)
        try await Task.sleep(for: .seconds(6))
        let start = ContinuousClock.now
        _ = try await dispatcher.dispatch()
        #expect(try await dispatcher.statuses()[0].state.waitingEventCount == 0)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(consumer.ids.count == 10)
        await dispatcher.stop()
    }

    /// The whole way: a broker that is killed again and again, that keeps nothing, and an application that comes back to it.
    @Test func deliversEverythingThroughABrokerThatIsKilled() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url) { $0 }
        let staying = Task {
            while !Task.isCancelled {
                _ = try? await consumer.client.connect()  // It is killed now; the next round finds it.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { staying.cancel() }
        let killing = Task {
            for count in [40, 130, 220, 310] {
                try await consumer.wait(for: count)
                broker.kill()
                try await broker.start()
            }
        }
        let fixture = try DispatchFixture()
        // What goes to a broker that is up again before the application is there is lost, and nobody says so.
        let destination = try destination(broker.url, patience: .milliseconds(200), republishInterval: .milliseconds(400))
        let dispatcher = try await fixture.dispatcher([("broker", destination)], batchCount: 20)
        fixture.log.log(1...200)
        try await dispatcher.accept((1...200).map(DispatchFixture.call))
        var rounds = 0
        while try await dispatcher.statuses()[0].waitingPositionCount ?? 1 > 0, rounds < 400 {
            rounds += 1
            _ = try await dispatcher.dispatch()
            try await Task.sleep(for: .milliseconds(20))
        }
        try await killing.value
        var seen: Set<String> = []
        let first = consumer.records.filter { $0["id"] != nil && seen.insert($0["id"]?.string ?? "").inserted }
        #expect(Set(first.compactMap { $0["name"]?.string }) == Set((1...200).map { "call \($0)" }))
        #expect(Set(first.filter { $0["class"]?.string == "TPV" }.compactMap { $0["seq"]?.int }) == Set(1...200))
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
    }
}
