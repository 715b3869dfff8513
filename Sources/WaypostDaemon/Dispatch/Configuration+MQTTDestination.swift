import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

extension Configuration.Destination {
    /// The destination of a broker, with its secrets read.
    func mqttDestination(_ secrets: SecretFiles, device: String) throws -> MQTTDestination {
        var client = try MQTTSettings(url: url, clientID: mqtt.clientID.isEmpty ? MQTTDestination.clientID(for: name) : mqtt.clientID)
        // OwnTracks' user stands in its topics; a broker that asks for no password need not know of it.
        if !user.isEmpty, kind == .mqtt || passwordFile != nil { client.user = user }
        if let passwordFile { client.password = try secrets.read(passwordFile) }
        client.caFile = caFile
        client.clientCertificate = clientCertificate
        client.clientKey = clientKey
        client.timeout = timeout
        client.connectTimeout = min(client.connectTimeout, timeout)
        client.window = mqtt.window
        var settings = MQTTDestination.Settings(client: client, format: try mqttFormat(secrets, device: device))
        if mqtt.receipt == .application { settings.receipt = .application(topic: try MQTTTopic(mqtt.receiptTopic, isFixed: true)) }
        settings.receiptTimeout = mqtt.receiptTimeout
        settings.showsPresence = mqtt.showsPresence
        return try MQTTDestination(settings, device: device)
    }

    private func mqttFormat(_ secrets: SecretFiles, device: String) throws -> any MQTTFormat {
        if kind == .owntracks { return OwnTracksMQTTFormat(try ownTracksSettings(secrets, device: device)) }
        var format = NativeMQTTFormat(topic: try MQTTTopic(mqtt.topic), statusTopic: try MQTTTopic(mqtt.statusTopic, isFixed: true))
        format.retainsPosition = mqtt.retainsPosition
        return format
    }
}
