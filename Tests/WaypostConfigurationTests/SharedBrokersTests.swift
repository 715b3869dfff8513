import Testing

@testable import WaypostConfiguration

/// Receipts of an application say which records it has, not which destination's; and a broker has one connection for a client id.
@Suite struct SharedBrokersTests {
    private func destination(_ name: String, _ keys: String = "", host: String = "broker.example:1884") -> String {
        "[[destination]]\nname = \"\(name)\"\nkind = \"mqtt\"\nurl = \"mqtt://\(host)\"\nreceipt = \"application\"\n\(keys)"
    }

    @Test func refusesATopicThatTwoDestinationsShare() {
        let text = "[dispatch]\ndevice = \"van-7\"\n" + destination("a") + destination("b", "topic = \"other/{kind}\"\n")
        #expect(
            mistakes(in: text) == [
                """
                waypost.toml:12:1: [[destination]] receipt_topic: of 'a' and 'b' is the same topic, waypost-receipts/van-7, at one broker: \
                a receipt does not say which of them has the record; give each its own, such as "waypost-receipts/{device}/b"
                """
            ])
    }

    /// What becomes the same with the device's name, the broker's other name, and another port of it.
    @Test func refusesOneThatIsWrittenInAnotherWay() {
        let device = "[dispatch]\ndevice = \"van-7\"\n"
        let fixed = "receipt_topic = \"waypost-receipts/van-7\"\n"
        #expect(mistakes(in: device + destination("a") + destination("b", fixed)).count == 1)
        #expect(mistakes(in: device + destination("a", host: "LOCALHOST") + destination("b", host: "127.0.0.1:8883")).count == 1)
        #expect(mistakes(in: device + destination("a", host: "A.example") + destination("b", host: "a.example")).count == 1)
    }

    @Test func takesTopicsBrokersAndDevicesOfTheirOwn() {
        #expect(mistakes(in: destination("a") + destination("b", "receipt_topic = \"receipts-b/{device}\"\n")).isEmpty)
        #expect(mistakes(in: destination("a") + destination("b", host: "other.example")).isEmpty)
        #expect(mistakes(in: destination("a") + destination("b", "device = \"trailer\"\n")).isEmpty)
        #expect(
            mistakes(in: destination("a") + "[[destination]]\nname = \"b\"\nkind = \"mqtt\"\nurl = \"mqtt://broker.example\"\n").isEmpty)
    }

    @Test func refusesAClientIDThatTwoDestinationsShare() {
        let fixed = "client_id = \"van\"\nreceipt = \"broker\"\n"
        func broker(_ name: String, _ keys: String, host: String = "broker.example") -> String {
            "[[destination]]\nname = \"\(name)\"\nkind = \"mqtt\"\nurl = \"mqtt://\(host)\"\n\(keys)"
        }
        #expect(
            mistakes(in: broker("a", fixed) + broker("b", fixed, host: "BROKER.example:8883")) == [
                """
                waypost.toml:11:1: [[destination]] client_id: of 'a' and 'b' is the same at one broker, which then disconnects one whenever \
                the other connects; give each its own, or none
                """
            ])
        #expect(mistakes(in: broker("a", fixed) + broker("b", fixed, host: "other.example")).isEmpty)
        #expect(mistakes(in: broker("a", fixed) + broker("b", "client_id = \"truck\"\n")).isEmpty)
        #expect(mistakes(in: broker("a", "") + broker("b", "")).isEmpty)
    }
}
