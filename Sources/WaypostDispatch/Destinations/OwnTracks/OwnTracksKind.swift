import Waypost
import WaypostSystem

/// OwnTracks over HTTP or MQTT: ``OwnTracksFormat``.
package struct OwnTracksKind: DestinationKind {
    /// Two characters that mark the device; empty = the last two of its name.
    package var trackerID = ""
    /// Whether the circles among the fences are sent.
    package var sendsWaypoints = false
    /// The file with the secret that encrypts payloads.
    package var secretFile: String?
    package var secretFiles: [String] { secretFile.map { [$0] } ?? [] }

    package static let name = "owntracks"
    package static let documentation = "owntracks (over either)"
    package static let transports: Set<DestinationTransport> = [.web, .broker]
    package static let userRole = DestinationUserRole.isInTopics
    package static let keysOfItAlone: Set<String> = ["waypoints"]
    package static let keys: [ConfigurationKey<DestinationConfiguration>] =
        [
            key(
                "tracker_id", \.trackerID, .plainText,
                "owntracks: two characters that mark the device on maps. Empty = the last two of its name."),
            key("waypoints", \.sendsWaypoints, .truth, "owntracks: also sends the circular fences when they change (up to about 200)."),
            key(
                "secret_file", \.secretFile, .file(for: .secret),
                "owntracks: a file with the secret that encrypts payloads; the same rules as for token_file. Empty = not encrypted."),
        ] + BrokerConnection.keys

    package init() {}

    package var wantsFences: Bool { sendsWaypoints }

    package func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)? {
        if destination.user.isEmpty { return ("user", "is needed with kind \"owntracks\": it is part of its topics") }
        let names = [("user", destination.user), ("device", destination.device)]
        if let (key, _) = names.first(where: { $0.1.contains { "/+#".contains($0) } }) {
            return (key, "is part of topics and must not contain '/', '+' or '#'")
        }
        if sendsWaypoints, destination.accuracy == .reduced {
            return ("waypoints", "tells places, which accuracy = \"reduced\" does not")
        }
        let isByApplication = destination.isBroker && destination[MQTTKind.self].receipt == .application
        return isByApplication ? ("receipt", "must be \"broker\" with kind \"owntracks\"") : nil
    }

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        var settings = OwnTracksFormat.Settings(user: destination.user, device: box.device)
        if !trackerID.isEmpty { settings.trackerID = trackerID }
        settings.sendsWaypoints = sendsWaypoints
        if let secretFile { settings.secret = try box.secrets.read(secretFile) }
        return destination.isBroker
            ? try destination.brokerDestination(OwnTracksMQTTFormat(settings), on: box)
            : try destination.webDestination(OwnTracksHTTPFormat(settings), on: box)
    }
}
