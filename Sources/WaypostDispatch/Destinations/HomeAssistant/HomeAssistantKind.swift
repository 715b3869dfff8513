import Waypost
import WaypostSystem

/// Home Assistant, by MQTT discovery: ``HomeAssistantFormat``.
package struct HomeAssistantKind: DestinationKind {
    /// Where Home Assistant looks for devices.
    package var discoveryPrefix = HomeAssistantFormat.usualDiscoveryPrefix
    /// Whether the device is there; false removes it.
    package var isShown = true

    package static let name = "homeassistant"
    package static let documentation = "homeassistant = a device of Home Assistant, over its broker"
    package static let transports: Set<DestinationTransport> = [.broker]
    package static let keysOfItAlone: Set<String> = ["discovery", "discovery_prefix"]
    package static let keys: [ConfigurationKey<DestinationConfiguration>] = [
        key(
            "discovery", \.isShown, .truth,
            """
            homeassistant: whether Home Assistant has the device. false removes it, its entities and its fences; nothing else is sent then.
            """),
        key(
            "discovery_prefix", \.discoveryPrefix, .mqttTopic(isFixed: true),
            "homeassistant: its discovery prefix, if it is not the usual one."),
        BrokerConnection.clientIDKey, BrokerConnection.windowKey,
    ]

    package init() {}

    package var wantsFences: Bool { true }

    package func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)? {
        let isByApplication = destination.isBroker && destination[MQTTKind.self].receipt == .application
        return isByApplication ? ("receipt", "must be \"broker\" with kind \"homeassistant\"") : nil
    }

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        var format = HomeAssistantFormat(device: box.device)
        format.discoveryPrefix = discoveryPrefix
        format.isShown = isShown
        format.fences = box.fences
        // Its entities are unavailable while the device is not connected.
        return try destination.brokerDestination(format, on: box) { $0.showsPresence = isShown }
    }
}
