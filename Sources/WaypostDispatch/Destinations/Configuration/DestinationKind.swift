import Waypost
import WaypostSystem

/// A kind of destination, `kind = "NAME"` in `[[destination]]`: the keys that it adds, what must hold between them, and how a destination is made.
///
/// A kind is one folder of `Destinations/` and one line in ``DestinationRegistry``. Its properties are the values of its own keys; reading, the
/// reference, the remarks on unused keys, `waypost setup` and the tracker learn everything from here.
package protocol DestinationKind: Sendable, Equatable {
    /// Its word in the configuration: `traccar`.
    static var name: String { get }
    /// What it is, for the reference of `kind`, without a full stop: `traccar = Traccar's OsmAnd protocol`.
    static var documentation: String { get }
    /// Its keys besides those that every destination has; made with ``key(_:_:_:_:)``.
    static var keys: [ConfigurationKey<DestinationConfiguration>] { get }
    /// Those of its keys that are a mistake, and not only a remark, with another kind.
    static var keysOfItAlone: Set<String> { get }
    /// The servers that it speaks to.
    static var transports: Set<DestinationTransport> { get }
    /// The words that `format` may have, the usual one first; empty where there is no choice.
    static var formats: [String] { get }
    /// What is said of them in the reference of `format`; nil for nothing.
    static var formatDocumentation: String? { get }
    /// What `user` is to it.
    static var userRole: DestinationUserRole { get }
    /// Whether it is sent reports of the tracker's health.
    static var takesHealth: Bool { get }
    /// Whether it is sent the positions of the log, and not only events.
    static var takesPositions: Bool { get }
    /// What a device has to be registered by at the server before that accepts anything of it: `identifier`; nil when it need not be.
    static var registrationWord: String? { get }
    /// What `waypost setup` cannot ask for and it needs: `an account`; nil for nothing.
    static var needsBesides: String? { get }

    /// The values of a section that says nothing of its keys.
    init()

    /// What is wrong between its keys, or between them and those of every destination: the key to change, and why; nil when all is well.
    func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)?

    /// Whether it is told the fences.
    var wantsFences: Bool { get }

    /// The topic where an application says which records it has; nil when the receipt is the server's own.
    var applicationTopic: String? { get }

    /// Where its own secrets are, besides the token and the password of every destination.
    var secretFiles: [String] { get }

    /// The destination, with its secrets read; nothing is sent yet.
    ///
    /// - Parameter box: what this box is called, and how it tracks.
    func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination
}

/// What stands between this box and a destination.
package enum DestinationTransport: Sendable, Hashable {
    /// A web server: http or https.
    case web
    /// A broker: mqtt or mqtts.
    case broker
}

/// What the key `user` is to a kind of destination.
package enum DestinationUserRole: Sendable, Hashable {
    /// A name that goes with a password.
    case signsIn
    /// A part of its topics, which must be there.
    case isInTopics
    /// Nothing: it knows devices, and no users.
    case unknown
}

/// What a destination is opened with besides its configuration.
package struct DestinationBox: Sendable {
    /// What this box calls itself there.
    package var device: String
    /// Where secrets are read.
    package var secrets: SecretFiles
    /// Whether the tracker follows every fix, and not significant changes alone.
    package var isHighAccuracy: Bool
    /// The accuracy at which it follows.
    package var desiredAccuracy: DesiredAccuracy

    /// A box.
    package init(device: String, secrets: SecretFiles, isHighAccuracy: Bool, desiredAccuracy: DesiredAccuracy) {
        (self.device, self.secrets) = (device, secrets)
        (self.isHighAccuracy, self.desiredAccuracy) = (isHighAccuracy, desiredAccuracy)
    }
}

extension DestinationKind {
    /// None.
    package var secretFiles: [String] { [] }
    /// None.
    package static var keys: [ConfigurationKey<DestinationConfiguration>] { [] }
    /// None.
    package static var keysOfItAlone: Set<String> { [] }
    /// Web servers.
    package static var transports: Set<DestinationTransport> { [.web] }
    /// No choice.
    package static var formats: [String] { [] }
    /// Nothing.
    package static var formatDocumentation: String? { nil }
    /// It need not.
    package static var registrationWord: String? { nil }
    /// It goes with a password.
    package static var userRole: DestinationUserRole { .signsIn }
    /// It is.
    package static var takesHealth: Bool { true }
    /// It is.
    package static var takesPositions: Bool { true }
    /// Nothing.
    package static var needsBesides: String? { nil }

    /// Nothing.
    package func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)? { nil }
    /// It is not.
    package var wantsFences: Bool { false }
    /// The server's own.
    package var applicationTopic: String? { nil }

    /// A key of this kind, whose value is one of its properties.
    static func key<Value>(
        _ name: String, _ property: any WritableKeyPath<Self, Value> & Sendable, _ kind: ValueKind<Value>, _ documentation: String
    ) -> ConfigurationKey<DestinationConfiguration> {
        ConfigurationKey(ConfigurationKey(name, property, kind, documentation), get: { $0[Self.self] }, set: { $1[Self.self] = $0 })
    }

    func isEqual(to other: any DestinationKind) -> Bool { other as? Self == self }
}
