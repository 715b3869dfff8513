import Waypost

/// `dispatch`, `list`: the records that a destination refused permanently.
public struct ListDeadLettersRequest: DispatchRequest {
    /// `list`.
    public static let action: String? = "list"
    /// Its description in the guide of the control socket.
    public static let documentation = "Lists the records that a destination refused permanently, a page of at most 500 at a time."

    /// The destination; nil for all.
    public var destination: String?
    /// The number after which the page begins; nil for the first.
    public var after: UInt64?

    /// A request for all destinations.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - destination: the destination; nil for all.
    ///   - after: the number after which the page begins; nil for the first.
    public init(destination: String?, after: UInt64?) {
        self.destination = destination
        self.after = after
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
        try codec.member("after", &after, "The number after which the page begins: `next` of the last answer; absent for the first.")
    }

    /// The refused records.
    public struct Answer: ControlAnswer {
        /// `DEAD_LETTERS`.
        public static let className = "DEAD_LETTERS"
        /// Its description in the guide of the control socket.
        public static let documentation = "The records that a destination refused permanently."

        /// The records, the oldest first.
        public var letters: [DeadLetterEntry] = []
        /// After which number the next page begins; nil when this one is empty.
        public var next: UInt64?

        /// An answer without records.
        public init() {}

        /// An answer.
        ///
        /// - Parameter letters: the records, the oldest first.
        public init(letters: [DeadLetterEntry]) {
            self.letters = letters
            next = letters.last.map { UInt64(clamping: $0.number) }
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("dead_letters", &letters, "The records.")
            try codec.member("next", &next, "After which number the next page begins; absent when there are no more.")
        }
    }
}

/// A record that a destination refused permanently.
public struct DeadLetterEntry: ControlObject {
    /// Its number among the dead letters.
    public var number = 0
    /// The destination that refused it.
    public var destination = ""
    /// The record's id.
    public var id = ""
    /// Its kind: `position`, `enter`, `track`, ...
    public var kind = ""
    /// The fence's name, or the application's name for its event.
    public var name: String?
    /// The lane it was in: `events`, or for positions `live` or `history`.
    public var lane = ""
    /// Its number in that lane.
    public var sequence: UInt64 = 0
    /// When it happened.
    public var time: UTCTime?
    /// Why it was refused, in the destination's words.
    public var reason = ""
    /// Whether it is due for another attempt.
    public var isRetrying = false

    /// A record with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("number", &number, "Its number among the dead letters.")
        try codec.member("destination", &destination, "The destination that refused it.")
        try codec.member("id", &id, "The record's id.")
        try codec.member("kind", &kind, "Its kind: `position`, `enter`, `track`, ...")
        try codec.member("name", &name, "The fence's name, or the application's name for its event.")
        try codec.member("lane", &lane, "The lane it was in: `events`, or for positions `live` or `history`.")
        try codec.member("seq", &sequence, "Its number in that lane.")
        try codec.member("time", &time, "When it happened.")
        try codec.member("reason", &reason, "Why it was refused, in the destination's words.")
        try codec.member("retrying", &isRetrying, absent: false, "Whether it is due for another attempt.")
    }
}
