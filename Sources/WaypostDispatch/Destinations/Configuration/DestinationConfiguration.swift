import Waypost

/// One destination, as `[[destination]]` of the configuration describes it: the common keys, and the keys of its kind.
package struct DestinationConfiguration: Equatable, Sendable {
    /// Its name, under which the outbox stores its progress.
    package var name = "home"
    /// The name of its ``DestinationKind``.
    package var kindName = HTTPKind.name
    /// The server; empty = none.
    package var url = ""
    /// The format, where a kind has several; `auto` = the kind's default.
    package var format = "auto"
    /// How exactly it may know the device's position.
    package var accuracy = Accuracy.full
    /// The time between two dispatches; less than a second means only on demand.
    package var interval = Duration.seconds(120)
    /// The time between two reports of the tracker's health; less than a second means none.
    package var health = Duration.zero
    /// The time, every day, by which everything must be sent.
    package var cutoff: Cutoff?
    /// Which positions are sent first after an outage.
    package var order = DestinationSettings.Order.oldest
    /// The most records in a batch.
    package var batchCount = 250
    /// Whether positions are wanted, and not only events; ``isSentPositions`` considers the kind, too.
    package var sendsPositions = true
    /// Whether it also sends when another destination was reached.
    package var goesAlong = false
    /// Whether nothing is sent, but what would be sent is reported.
    package var isDryRun = false
    /// The longest time for an exchange.
    package var timeout = Duration.seconds(30)
    /// The device's name there; empty = the usual name of this device.
    package var device = ""
    /// The user's name, with a meaning that depends on the kind; empty = none.
    package var user = ""
    /// The file of the user's password.
    package var passwordFile: String?
    /// The file of the token for `Authorization: Bearer`.
    package var tokenFile: String?
    /// Additional headers, `Name: value`.
    package var headers: [String] = []
    /// Whether bodies are compressed.
    package var isCompressed = false
    /// The certificates that are trusted instead of the system's.
    package var caFile: String?
    /// A client certificate.
    package var clientCertificate: String?
    /// Its key.
    package var clientKey: String?
    /// How to connect to a broker.
    package var broker = BrokerConnection()
    private var kinds = KindValues()

    /// How exactly a destination may know the device's position.
    package enum Accuracy: String, Sendable, CaseIterable {
        /// Exactly.
        case full
        /// A cell of 5 km, four times an hour, no fences.
        case reduced
    }

    /// A time of day, as written in the configuration: `04:00 Asia/Tokyo`.
    package struct Cutoff: Equatable, Sendable {
        /// The text as written.
        package var text: String
        /// The moment that it means.
        package var moment: DailyMoment
    }

    /// A section without keys.
    package init() {}

    /// The values of a kind's keys, whether the destination is of that kind or not.
    package subscript<Kind: DestinationKind>(kind: Kind.Type) -> Kind {
        get { kinds[kind] }
        set { kinds[kind] = newValue }
    }

    /// Its kind, with the values of that kind's keys.
    package var kind: any DestinationKind { DestinationRegistry.kind(named: kindName).map { kinds.value(of: $0) } ?? HTTPKind() }
    /// The kind without values.
    package var kindType: any DestinationKind.Type { type(of: kind) }
    /// Whether anything is sent to it: it names a server.
    package var isInUse: Bool { !url.isEmpty }
    /// Whether the server is a broker.
    package var isBroker: Bool { url.lowercased().hasPrefix("mqtt") }
    /// Whether it gets the positions of the log.
    package var isSentPositions: Bool { sendsPositions && kindType.takesPositions }
}

/// The values of each kind's keys, where they differ from the defaults.
private struct KindValues: Sendable, Equatable {
    private var values: [String: any DestinationKind] = [:]

    subscript<Kind: DestinationKind>(kind: Kind.Type) -> Kind {
        get { values[Kind.name] as? Kind ?? Kind() }
        set { values[Kind.name] = newValue == Kind() ? nil : newValue }
    }

    func value(of kind: any DestinationKind.Type) -> any DestinationKind { values[kind.name] ?? kind.init() }

    static func == (left: KindValues, right: KindValues) -> Bool {
        left.values.count == right.values.count
            && left.values.allSatisfy { name, value in right.values[name].map { value.isEqual(to: $0) } ?? false }
    }
}
