import Waypost
import WaypostSystem

/// A kind of destination, `kind = "NAME"` in `[[destination]]`: its own keys, the rules between them, and how a destination is made.
///
/// A kind is one folder of `Destinations/` and one line in ``DestinationRegistry``. Its properties are the values of its own keys; the reader
/// of the configuration, the reference, the remarks on unused keys, `waypost setup` and the tracker get everything from here.
package protocol DestinationKind: Sendable, Equatable {
    /// Its name in the configuration: `traccar`.
    static var name: String { get }
    /// A description for the reference of `kind`, without a full stop: `traccar = Traccar's OsmAnd protocol`.
    static var documentation: String { get }
    /// Its keys besides those that every destination has; made with ``key(_:_:_:_:)``.
    static var keys: [ConfigurationKey<DestinationConfiguration>] { get }
    /// Those of its keys that are an error, not just a remark, with another kind.
    static var keysOfItAlone: Set<String> { get }
    /// The kinds of servers that it uses.
    static var transports: Set<DestinationTransport> { get }
    /// The possible values of `format`, the default first; empty where there is no choice.
    static var formats: [String] { get }
    /// Their description in the reference of `format`; nil for none.
    static var formatDocumentation: String? { get }
    /// The meaning of `user` for it.
    static var userRole: DestinationUserRole { get }
    /// Whether it gets reports of the tracker's health.
    static var takesHealth: Bool { get }
    /// Whether it gets the positions of the log, and not only events.
    static var takesPositions: Bool { get }
    /// The kind of name by which a device has to be registered at the server beforehand: `identifier`; nil when it need not be.
    static var registrationWord: String? { get }
    /// A requirement that `waypost setup` cannot ask for: `an account`; nil for none.
    static var needsBesides: String? { get }

    /// The values of a section that sets none of its keys.
    init()

    /// A contradiction between its keys, or between them and the common keys: the key to change, and why; nil when there is none.
    func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)?

    /// Whether it gets the fences.
    var wantsFences: Bool { get }

    /// The topic where an application reports which records it has; nil when the server itself confirms them.
    var applicationTopic: String? { get }

    /// The files of its own secrets, besides the token and the password of every destination.
    var secretFiles: [String] { get }

    /// Makes the destination, with its secrets read; nothing is sent yet.
    ///
    /// - Parameter box: the name of this device, and how it tracks.
    func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination
}

/// The kind of server between this device and a destination.
package enum DestinationTransport: Sendable, Hashable {
    /// A web server: http or https.
    case web
    /// A broker: mqtt or mqtts.
    case broker
}

/// The meaning of the key `user` for a kind of destination.
package enum DestinationUserRole: Sendable, Hashable {
    /// A name with a password.
    case signsIn
    /// A required part of its topics.
    case isInTopics
    /// No meaning: it knows devices, but no users.
    case unknown
}

/// The properties of this device that a destination is opened with, besides its configuration.
package struct DestinationBox: Sendable {
    /// The name of this device there.
    package var device: String
    /// The folders from which secrets are read.
    package var secrets: SecretFiles
    /// Whether the tracker follows every fix, rather than only significant changes.
    package var isHighAccuracy: Bool
    /// The accuracy at which it follows.
    package var desiredAccuracy: DesiredAccuracy

    /// The fences of the device.
    package var fences = KnownFences()

    /// The properties of a device.
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
    /// It need not be registered.
    package static var registrationWord: String? { nil }
    /// A name with a password.
    package static var userRole: DestinationUserRole { .signsIn }
    /// It gets them.
    package static var takesHealth: Bool { true }
    /// It gets them.
    package static var takesPositions: Bool { true }
    /// Nothing.
    package static var needsBesides: String? { nil }

    /// No contradiction.
    package func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)? { nil }
    /// It does not get them.
    package var wantsFences: Bool { false }
    /// The server itself confirms them.
    package var applicationTopic: String? { nil }

    /// A key of this kind, whose value is one of its properties.
    static func key<Value>(
        _ name: String, _ property: any WritableKeyPath<Self, Value> & Sendable, _ kind: ValueKind<Value>, _ documentation: String
    ) -> ConfigurationKey<DestinationConfiguration> {
        ConfigurationKey(ConfigurationKey(name, property, kind, documentation), get: { $0[Self.self] }, set: { $1[Self.self] = $0 })
    }

    func isEqual(to other: any DestinationKind) -> Bool { other as? Self == self }
}
