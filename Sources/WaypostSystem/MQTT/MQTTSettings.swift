/// Which broker to use, our identity, whom to trust, and how long to wait.
public struct MQTTSettings: Sendable, Hashable {
    /// The broker's name or address; TLS checks its certificate against it.
    public var host: String
    /// Its port: 1883, or 8883 with TLS.
    public var port: UInt16
    /// Whether TLS protects the connection.
    public var isEncrypted: Bool
    /// Our client id, the same for ever: under it the broker keeps what waits for us.
    ///
    /// Two clients with one id end each other's connections.
    public var clientID: String
    /// Whether the broker keeps what waits for us while we are away; otherwise it forgets us when the connection ends.
    public var keepsSession = true
    /// The user name.
    public var user: String?
    /// Its password.
    public var password: String?
    /// Certificates that are trusted instead of the system's: a PEM file.
    public var caFile: String?
    /// A certificate of our own: a PEM file.
    public var clientCertificate: String?
    /// Its key: a PEM file without a password; nil when it is in the same.
    public var clientKey: String?
    /// Topics to receive messages of, at QoS 1; the broker keeps the messages while we are away.
    public var subscriptions: [String] = []
    /// The presence that the broker shows to others, for which the connection stays open; nil for none.
    public var presence: Presence?
    /// The longest silence on an open connection, seconds: after it the broker is pinged.
    public var keepAliveSeconds = 60
    /// How many messages may be sent without an acknowledgement (1...65535).
    public var window = 20
    /// The longest time until the broker accepts us.
    public var connectTimeout = Duration.seconds(15)
    /// The longest time without an acknowledgement while one is due.
    public var timeout = Duration.seconds(30)
    /// Without ``presence`` an idle connection is closed after this time, so that an empty queue causes no wake-ups.
    public var idleLimit = Duration.seconds(10)

    /// The messages that the broker sends about us when we connect and when we are gone; they cost a few wake-ups per keep-alive.
    public struct Presence: Sendable, Hashable {
        /// Published when we have connected; nil for nothing.
        public var birth: MQTTMessage?
        /// Published by the broker when the connection is lost, and by us before we close it.
        public var will: MQTTMessage

        /// A presence.
        public init(birth: MQTTMessage?, will: MQTTMessage) {
            self.birth = birth
            self.will = will
        }
    }

    /// Settings for a broker: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
    ///
    /// - Errors: the URL is something else; it must hold neither a password nor a path.
    public init(url: String, clientID: String) throws(MQTTError) {
        let schemes: [(prefix: String, isEncrypted: Bool, port: UInt16)] = [("mqtt://", false, 1_883), ("mqtts://", true, 8_883)]
        guard let scheme = schemes.first(where: { url.lowercased().hasPrefix($0.prefix) }) else {
            throw .badSettings(reason: "the URL must begin with mqtt:// or mqtts://")
        }
        var rest = url.dropFirst(scheme.prefix.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        guard !rest.contains("@") else { throw .badSettings(reason: "the URL must hold no password") }
        var host = rest
        var port: Substring?
        if rest.first == "[", let end = rest.firstIndex(of: "]") {
            host = rest[rest.index(after: rest.startIndex)..<end]
            let tail = rest[rest.index(after: end)...]
            port = tail.isEmpty ? nil : tail.first == ":" ? tail.dropFirst() : ""
        } else if let colon = rest.lastIndex(of: ":") {
            host = rest[..<colon]
            port = rest[rest.index(after: colon)...]
        }
        let isName = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#[]".utf8.contains($0) }
        guard isName, rest.first == "[" || !host.contains(":") else {
            throw .badSettings(reason: "the URL must be \(scheme.prefix)HOST or \(scheme.prefix)HOST:PORT")
        }
        let number = port.map { UInt16($0) ?? 0 } ?? scheme.port
        guard number > 0 else { throw .badSettings(reason: "the URL's port must be 1 to 65535") }
        self.host = String(host)
        self.port = number
        isEncrypted = scheme.isEncrypted
        self.clientID = clientID
    }

    /// Why a broker cannot be talked to with them, in words for people that do not show a password; nil when it can.
    ///
    /// The library takes texts up to their first zero, and would send what is before it.
    var problem: String? {
        let topics = subscriptions + [presence?.birth?.topic, presence?.will.topic].compactMap(\.self)
        if MQTTTopic.hasControl(clientID) { return "the client id holds a control character" }
        if let user, MQTTTopic.hasControl(user) { return "the user name holds a control character" }
        if password?.utf8.contains(0) == true { return "the password holds a zero byte" }
        return topics.contains(where: MQTTTopic.hasControl) ? "a topic holds a control character" : nil
    }
}

/// A message to or from a broker.
public struct MQTTMessage: Sendable, Hashable {
    /// The topic; without wildcards.
    public var topic: String
    /// The content.
    public var payload: [UInt8]
    /// Whether the broker keeps it for later subscribers; in a received message, whether it was kept.
    public var isRetained: Bool

    /// A message.
    public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
