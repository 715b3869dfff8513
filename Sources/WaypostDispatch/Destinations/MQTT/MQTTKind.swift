import Waypost
import WaypostSystem

/// Our own JSON over MQTT: ``NativeMQTTFormat``.
package struct MQTTKind: DestinationKind {
    /// The topic of records, with fields that each record fills in.
    package var topic = "waypost/{device}/{kind}"
    /// Who confirms the records.
    package var receipt = Receipt.broker
    /// The topic where an application reports which records it has.
    package var receiptTopic = MQTTDestination.usualReceiptTopic
    /// How long to wait for its receipts after the last one.
    package var receiptTimeout = Duration.seconds(30)
    /// The topic where the broker announces whether the device is connected.
    package var statusTopic = NativeMQTTFormat.usualStatusTopic
    /// Whether the broker keeps the newest position for later subscribers.
    package var retainsPosition = false

    /// Who confirms the records.
    package enum Receipt: String, Sendable, CaseIterable {
        /// The broker's acknowledgement.
        case broker
        /// The ids that an application publishes.
        case application
    }

    package static let name = "mqtt"
    package static let documentation = "mqtt = the same over MQTT"
    package static let transports: Set<DestinationTransport> = [.broker]
    package static let formats = ["native"]
    package static let keys: [ConfigurationKey<DestinationConfiguration>] = [
        key(
            "topic", \.topic, .mqttTopic(isFixed: false),
            """
            mqtt: the topic of each record. {device}, {kind} (position, event, track, health), {name} (of the fence or event) and \
            {lane} are filled in.
            """),
        BrokerConnection.clientIDKey,
        key(
            "receipt", \.receipt, .choice(),
            """
            mqtt: what counts as a receipt. broker = the broker's acknowledgement, although the broker may still lose the message; \
            application = the ids that an application publishes to receipt_topic.
            """),
        key(
            "receipt_topic", \.receiptTopic, .mqttTopic(isFixed: true),
            "mqtt: the topic where an application publishes the ids of the records it has."),
        key(
            "receipt_timeout", \.receiptTimeout, .duration(in: .seconds(1) ... .seconds(600)),
            "mqtt: how long to wait for an application's receipts after the last one."),
        BrokerConnection.presenceKey,
        key("status_topic", \.statusTopic, .mqttTopic(isFixed: true), "mqtt: the topic for presence; the message is retained."),
        key("retain", \.retainsPosition, .truth, "mqtt: the broker retains the newest position for later subscribers."),
        BrokerConnection.windowKey,
    ]

    package init() {}

    package var applicationTopic: String? { receipt == .application ? receiptTopic : nil }

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        var format = NativeMQTTFormat(topic: try MQTTTopic(topic), statusTopic: try MQTTTopic(statusTopic, isFixed: true))
        format.retainsPosition = retainsPosition
        return try destination.brokerDestination(format, on: box) { settings in
            if receipt == .application { settings.receipt = .application(topic: try MQTTTopic(receiptTopic, isFixed: true)) }
            settings.receiptTimeout = receiptTimeout
        }
    }
}
