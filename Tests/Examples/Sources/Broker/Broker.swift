import WaypostKit

/// A destination at a broker with TLS, which gets the records of a van under `fleet/VAN/position`, `fleet/VAN/event` and so on, and
/// shows under `fleet/VAN/status` whether the van is connected.
public func broker(_ host: String, van: String, password: String) throws -> MQTTDestination {
    var client = try MQTTSettings(url: "mqtts://\(host)", clientID: MQTTDestination.clientID(for: van))
    client.user = van
    client.password = password
    let format = NativeMQTTFormat(
        topic: try MQTTTopic("fleet/{device}/{kind}"), statusTopic: try MQTTTopic("fleet/{device}/status", isFixed: true))
    var settings = MQTTDestination.Settings(client: client, format: format)
    settings.showsPresence = true
    return try MQTTDestination(settings, device: van)
}
