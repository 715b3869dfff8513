import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// Home Assistant's side of the broker; `homeassistant-proof.sh` shows the same in a real Home Assistant.
@Suite struct HomeAssistantTests {
    private func record(_ content: DispatchRecord.Content, _ id: String = "r", lane: DispatchLane = .live) -> DispatchRecord {
        DispatchRecord(id: id, lane: lane, sequence: 1, age: nil, content: content)
    }

    private func batch(_ records: [DispatchRecord]) -> DispatchBatch {
        DispatchBatch(device: "van", time: DispatchFixture.start, records: records)
    }

    private func messages(_ records: [DispatchRecord], _ change: (inout HomeAssistantFormat) -> Void = { _ in }) throws -> [MQTTMessage] {
        var format = HomeAssistantFormat(device: "van")
        change(&format)
        return try records.flatMap { try format.messages(for: $0, of: batch(records), receiptTopic: nil) }
    }

    private func event(_ kind: String, fence: String = "yard-1", name: String = "Yard") -> TrackerEvent {
        TrackerEvent(
            id: "e-\(kind)", kind: kind, name: name, time: DispatchFixture.start, payload: .init(fenceID: fence, visit: 1))
    }

    private func object(_ message: MQTTMessage?) throws -> JSONValue { try JSONParser().parse(try #require(message).payload) }

    @Test func announcesADeviceWithItsEntities() throws {
        let all = HomeAssistantFormat(device: "van").announcements(of: "van")
        #expect(all.map(\.topic) == ["homeassistant/device/van/config"] && all.allSatisfy(\.isRetained))
        let configuration = try object(all.first)
        // Required by home-assistant.io, "Device discovery payload": dev with ids, o with name, cmps with p and unique_id.
        #expect(configuration["dev"]?["ids"] == .array([.string("waypost_van")]) && configuration["dev"]?["name"]?.string == "van")
        #expect(configuration["o"]?["name"]?.string == "waypost")
        let components = try #require(configuration["cmps"]?.object)
        #expect(components.keys.sorted() == ["accuracy", "altitude", "course", "last_fix", "location", "queue", "satellites", "speed"])
        #expect(Set(components.values.compactMap { $0["unique_id"]?.string }).count == components.count)
        let tracker = try #require(components["location"])
        #expect(tracker["p"]?.string == "device_tracker" && tracker["json_attr_t"]?.string == "waypost/van/location")
        #expect(tracker["name"] == .null && tracker["avty_t"] == nil)
        for (key, component) in components where key != "location" {
            #expect(component["p"]?.string == "sensor" && component["avty_t"]?.string == "waypost/van/availability", "\(key)")
            // A name of the device in front of it is Home Assistant's own doing.
            #expect(component["name"]?.string.map { !$0.contains("van") } == true, "\(key)")
        }
        #expect(components["speed"]?["val_tpl"]?.string == "{{ value_json.speed | default('None') }}")
        #expect(components["queue"]?["stat_t"]?.string == "waypost/van/health")
    }

    /// A broker that was killed, or keeps nothing on its disk, has lost everything that was retained.
    @Test func tellsItsFencesAnewOnEachConnection() throws {
        func circle(_ id: String) throws -> Geofence {
            Geofence(id: id, name: id.uppercased(), shape: try .circle(centre: DispatchFixture.position(1).coordinate, radiusMetres: 50))
        }
        var format = HomeAssistantFormat(device: "van")
        let fences = KnownFences()
        format.fences = fences
        fences.set([try circle("a"), try circle("b"), try circle("c")], inside: ["b"])
        _ = try format.messages(for: record(.event(event("exit", fence: "c", name: "C"))), of: batch([]), receiptTopic: nil)
        _ = try format.messages(for: record(.event(event("enter", fence: "line", name: "Line"))), of: batch([]), receiptTopic: nil)
        let told = format.announcements(of: "van")
        #expect(told.allSatisfy { $0.isRetained })
        let names = try told.filter { $0.topic.hasPrefix("homeassistant/binary_sensor/") }.map { try object($0)["name"]?.string }
        #expect(names == ["A", "B", "C", "Line"])
        let states = told.filter { $0.topic.hasPrefix("waypost/van/fence/") }.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(states == ["ON", "OFF", "ON"])
        // The exit of a fence that was removed comes after the list without it.
        let gone = TrackerEvent(
            id: "e-gone", kind: "exit", name: "B", time: DispatchFixture.start, payload: .init(fenceID: "b", visit: 1, reason: .removed))
        _ = try format.messages(for: record(.event(gone)), of: batch([]), receiptTopic: nil)
        #expect(!fences.all.contains { $0.id == "b" })
        // What is no longer watched is no longer told.
        fences.set([try circle("a")], inside: [])
        #expect(format.announcements(of: "van").count == 2)
    }

    @Test func tellsTheNewestPositionAlone() throws {
        let records = (1...3).map { record(.position(DispatchFixture.position($0)), "p-\($0)") }
        let told = try messages(records)
        #expect(told.map(\.topic) == ["waypost/van/location"] && told.allSatisfy(\.isRetained))
        let place = try object(told.first)
        #expect(place["latitude"]?.double == DispatchFixture.position(3).coordinate.latitudeDegrees)
        #expect(place["longitude"]?.double == DispatchFixture.position(3).coordinate.longitudeDegrees)
        #expect(try messages([record(.position(DispatchFixture.position(1)), lane: .history)]).isEmpty)
    }

    @Test func leavesOutWhatIsNotKnown() throws {
        let place = try #require(Coordinate(latitudeDegrees: 1, longitudeDegrees: 2))
        let told = try messages([record(.position(Position(time: nil, coordinate: place)))])
        #expect(told.map { String(decoding: $0.payload, as: UTF8.self) } == ["{\"latitude\":1,\"longitude\":2}"])
    }

    @Test func makesABinarySensorOfAFence() throws {
        for (kind, state) in [("enter", "ON"), ("dwell", "ON"), ("exit", "OFF")] {
            let told = try messages([record(.event(event(kind)), lane: .events)])
            #expect(told.count == 2 && told.allSatisfy(\.isRetained))
            let configuration = try object(told.first)
            #expect(told[0].topic.hasPrefix("homeassistant/binary_sensor/van_fences/") && told[0].topic.hasSuffix("/config"))
            #expect(configuration["name"]?.string == "Yard" && configuration["stat_t"]?.string == told[1].topic)
            #expect(configuration["dev"]?["ids"] == .array([.string("waypost_van")]))
            #expect(String(decoding: told[1].payload, as: UTF8.self) == state)
        }
        #expect(try messages([record(.event(event("pass")), lane: .events)]).count == 1)
        let list = try JSONParser().parse(Array(#"{"waypoints":[{"desc":"Yard","rid":"yard-1"},{"desc":"Quay"}]}"#.utf8))
        let known = try messages([record(.waypoints(list), lane: .events)])
        #expect(known.count == 2)
        #expect(known[0] == (try messages([record(.event(event("enter")), lane: .events)]))[0])
    }

    @Test func removesWhatItHasMade() throws {
        let list = try JSONParser().parse(Array(#"{"waypoints":[{"desc":"Yard","rid":"yard-1"}]}"#.utf8))
        let made =
            try messages([record(.waypoints(list)), record(.event(event("enter")))])
            + HomeAssistantFormat(device: "van").announcements(of: "van")
        var gone = HomeAssistantFormat(device: "van")
        gone.isShown = false
        let removed =
            try messages([record(.waypoints(list)), record(.event(event("enter")))]) { $0.isShown = false } + gone.announcements(of: "van")
        #expect(removed.allSatisfy { $0.payload.isEmpty && $0.isRetained })
        #expect(Set(made.map(\.topic)).isSubset(of: Set(removed.map(\.topic))))
        #expect(try messages([record(.position(DispatchFixture.position(1)))]) { $0.isShown = false }.isEmpty)
    }

    /// Topics and ids of Home Assistant have letters, digits, `_` and `-`.
    @Test(arguments: ["van", "My van", "fenêtre/#+", "", "日本"]) func makesNodesOfAnyName(device: String) {
        let node = HomeAssistantFormat.identifier(device)
        #expect(!node.isEmpty && node.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "_-".contains($0) }, "\(node)")
        #expect((node == device) == (device == "van"))
        #expect(HomeAssistantFormat.identifier("My van") != HomeAssistantFormat.identifier("My_van"))
    }

    @Test func namesWhatItCannotSay() {
        let call = TrackCall(id: "t", name: "stop", values: [:], time: nil, position: nil)
        #expect(HomeAssistantFormat(device: "van").verdict(on: record(.track(call)), at: nil).obstacle != nil)
    }

    @Test(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
    func announcesItselfOnEachConnectionOnce() async throws {
        let broker = try await MosquittoBroker()
        let consumer = try MQTTConsumer(broker.url, topic: "#")
        _ = try await consumer.client.connect()
        var client = try MQTTSettings(url: broker.url, clientID: "box-1")
        client.connectTimeout = .seconds(5)
        var settings = MQTTDestination.Settings(client: client, format: HomeAssistantFormat(device: "van"))
        settings.showsPresence = true
        let destination = try MQTTDestination(settings, device: "van")
        for number in 1...2 {
            let outcome = await destination.send(batch([record(.position(DispatchFixture.position(number)), "p-\(number)")]))
            #expect(outcome == .delivered(refused: [:], answer: "PUBACK"))
        }
        try await consumer.wait(for: 4)
        let topics = consumer.messages.map(\.topic)
        #expect(
            topics == ["waypost/van/availability", "homeassistant/device/van/config", "waypost/van/location", "waypost/van/location"],
            "\(topics)")
    }

    @Test(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
    func keepsTheContractOfDestinations() async throws {
        let broker = try await MosquittoBroker()
        let client = try MQTTSettings(url: broker.url, clientID: "box-1")
        let destination = try MQTTDestination(.init(client: client, format: HomeAssistantFormat(device: "box")), device: "box")
        let violations = await DestinationContract().violations(of: destination)
        #expect(violations.isEmpty, "\(violations)")
    }
}
