import Waypost
import WaypostDispatch
import WaypostSystem

extension Configuration {
    /// What two destinations must not share at one broker, which counts as the same on all of its ports.
    fileprivate struct BrokerPlace: Equatable {
        var host: String
        /// A topic, or a client id.
        var name: String

        init?(of destination: DestinationConfiguration, _ name: String) {
            guard let broker = try? MQTTSettings(url: destination.url, clientID: "") else { return nil }  // Reported where it is read.
            let host = broker.host.lowercased()
            self.host = ["localhost", "127.0.0.1", "::1"].contains(host) ? "localhost" : host
            self.name = name
        }
    }

    /// Where an application acknowledges the records of a destination; nil when the receipt is the broker's.
    fileprivate func receiptPlace(of destination: DestinationConfiguration) -> BrokerPlace? {
        guard destination.isBroker, let template = destination.kind.applicationTopic else { return nil }
        let device = [destination.device, dispatch.device].first { !$0.isEmpty } ?? SystemProcess.hostName
        guard let topic = try? MQTTTopic(template, isFixed: true) else { return nil }  // As above.
        return BrokerPlace(of: destination, topic.topic(device: device))
    }

    /// The client id that a destination sets itself, at its broker.
    fileprivate func clientPlace(of destination: DestinationConfiguration) -> BrokerPlace? {
        destination.isBroker && !destination.broker.clientID.isEmpty ? BrokerPlace(of: destination, destination.broker.clientID) : nil
    }
}

extension LoadedConfiguration {
    /// Destinations that share a topic of receipts: a record has the same id at each, so that the sender of a receipt would be unknown.
    var mistakesOfReceiptTopics: [ConfigurationError] {
        mistakes(sharing: configuration.receiptPlace, keys: ["receipt_topic", "receipt", "url"]) { names, topic, last in
            """
            of \(names) is the same topic, \(topic), at one broker: a receipt does not say which of them has the record; give each its \
            own, such as "waypost-receipts/{device}/\(last)"
            """
        }
    }

    /// Destinations that share a client id: at each connection of the one a broker ends that of the other (MQTT 3.1.1, section 3.1.4).
    var mistakesOfClientIDs: [ConfigurationError] {
        mistakes(sharing: configuration.clientPlace, keys: ["client_id", "url"]) { names, _, _ in
            "of \(names) is the same at one broker, which then disconnects one whenever the other connects; give each its own, or none"
        }
    }

    /// A mistake at the first of these keys for each destination whose place an earlier one has.
    private func mistakes(
        sharing place: (DestinationConfiguration) -> Configuration.BrokerPlace?, keys: [String],
        _ reason: (_ names: String, _ shared: String, _ last: String) -> String
    ) -> [ConfigurationError] {
        let places = configuration.destinations.map(place)
        return places.indices.compactMap { (index) -> ConfigurationError? in
            guard let place = places[index], let first = places.firstIndex(of: place), first < index else { return nil }
            let names = [first, index].map { quoted(configuration.destinations[$0].name) }.joined(separator: " and ")
            guard let origin = keys.compactMap({ listOrigins["[[destination]] \(index) \($0)"] }).first else { return nil }
            return ConfigurationError(
                file: origin.file, place: origin.place,
                kind: .invalidValue(
                    section: "[[destination]]", key: keys[0], reason: reason(names, place.name, configuration.destinations[index].name)))
        }
    }
}
