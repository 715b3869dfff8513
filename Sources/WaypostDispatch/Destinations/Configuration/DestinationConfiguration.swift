import Waypost

/// One place to send to, as `[[destination]]` of the configuration has it: what every kind has, and what its own keys say.
package struct DestinationConfiguration: Equatable, Sendable {
    /// Its name, under which the outbox knows how far it is.
    package var name = "home"
    /// What it speaks: the name of a ``DestinationKind``.
    package var kindName = HTTPKind.name
    /// The server; empty = none.
    package var url = ""
    /// How it is written, where a kind has several ways; `auto` = as the kind has it.
    package var format = "auto"
    /// How exactly it may know where the box is.
    package var accuracy = Accuracy.full
    /// Between two dispatches; below a second only on demand.
    package var interval = Duration.seconds(120)
    /// Between two reports of the tracker's health; below a second none.
    package var health = Duration.zero
    /// By when, every day, everything must be gone.
    package var cutoff: Cutoff?
    /// Which positions go first after an outage.
    package var order = DestinationSettings.Order.oldest
    /// The most records of a batch.
    package var batchCount = 250
    /// Whether positions are wanted, and not events alone; ``isSentPositions`` asks the kind, too.
    package var sendsPositions = true
    /// Whether it goes along when another destination was reached.
    package var goesAlong = false
    /// Whether nothing leaves, and what would is told.
    package var isDryRun = false
    /// The longest an exchange may take.
    package var timeout = Duration.seconds(30)
    /// What the device is called there; empty = as the box calls itself.
    package var device = ""
    /// The user's name, whatever it is to the kind; empty = none.
    package var user = ""
    /// The file of the user's password.
    package var passwordFile: String?
    /// The file of the token for `Authorization: Bearer`.
    package var tokenFile: String?
    /// Lines of the head besides, `Name: value`.
    package var headers: [String] = []
    /// Whether bodies are compressed.
    package var isCompressed = false
    /// The certificates that are trusted instead of the system's.
    package var caFile: String?
    /// A certificate of our own.
    package var clientCertificate: String?
    /// Its key.
    package var clientKey: String?
    /// How a broker is connected to.
    package var broker = BrokerConnection()
    private var kinds = KindValues()

    /// How exactly somebody may know where the box is.
    package enum Accuracy: String, Sendable, CaseIterable {
        /// As it is known.
        case full
        /// A cell of 5 km, four times an hour, no fences.
        case reduced
    }

    /// A time of day, as it was written: `04:00 Asia/Tokyo`.
    package struct Cutoff: Equatable, Sendable {
        /// As it was written.
        package var text: String
        /// What it means.
        package var moment: DailyMoment
    }

    /// A section that says nothing.
    package init() {}

    /// What the keys of a kind say, whether it is that of the destination or not.
    package subscript<Kind: DestinationKind>(kind: Kind.Type) -> Kind {
        get { kinds[kind] }
        set { kinds[kind] = newValue }
    }

    /// What it speaks, with what the keys of that kind say.
    package var kind: any DestinationKind { DestinationRegistry.kind(named: kindName).map { kinds.value(of: $0) } ?? HTTPKind() }
    /// The kind without values.
    package var kindType: any DestinationKind.Type { type(of: kind) }
    /// Whether the server is a broker.
    package var isBroker: Bool { url.lowercased().hasPrefix("mqtt") }
    /// Whether it is sent the positions of the log.
    package var isSentPositions: Bool { sendsPositions && kindType.takesPositions }
}

/// What the keys of each kind say, where it is not what they say by themselves.
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
