import Waypost

/// `waiting_export`: what waits for a destination, a page at a time; it stays there.
public struct ExportQueueRequest: ControlVerb {
    /// `waiting_export`.
    public static let name = "waiting_export"
    /// What the guide of the control socket says of it.
    public static let documentation = """
        Asks what waits for a destination, a page at a time; it stays there. The destination may have been removed from the configuration.
        """

    /// The destination.
    public var destination = ""
    /// Where the page begins; nil for the first.
    public var cursor: WaitingCursor?

    /// A request without a destination.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - destination: the destination.
    ///   - cursor: where the page begins; nil for the first.
    public init(destination: String, cursor: WaitingCursor?) {
        self.destination = destination
        self.cursor = cursor
    }

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("destination", &destination, "The destination.")
        try codec.member("page", &cursor, "Where the page begins: `next` of the answer before; absent for the first.")
    }

    /// What waits.
    public struct Answer: ControlAnswer {
        /// `WAITING`.
        public static let className = "WAITING"
        /// What the guide of the control socket says of it.
        public static let documentation = "What waits for a destination: events first, then positions."

        /// The records, as servers get them in waypost's own format.
        public var records: [JSONText] = []
        /// Where the next page begins; nil when this is the last one.
        public var next: WaitingCursor?

        /// An answer without records.
        public init() {}

        /// An answer.
        ///
        /// - Parameters:
        ///   - records: the records, as servers get them in waypost's own format.
        ///   - next: where the next page begins; nil when this is the last one.
        public init(records: [JSONText], next: WaitingCursor?) {
            self.records = records
            self.next = next
        }

        /// Hands its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("records", &records, "The records, as servers get them in waypost's own format.")
            try codec.member("next", &next, "Where the next page begins; absent with the last one.")
        }
    }
}

extension WaitingCursor: ControlCursor {}
