import Waypost

/// `waiting_export`: the records that wait for a destination, a page at a time; they stay queued.
public struct ExportQueueRequest: ControlVerb {
    /// `waiting_export`.
    public static let name = "waiting_export"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Asks for the records that wait for a destination, a page at a time; they stay queued. The destination may have been removed from the configuration.
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

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("destination", &destination, "The destination.")
        try codec.member("page", &cursor, "Where the page begins: `next` of the last answer; absent for the first.")
    }

    /// The waiting records.
    public struct Answer: ControlAnswer {
        /// `WAITING`.
        public static let className = "WAITING"
        /// Its description in the guide of the control socket.
        public static let documentation = "The records that wait for a destination: events first, then positions."

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

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("records", &records, "The records, as servers get them in waypost's own format.")
            try codec.member("next", &next, "Where the next page begins; absent with the last one.")
        }
    }
}

extension WaitingCursor: ControlCursor {}
