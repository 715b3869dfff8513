import Waypost

/// `dispatch`, `list`: the records that a destination refused for good.
public struct ListDeadLettersRequest: DispatchRequest {
    /// `list`.
    public static let action: String? = "list"
    /// What the guide of the control socket says of it.
    public static let documentation = "Lists the records that a destination refused for good, at most 500."

    /// Of which destination; nil for all.
    public var destination: String?

    /// Of all destinations.
    public init() {}

    /// The refused records.
    public struct Answer: ControlAnswer {
        /// `DEAD_LETTERS`.
        public static let className = "DEAD_LETTERS"
        /// What the guide of the control socket says of it.
        public static let documentation = "The records that a destination refused for good."

        /// The records, the oldest first.
        public var letters: [DeadLetterEntry] = []

        /// An answer without records.
        public init() {}

        /// An answer.
        ///
        /// - Parameter letters: the records, the oldest first.
        public init(letters: [DeadLetterEntry]) {
            self.letters = letters
        }

        /// Hands its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("dead_letters", &letters, "The records.")
        }
    }
}

/// A record that a destination refused for good.
public struct DeadLetterEntry: ControlObject {
    /// Its number among the dead letters.
    public var number = 0
    /// The destination that refused it.
    public var destination = ""
    /// The record's id.
    public var id = ""
    /// What it is: `position`, `enter`, `track`, ...
    public var kind = ""
    /// The fence, or the application's word for it.
    public var name: String?
    /// The lane it was in: `events` or `positions`.
    public var lane = ""
    /// Its number in that lane.
    public var sequence: UInt64 = 0
    /// When it happened.
    public var time: UTCTime?
    /// Why it was refused, in the destination's words.
    public var reason = ""
    /// Whether it is to be sent again.
    public var isRetrying = false

    /// A record of which nothing is known yet.
    public init() {}

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("number", &number, "Its number among the dead letters.")
        try codec.member("destination", &destination, "The destination that refused it.")
        try codec.member("id", &id, "The record's id.")
        try codec.member("kind", &kind, "What it is: `position`, `enter`, `track`, ...")
        try codec.member("name", &name, "The fence, or the application's word for it.")
        try codec.member("lane", &lane, "The lane it was in: `events` or `positions`.")
        try codec.member("seq", &sequence, "Its number in that lane.")
        try codec.member("time", &time, "When it happened.")
        try codec.member("reason", &reason, "Why it was refused, in the destination's words.")
        try codec.member("retrying", &isRetrying, absent: false, "Whether it is to be sent again.")
    }
}
