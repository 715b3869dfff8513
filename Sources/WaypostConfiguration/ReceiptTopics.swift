import Waypost
import WaypostDispatch
import WaypostSystem

extension Configuration {
    /// Where an application acknowledges the records of a destination; nil when the receipt is the broker's.
    fileprivate func receiptPlace(of destination: DestinationConfiguration) -> ReceiptPlace? {
        guard destination.isBroker, let template = destination.kind.applicationTopic else { return nil }
        let device = [destination.device, dispatch.device].first { !$0.isEmpty } ?? SystemProcess.hostName
        guard let broker = try? MQTTSettings(url: destination.url, clientID: ""),  // Its mistakes are reported where it is read.
            let topic = try? MQTTTopic(template, isFixed: true)  // As above.
        else { return nil }
        let host = broker.host.lowercased()
        return ReceiptPlace(
            host: ["localhost", "127.0.0.1", "::1"].contains(host) ? "localhost" : host, topic: topic.topic(device: device))
    }

    /// A topic of a broker; a broker counts as the same on all of its ports.
    fileprivate struct ReceiptPlace: Equatable {
        var host: String
        var topic: String
    }
}

extension LoadedConfiguration {
    /// Destinations that share a topic of receipts: a record has the same id at each, so that the sender of a receipt would be unknown.
    var mistakesOfReceiptTopics: [ConfigurationError] {
        let places = configuration.destinations.map(configuration.receiptPlace)
        return places.indices.compactMap { (index) -> ConfigurationError? in
            guard let place = places[index], let first = places.firstIndex(of: place), first < index else { return nil }
            let names = [first, index].map { quoted(configuration.destinations[$0].name) }.joined(separator: " and ")
            let keys = ["receipt_topic", "receipt", "url"].map { "[[destination]] \(index) \($0)" }
            guard let origin = keys.compactMap({ listOrigins[$0] }).first else { return nil }
            let reason = """
                of \(names) is the same topic, \(place.topic), at one broker: a receipt does not say which of them has the record; give \
                each its own, such as "waypost-receipts/{device}/\(configuration.destinations[index].name)"
                """
            return ConfigurationError(
                file: origin.file, place: origin.place,
                kind: .invalidValue(section: "[[destination]]", key: "receipt_topic", reason: reason))
        }
    }
}
