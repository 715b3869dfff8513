extension Configuration.Destination {
    /// What a destination of a broker has besides.
    public struct MQTT: Equatable, Sendable {
        /// Where records go, with names that each fills in.
        public var topic = "waypost/{device}/{kind}"
        /// Our name for the broker; empty = follows from the machine's id and the destination's name.
        public var clientID = ""
        /// Whose word is the receipt.
        public var receipt = Receipt.broker
        /// Where an application says which records it has.
        public var receiptTopic = "waypost-receipts/{device}"
        /// How long its receipts are waited for after the last one.
        public var receiptTimeout = Duration.seconds(30)
        /// Whether the connection is held, and the broker says when the device is there and when it is gone.
        public var showsPresence = false
        /// Where it says so.
        public var statusTopic = "waypost/{device}/status"
        /// Whether the broker keeps the newest position for those who come later.
        public var retainsPosition = false
        /// So many messages are on their way at most.
        public var window = 20
    }

    /// Whose word is the receipt.
    public enum Receipt: String, Sendable, CaseIterable {
        /// The broker's acknowledgement.
        case broker
        /// The ids that an application publishes.
        case application
    }

    /// Whether the server is a broker.
    public var isBroker: Bool { url.lowercased().hasPrefix("mqtt") }

    /// What is wrong with keys of a broker that do not fit together; see ``fault``.
    var brokerFault: (key: String, reason: String)? {
        switch kind {
        case .mqtt:
            if !url.isEmpty, !isBroker { return ("url", "must begin with mqtt:// or mqtts:// with kind \"mqtt\"") }
        case .owntracks: break
        case .http, .traccar, .tealium:
            if isBroker { return ("url", "is a broker's: kind must be \"mqtt\" or \"owntracks\"") }
        }
        guard isBroker else { return nil }
        if kind == .owntracks, mqtt.receipt == .application { return ("receipt", "must be \"broker\" with kind \"owntracks\"") }
        if tokenFile != nil { return ("token_file", "is for web servers; a broker takes user and password_file") }
        return nil
    }
}
