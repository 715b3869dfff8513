import Waypost

/// One line of the ledger: a record and its fate, fixes that were left out, or lost records.
public struct LedgerRecord: ControlObject {
    /// The kind of fixes that were left out.
    public static let leftOut = "filtered"
    /// The kind of records that a damaged journal has lost; all other kinds are those of records.
    public static let lost = "lost"

    /// Its kind: `position`, `enter`, `exit`, `dwell`, `pass`, `track`, `health`, `waypoints`, ``leftOut``, or ``lost``.
    public var kind = ""

    /// Fixes that were left out: the first one's time.
    public var from: UTCTime?
    /// Fixes that were left out: the last one's time.
    public var to: UTCTime?
    /// Fixes that were left out, records that are lost: how many; nil when that is not known.
    public var count: Int?
    /// Fixes that were left out, records that are lost: why, for people.
    public var reason: String?

    /// A record's permanent id.
    public var id: String?
    /// When it happened.
    public var time: UTCTime?
    /// The fence's name, or the application's name for its event.
    public var name: String?
    /// Whether it is in the log; nil for records that do not belong there.
    public var isLogged: Bool?
    /// Its number in the log; the first one of records that are lost.
    public var logNumber: UInt64?
    /// The last number of records that are lost.
    public var lastLogNumber: UInt64?
    /// Its fate at each destination; nil for fixes that were left out and for lost records.
    public var destinations: [Delivery]?

    /// A line with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member(
            "kind", &kind,
            """
            `position`, `enter`, `exit`, `dwell`, `pass`, `track`, `health`, `waypoints`; `filtered` for fixes left out, `lost` for records \
            lost to a damaged journal.
            """)
        try codec.member("from", &from, "Fixes left out: the first one's time.")
        try codec.member("to", &to, "Fixes left out: the last one's time.")
        try codec.member("count", &count, "Fixes left out, records lost: how many; absent when that is not known.")
        try codec.member("reason", &reason, "Fixes left out, records lost: why, for people.")
        try codec.member("id", &id, "The record's id for ever.")
        try codec.member("time", &time, "When it happened.")
        try codec.member("name", &name, "The fence, or the application's word for it.")
        try codec.member("logged", &isLogged, "Whether it is in the log; absent for records that do not belong there.")
        try codec.member("seq", &logNumber, "Its number in the log; the first of lost records.")
        try codec.member("last_seq", &lastLogNumber, "The number of the last of lost records.")
        try codec.member("destinations", &destinations, "What became of it at each destination.")
    }

    /// The fate of a record at a destination.
    public struct Delivery: ControlObject {
        /// Its fate, in a word.
        public struct State: ControlWord {
            /// The word on the wire.
            public let text: String

            /// A word from its text.
            public init(_ text: String) {
                self.text = text
            }

            /// It waits.
            public static let queued = State("queued")
            /// It was sent, and there is no receipt yet.
            public static let sent = State("sent")
            /// The destination has it.
            public static let receipt = State("receipt")
            /// The destination refused it permanently: a dead letter.
            public static let refused = State("refused")
            /// The destination refused it permanently, and the dead letter was dropped.
            public static let dropped = State("dropped")
            /// It is not for this destination.
            public static let unwanted = State("unwanted")
            /// A damaged journal has lost it.
            public static let lost = State("lost")
            /// It was settled so long ago that nothing more is known of it.
            public static let forgotten = State("forgotten")

            /// The words of this version.
            public static let known: [State] = [.queued, .sent, .receipt, .refused, .dropped, .unwanted, .lost, .forgotten]
        }

        /// The destination.
        public var name = ""
        /// Its fate.
        public var state = State.queued
        /// When the receipt came.
        public var time: UTCTime?
        /// The receipt, in the destination's words.
        public var answer: String?
        /// Why it was refused, in the destination's words.
        public var reason: String?

        /// A delivery with no values set.
        public init() {}

        /// The fate of a record at a destination.
        ///
        /// - Parameters:
        ///   - name: the destination.
        ///   - state: its fate.
        public init(name: String, state: State) {
            self.name = name
            self.state = state
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("name", &name, "The destination.")
            try codec.member(
                "state", &state,
                "What became of it; `dropped`: refused, and its dead letter dropped; `forgotten`: settled so long ago that nothing more is kept of it."
            )
            try codec.member("time", &time, "When the receipt came.")
            try codec.member("answer", &answer, "The receipt, in the destination's words.")
            try codec.member("reason", &reason, "Why it was refused, in the destination's words.")
        }
    }
}
