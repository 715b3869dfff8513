import Waypost

extension DestinationConfiguration {
    /// Every key of `[[destination]]`: those of every destination, then those of the kinds.
    package static let keys: [ConfigurationKey<DestinationConfiguration>] = commonKeys + DestinationRegistry.keys

    /// The keys that every destination has.
    static let commonKeys: [ConfigurationKey<DestinationConfiguration>] = [
        .init(
            "name", \.name, .plainName, isUnique: true,
            "Its name in status and waypost dispatch; its queue is kept under this name."),
        .init(
            "kind", \.kindName, .choice(of: DestinationRegistry.all.map { $0.name }),
            "The protocol: \(DestinationRegistry.all.map { $0.documentation }.joined(separator: ", "))."),
        .init(
            "url", \.url, .serverURL, isRequired: true, example: "\"https://tracks.example.org/in\"",
            "The server: https://HOST/PATH, http://HOST/PATH, mqtts://HOST[:8883] or mqtt://HOST[:1883]. Empty = none."),
        .init(
            "format", \.format, .choice(of: DestinationRegistry.formats),
            "The format: \(DestinationRegistry.all.compactMap { $0.formatDocumentation }.joined(separator: "; ")). auto = the first of them."
        ),
        .init(
            "accuracy", \.accuracy, .choice(),
            """
            full, or reduced = the centre of a 5 km cell at most four times an hour, without speed, course, altitude and fences.
            """
        ),
        .init(
            "interval", \.interval, .duration(in: .zero ... .seconds(86_400)),
            """
            The time between two dispatches. Each device has its own moment within it. Below 1 s = only on demand (waypost dispatch \
            now).
            """),
        .init(
            "health", \.health, .duration(in: .zero ... .seconds(604_800)),
            """
            The time between two health reports (version, queue, disk, clock, fences), such as "1 h"; for every kind but \
            \(names { !$0.takesHealth }). Below 1 s = none.
            """),
        .init(
            "cutoff", \.cutoff, .cutoff,
            """
            A time of day by which the queue must be sent, such as "04:00 Asia/Tokyo" (without a place: UTC); what misses it is \
            marked late and counted. Empty = none.
            """),
        .init(
            "order", \.order, .choice(),
            "Which positions go first after an outage: oldest = in their order; live = the newest, then the missed ones."),
        .init("batch", \.batchCount, .count(in: 1...1_000), "The most records in one request."),
        .init(
            "positions", \.sendsPositions, .truth,
            "Sends the positions of the log. false = only events, and what is logged meanwhile is never sent; \(names { !$0.takesPositions }) always sends only events."
        ),
        .init(
            "piggyback", \.goesAlong, .truth,
            "Sends as soon as another destination has been reached, while the radio is on."),
        .init("dry_run", \.isDryRun, .truth, "Sends nothing: what would be sent is written to the message log, and stays queued."),
        .init("timeout", \.timeout, .duration(in: .seconds(1) ... .seconds(600)), "The longest time that a request may take."),
        .init("gzip", \.isCompressed, .truth, "Compresses request bodies; the server must accept Content-Encoding: gzip."),
        .init("headers", \.headers, .headerLines, "Additional header lines for each request, such as [\"X-Fleet: north\"]."),
        .init(
            "device", \.device, .plainText,
            """
            The name of the device at this destination: in JSON and topics, Traccar's identifier, OwnTracks' device. Empty = \
            [dispatch] device.
            """),
        .init(
            "user", \.user, .plainText,
            "The user name: OwnTracks' user, and the user of HTTP Basic with password_file. Empty = none."),
        .init(
            "password_file", \.passwordFile, .file(for: .secret),
            "A file with the password of user; the same rules as for token_file. Empty = none."),
        .init(
            "token_file", \.tokenFile, .file(for: .secret),
            """
            A file with the token for Authorization: Bearer, which only the tracker's user may read, or "credential:NAME" for \
            systemd's LoadCredential=NAME:... Empty = none.
            """),
        .init(
            "ca_file", \.caFile, .file(for: .reading),
            "The CA certificates (PEM) to trust instead of the system's. Empty = the system's."
        ),
        .init(
            "client_certificate", \.clientCertificate, .file(for: .reading),
            "The client certificate (PEM) of this device. Empty = none."
        ),
        .init("client_key", \.clientKey, .file(for: .reading), "The key (PEM) of client_certificate. Empty = in the same file."),
    ]

    /// `a, b and c`.
    private static func names(_ isMeant: (any DestinationKind.Type) -> Bool) -> String {
        let names = DestinationRegistry.all.filter(isMeant).map { $0.name }
        return names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}
