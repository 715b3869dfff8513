import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// The MQTT client and destination against a real mosquitto.
@Suite(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed")) struct MQTTDestinationTests {
    static func destination(_ url: String, _ change: (inout MQTTDestination.Settings) throws -> Void = { _ in }) throws -> MQTTDestination {
        var client = try MQTTSettings(url: url, clientID: "box-1")
        client.connectTimeout = .seconds(5)
        client.timeout = .seconds(5)
        var settings = MQTTDestination.Settings(client: client, format: try format())
        settings.receiptTimeout = .seconds(5)
        try change(&settings)
        return try MQTTDestination(settings, device: "box")
    }

    static func format(retainsPosition: Bool = false) throws -> NativeMQTTFormat {
        var format = NativeMQTTFormat(
            topic: try MQTTTopic(MQTTTopic.usual), statusTopic: try MQTTTopic(NativeMQTTFormat.usualStatusTopic, isFixed: true))
        format.retainsPosition = retainsPosition
        return format
    }

    static func applicationReceipts(_ settings: inout MQTTDestination.Settings) throws {
        settings.receipt = .application(topic: try MQTTTopic(MQTTDestination.usualReceiptTopic, isFixed: true))
    }

    static func batch(_ numbers: ClosedRange<Int>) -> DispatchBatch {
        DispatchBatch(
            device: "box", time: DispatchFixture.start,
            records: numbers.map { number in
                let call = TrackCall(
                    id: "t-\(number)", name: "call \(number)", values: ["n": .integer(Int64(number))], time: DispatchFixture.start,
                    position: DispatchFixture.position(number))
                return DispatchRecord(
                    id: call.id, lane: .events, sequence: UInt64(number), age: .milliseconds(1_500), content: .track(call))
            })
    }

    private static let good = DeliveryOutcome.delivered(refused: [:], answer: "PUBACK")
    private static let received = DeliveryOutcome.delivered(refused: [:], answer: "receipt of the application")

    @Test func keepsTheContractOfDestinations() async throws {
        let broker = try await MosquittoBroker()
        let violations = await DestinationContract().violations(of: try Self.destination(broker.url))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func keepsTheContractWithReceiptsOfAnApplication() async throws {
        let broker = try await MosquittoBroker("allow_anonymous true\nmax_queued_messages 0")
        let consumer = try MQTTConsumer(broker.url) { $0 }
        _ = try await consumer.client.connect()
        let destination = try Self.destination(broker.url, Self.applicationReceipts)
        let violations = await DestinationContract().violations(of: destination)
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func publishesEachRecordAsAMessageOfItsOwn() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url)
        _ = try await consumer.client.connect()
        let destination = try Self.destination(broker.url) {
            $0.format = try Self.format(retainsPosition: true)
            $0.client.idleLimit = .seconds(1)
        }
        var batch = Self.batch(1...1)
        let event = TrackerEvent(id: "x-enter", kind: "enter", name: "Yard", time: DispatchFixture.start)
        batch.records.append(DispatchRecord(id: "x-enter", lane: .events, sequence: 2, age: nil, content: .event(event)))
        #expect(await destination.send(batch) == Self.good)
        batch.records = (8...9).map {
            DispatchRecord(
                id: "p-\($0)-0", lane: .live, sequence: UInt64($0), age: .zero, content: .position(DispatchFixture.position($0)))
        }
        #expect(await destination.send(batch) == Self.good)
        try await consumer.wait(for: 4)
        #expect(
            consumer.messages.map(\.topic) == ["waypost/box/track", "waypost/box/event", "waypost/box/position", "waypost/box/position"])
        let records = consumer.records
        #expect(records.map { $0["class"]?.string } == ["TRACK", "EVENT", "TPV", "TPV"])
        #expect(consumer.ids == ["t-1", "x-enter", "p-8-0", "p-9-0"])
        #expect(records.allSatisfy { $0["device"]?.string == "box" && $0["sent"]?.string == "2026-05-02T03:25:02.000Z" })
        #expect(records.allSatisfy { $0["receipt_to"] == nil })
        #expect(records[0]["queue_ms"]?.int == 1_500 && records[0]["values"]?["n"]?.int == 1 && records[1]["fence"]?.string == "Yard")
        // Who comes later finds the newest position, and nothing else.
        let later = try MQTTConsumer(broker.url, id: "later")
        _ = try await later.client.connect()
        try await later.wait(for: 1)
        #expect(later.ids == ["p-9-0"] && later.messages[0].isRetained)
        // Nothing happens any more: the box has said goodbye, and comes back when there is something.
        try await Task.sleep(for: .milliseconds(1_800))
        #expect(broker.messages.contains("Client box-1 disconnected."))
        #expect(await destination.send(batch) == Self.good)
    }

    @Test func isToldOfByTheBrokerWhileItIsThereAndWhenItIsGone() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url, topic: "waypost/+/status")
        _ = try await consumer.client.connect()
        do {
            let destination = try Self.destination(broker.url) { $0.showsPresence = true }
            #expect(await destination.send(Self.batch(1...1)) == Self.good)
            try await consumer.wait(for: 1)
        }
        try await consumer.wait(for: 2)
        #expect(consumer.records.map { $0["status"]?.string } == ["online", "offline"])
        #expect(consumer.records.allSatisfy { $0["class"]?.string == "STATUS" && $0["device"]?.string == "box" && $0["id"] == nil })
    }

    @Test func isThereAgainByItselfWhenTheBrokerIs() async throws {
        let broker = try await MosquittoBroker()
        let destination = try Self.destination(broker.url) { $0.showsPresence = true }
        #expect(await destination.send(Self.batch(1...1)) == Self.good)
        broker.kill()
        try await broker.start()
        // Who connects later is told what the broker has kept: that it is gone, until it is there again.
        let consumer = try MQTTConsumer(broker.url, topic: "waypost/+/status")
        _ = try await consumer.client.connect()
        let end = ContinuousClock.now + .seconds(20)
        while consumer.records.last?["status"]?.string != "online", ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(consumer.records.last?["status"]?.string == "online")
        withExtendedLifetime(destination) {}
    }

    @Test func speaksOwnTracksAsItsAppsDo() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url, topic: "owntracks/#")
        _ = try await consumer.client.connect()
        do {
            let destination = try Self.destination(broker.url) {
                $0.format = OwnTracksMQTTFormat(OwnTracksFormat.Settings(user: "jane", device: "van-7"))
                $0.showsPresence = true
            }
            // It has no word for a dwell: delivered, and nothing is said.
            let dwell = TrackerEvent(id: "x-dwell", kind: "dwell", name: "Yard", time: DispatchFixture.start)
            var batch = Self.batch(1...1)
            batch.records = [DispatchRecord(id: "x-dwell", lane: .events, sequence: 1, age: nil, content: .event(dwell))]
            #expect(await destination.send(batch) == .delivered(refused: [:], answer: "nothing to say"))
            let enter = TrackerEvent(
                id: "x-enter", kind: "enter", name: "Yard", time: DispatchFixture.start, position: DispatchFixture.position(1))
            batch.records.append(DispatchRecord(id: "x-enter", lane: .events, sequence: 2, age: nil, content: .event(enter)))
            batch.records.append(
                DispatchRecord(id: "p-9-0", lane: .live, sequence: 9, age: .zero, content: .position(DispatchFixture.position(9))))
            batch.records.append(DispatchRecord(id: "h-1", lane: .events, sequence: 3, age: nil, content: .health(.object([:]))))
            #expect(await destination.send(batch) == Self.good)
            try await consumer.wait(for: 3)
        }
        try await consumer.wait(for: 4)
        let base = "owntracks/jane/van-7"
        #expect(consumer.messages.map(\.topic) == [base + "/event", base, base + "/status", base])
        #expect(consumer.records.map { $0["_type"]?.string } == ["transition", "location", "status", "lwt"])
        // The last location stays with the broker, and the will has not taken its place.
        let later = try MQTTConsumer(broker.url, topic: "owntracks/#", id: "later")
        _ = try await later.client.connect()
        try await later.wait(for: 1)
        #expect(later.records.map { $0["_id"]?.string } == ["p-9-0"])
        #expect(throws: MQTTError.badSettings(reason: "applications give no receipts in this format")) {
            try Self.destination(broker.url) {
                try Self.applicationReceipts(&$0)
                $0.format = OwnTracksMQTTFormat(OwnTracksFormat.Settings(user: "jane", device: "van-7"))
            }
        }
    }

    @Test func sendsALargeBatchInItsOrder() async throws {
        let broker = try await MosquittoBroker("allow_anonymous true\nmax_queued_messages 0")
        let consumer = try MQTTConsumer(broker.url)
        _ = try await consumer.client.connect()
        let destination = try Self.destination(broker.url)
        #expect(await destination.sendAll(Self.batch(1...destination.maximumBatchCount)) == Self.good)
        try await consumer.wait(for: destination.maximumBatchCount)
        #expect(consumer.ids == (1...destination.maximumBatchCount).map { "t-\($0)" })
    }

    // MARK: - What goes wrong

    @Test func saysWhatStandsInTheWay() async throws {
        let guarded = try await MosquittoBroker(starts: false)
        let hash = Process()
        hash.executableURL = URL(filePath: "/usr/bin/env")
        hash.arguments = ["mosquitto_passwd", "-b", "-c", guarded.folder + "/passwords", "box", "right"]
        hash.standardError = FileHandle.nullDevice
        try hash.run()
        hash.waitUntilExit()
        try "listener \(guarded.port) 127.0.0.1\nuser \(NSUserName())\nallow_anonymous false\npassword_file \(guarded.folder)/passwords\n"
            .write(toFile: guarded.folder + "/mosquitto.conf", atomically: true, encoding: .utf8)
        try await guarded.start()
        func outcome(_ password: String?) async throws -> DeliveryOutcome {
            let destination = try Self.destination(guarded.url) {
                $0.client.user = password.map { _ in "box" }
                $0.client.password = password
            }
            return await destination.send(Self.batch(1...1))
        }
        #expect(try await outcome("right") == Self.good)
        let refusal = DeliveryOutcome.denied(reason: "the broker does not let this client in (user, password, or its access list)")
        #expect(try await outcome("wrong") == refusal)
        #expect(try await outcome(nil) == refusal)
        guarded.kill()
        guard case .temporary(let nobody, _) = try await outcome("right") else { throw Unexpected("nobody listens there") }
        #expect(nobody == "127.0.0.1:\(guarded.port): Connection refused")
        let nameless = try Self.destination("mqtt://no-such-host.invalid")
        guard case .unreachable = await nameless.send(Self.batch(1...1)) else { throw Unexpected("there is no such name") }
        let fileless = try Self.destination("mqtts://127.0.0.1") { $0.client.caFile = "/nowhere/ca.pem" }
        #expect(await fileless.send(Self.batch(1...1)) == .denied(reason: "/nowhere/ca.pem: cannot be read: No such file or directory"))
    }

    @Test func trustsOnlyWhomItShouldAndShowsItsOwnCertificate() async throws {
        let folder = NSTemporaryDirectory() + "waypost-broker-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let names = [("here", "IP:127.0.0.1,DNS:localhost"), ("elsewhere", "DNS:broker.example"), ("box", "DNS:box")]
        for (name, alternatives) in names {
            guard try TestCertificate.make(name, subject: "/CN=\(name)", names: alternatives, in: folder) else {
                return print("trustsOnlyWhomItShouldAndShowsItsOwnCertificate skipped: no openssl here")
            }
        }
        func certificate(_ name: String) -> String { "allow_anonymous true\ncertfile \(folder)/\(name).pem\nkeyfile \(folder)/\(name).key" }
        let broker = try await MosquittoBroker(certificate("here") + "\ncafile \(folder)/box.pem\nrequire_certificate true", folder: folder)
        let stranger = try await MosquittoBroker(certificate("elsewhere"))
        func outcome(
            _ broker: MosquittoBroker, _ authority: String?, _ own: String? = nil, host: String = "127.0.0.1"
        ) async throws -> DeliveryOutcome {
            let destination = try Self.destination("mqtts://\(host):\(broker.port)") { settings in
                settings.client.caFile = authority.map { "\(folder)/\($0).pem" }
                settings.client.clientCertificate = own.map { "\(folder)/\($0).pem" }
                settings.client.clientKey = own.map { "\(folder)/\($0).key" }
            }
            return await destination.send(Self.batch(1...3))
        }
        #expect(try await outcome(broker, "here", "box") == Self.good)
        #expect(try await outcome(broker, "here", "box", host: "localhost") == Self.good)
        for (authority, host) in [(nil, "127.0.0.1"), ("elsewhere", "127.0.0.1"), ("here", "127.0.0.2")] {
            let outcome = try await outcome(broker, authority, "box", host: host)
            // Nobody listens on the other address, which is an answer, too.
            if case .denied(let reason) = outcome { #expect(reason.hasPrefix("TLS: ")) } else { #expect(host == "127.0.0.2", "\(outcome)") }
        }
        guard case .denied(let other) = try await outcome(stranger, "elsewhere") else { throw Unexpected("it is another's certificate") }
        #expect(other.contains("host name verification failed"))
        // With TLS 1.3 the broker's objection comes behind the handshake, now and then as a broken connection.
        switch try await outcome(broker, "here") {
        case .denied, .temporary: break
        case let outcome: Issue.record("without a certificate: \(outcome)")
        }
        let plain = try await Self.destination("mqtt://127.0.0.1:\(broker.port)").send(Self.batch(1...1))
        guard case .temporary(let hint, _) = plain else { throw Unexpected("the port wants TLS: \(plain)") }
        #expect(hint.contains("mqtts://"))
    }

    @Test func namesTheClientIDThatAnotherOneTakes() async throws {
        let broker = try await MosquittoBroker()
        let destination = try Self.destination(broker.url, Self.applicationReceipts)
        for round in 1...3 {
            // It waits for receipts that nobody gives, when its twin comes.
            let task = Task { await destination.send(Self.batch(1...1)) }
            try await Task.sleep(for: .milliseconds(300))
            let twin = MQTTClient(try MQTTSettings(url: broker.url, clientID: "box-1"))
            _ = try await twin.connect()
            let outcome = await task.value
            switch (round, outcome) {
            case (1, .temporary(let reason, _)):
                #expect(reason == "the broker closed the connection: it was stopped, or another client has connected with the id \"box-1\"")
            case (2, .temporary(let reason, _)), (3, .denied(let reason)):
                #expect(reason.hasPrefix("the broker threw us out \(round) times in a row: another client connects with the id \"box-1\""))
            default: Issue.record("round \(round): \(outcome)")
            }
        }
    }

    @Test func endsSoonWhenItIsCancelledOrTheBrokerIsSilent() async throws {
        let broker = try await MosquittoBroker()
        let destination = try Self.destination(broker.url) {
            $0.client.timeout = .seconds(1)
            $0.client.connectTimeout = .seconds(1)
        }
        #expect(await destination.send(Self.batch(1...1)) == Self.good)
        broker.setFrozen(true)
        let start = ContinuousClock.now
        let task = Task { await destination.send(Self.batch(1...50)) }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        #expect(await task.value == .temporary(reason: "cancelled", retryAfter: nil))
        #expect(ContinuousClock.now - start < .milliseconds(900))
        // The system still connects to a broker that stands still; it does not answer.
        guard case .temporary(let unopened, _) = await destination.send(Self.batch(1...50)) else {
            throw Unexpected("no answer to CONNECT")
        }
        #expect(unopened == "no connection to the broker within 1 s")
        broker.setFrozen(false)
        #expect(await destination.send(Self.batch(1...50)) == Self.good)
        broker.setFrozen(true)
        guard case .temporary(let unacknowledged, _) = await destination.send(Self.batch(1...50)) else { throw Unexpected("no PUBACK") }
        #expect(unacknowledged == "127.0.0.1:\(broker.port) did not acknowledge everything in 1 s")
        broker.setFrozen(false)
        #expect(await destination.send(Self.batch(1...50)) == Self.good)
    }
}
