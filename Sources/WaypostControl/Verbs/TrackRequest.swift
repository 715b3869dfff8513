import Waypost

/// `track`: sends an application's own event, with the position.
public struct TrackRequest: ControlVerb {
    /// `track`.
    public static let name = "track"
    /// Whoever may know the position.
    public static let permission = ControlPermission.full
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Sends an application's own event, with the position, to every destination. It is on the disk when the answer comes.
        """

    /// The event's name.
    public var event = ""
    /// The values that are sent with it.
    public var values: [String: JSONValue] = [:]

    /// An event without a name.
    public init() {}

    /// An event.
    ///
    /// - Parameters:
    ///   - event: its name.
    ///   - values: the values that are sent with it.
    public init(event: String, values: [String: JSONValue]) {
        self.event = event
        self.values = values
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &event, "The event's name.")
        try codec.member("values", &values, "The values that are sent with it: any members.")
    }

    /// The answer that the event is on the disk.
    public struct Answer: ControlAnswer {
        /// `TRACKED`.
        public static let className = "TRACKED"
        /// Its description in the guide of the control socket.
        public static let documentation = "The event is on the disk, and is sent when each destination is due."

        /// The event's permanent id.
        public var id = ""
        /// The destinations whose format cannot express such an event and that will not get it.
        public var excluded: [String] = []
        /// The reason for each of them.
        public var reasons: [String] = []

        /// An answer without an id.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("id", &id, "The event's id: the same at every destination and in the ledger.")
            try codec.member("not_for", &excluded, absent: [], "Destinations that cannot express such an event and will not get it.")
            try codec.member("why", &reasons, absent: [], "The reason for each of them, in the same order.")
        }
    }
}
