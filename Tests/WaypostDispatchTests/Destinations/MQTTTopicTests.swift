import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

@Suite struct MQTTTopicTests {
    private func record(_ content: DispatchRecord.Content, lane: DispatchLane = .events) -> DispatchRecord {
        DispatchRecord(id: "x", lane: lane, sequence: 1, age: nil, content: content)
    }

    @Test func fillsInWhatEachRecordSays() throws {
        let topic = try MQTTTopic("fleet/{device}/{lane}/{kind}/{name}")
        let event = TrackerEvent(id: "e", kind: "enter", name: "Yard 7", time: nil)
        let call = TrackCall(name: "delivered", values: [:], time: nil, position: nil)
        #expect(topic.topic(for: record(.event(event)), device: "van-7") == "fleet/van-7/events/event/Yard 7")
        #expect(topic.topic(for: record(.track(call)), device: "van-7") == "fleet/van-7/events/track/delivered")
        #expect(topic.topic(for: record(.health(.null)), device: "van-7") == "fleet/van-7/events/health/health")
        let position = record(.position(DispatchFixture.position(1)), lane: .history)
        #expect(topic.topic(for: position, device: "van-7") == "fleet/van-7/history/position/position")
        #expect(try MQTTTopic(MQTTTopic.usual).topic(for: position, device: "van-7") == "waypost/van-7/position")
        #expect(try MQTTTopic("a").topic(for: position, device: "van-7") == "a")
    }

    @Test(arguments: [
        ("van/7", "van_7"), ("+", "_"), ("a#b", "a_b"), ("", "_"), ("\u{0}\u{7f}\u{85}", "___"), ("Tür 東京 \u{1F697}", "Tür 東京 \u{1F697}"),
        (String(repeating: "ü", count: 300), String(repeating: "ü", count: 128)),
    ])
    func keepsWhatIsFilledInToOneLevel(word: String, level: String) throws {
        #expect(try MQTTTopic("w/{device}/x").topic(device: word) == "w/\(level)/x")
    }

    @Test func keepsOffTheBrokersOwnTopics() throws {
        #expect(try MQTTTopic("{device}/x").topic(device: "$SYS") == "_SYS/x")
    }

    @Test(arguments: [
        ("", "must not be empty"), ("a/+/b", "must not hold the wildcard +"),
        ("a/#", "must not hold the wildcard #"),
        ("a\u{0}b", "must not hold control characters"), ("$SYS/a", "must not begin with $: such topics belong to the broker"),
        ("a/{dev}/b", "has {dev}; there is {device}, {kind}, {lane}, {name}"),
        ("a/{device", "has a { or } without its partner"),
        ("a}b", "has a { or } without its partner"), (String(repeating: "a", count: 1_025), "must have at most 1024 bytes"),
    ])
    func refusesWhatIsNoTopic(template: String, reason: String) {
        #expect { try MQTTTopic(template) } throws: { "\($0)" == reason }
    }

    @Test func knowsOnlyTheDeviceWhereThereIsNoRecord() throws {
        #expect(try MQTTTopic("receipts/{device}", isFixed: true).topic(device: "box") == "receipts/box")
        #expect { try MQTTTopic("receipts/{kind}", isFixed: true) } throws: { "\($0)" == "has {kind}; there is {device}" }
    }
}
