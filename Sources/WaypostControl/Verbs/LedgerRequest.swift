import Waypost

/// `ledger`: what happened to fixes and events, one by its id or all since a moment.
public struct LedgerRequest: ControlVerb {
    /// `ledger`.
    public static let name = "ledger"
    /// Whoever may know the position.
    public static let permission = ControlPermission.full
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Asks what became of fixes and events: logged, queued, sent, received, or left out and why. Either of one record by its `id`, or of all \
        since a moment, a page at a time.
        """

    /// The selection of records.
    public enum Query: Sendable, Hashable {
        /// One record by its id.
        case record(id: String)
        /// All records since a moment, one page.
        case since(UTCTime, LedgerCursor)
    }

    /// The requested records.
    public var query: Query
    /// The moment at which the requested records end: only those before it; nil for all since the first.
    public var until: UTCTime?

    /// A request for a record without an id.
    public init() {
        query = .record(id: "")
    }

    /// A request.
    ///
    /// - Parameters:
    ///   - query: the requested records.
    ///   - until: the moment before which they happened, when all since a moment are requested; nil for no end.
    public init(_ query: Query, until: UTCTime? = nil) {
        (self.query, self.until) = (query, until)
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        var (id, since, cursor): (String?, UTCTime?, LedgerCursor?)
        switch query {
        case .record(let name): id = name
        case .since(let time, let place): (since, cursor) = (time, place)
        }
        try codec.member("id", &id, "The id of the one record that is asked for.")
        let isForAll = id == nil
        try codec.member(
            "since", &since, isAllowed: isForAll, isRequired: isForAll, "All records since then; without `id` it must be there.")
        try codec.member("until", &until, isAllowed: isForAll, "Only records before that moment.")
        try codec.member("page", &cursor, isAllowed: isForAll, "Where the page begins: `next` of the answer before; absent for the first.")
        if let id { query = .record(id: id) } else if let since { query = .since(since, cursor ?? .first) }
    }

    /// The fates of the records.
    public struct Answer: ControlAnswer {
        /// `LEDGER`.
        public static let className = "LEDGER"
        /// Its description in the guide of the control socket.
        public static let documentation =
            "What became of the records: a page of them, first those that are in the outbox alone, then those of the log."

        /// The records.
        public var records: [LedgerRecord] = []
        /// Where the next page begins; nil when this is the last one.
        public var next: LedgerCursor?

        /// An answer without records.
        public init() {}

        /// An answer.
        ///
        /// - Parameters:
        ///   - records: the records.
        ///   - next: where the next page begins; nil when this is the last one.
        public init(records: [LedgerRecord], next: LedgerCursor?) {
            self.records = records
            self.next = next
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("records", &records, "The records, or stretches of fixes that were left out.")
            try codec.member("next", &next, "Where the next page begins; absent with the last one.")
        }
    }
}

extension LedgerCursor: ControlCursor {}
