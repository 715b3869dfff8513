import Waypost

/// `log_ack`: notes how much of the log a puller has.
public struct AcknowledgeLogRequest: ControlVerb {
    /// `log_ack`.
    public static let name = "log_ack"
    /// Its description in the guide of the control socket.
    public static let documentation = "Stores how much of the log a puller has. A cursor older than the known one changes nothing."

    /// The number of the last record that the puller has.
    public var cursor: UInt64 = 0
    /// The puller's name.
    public var puller = ""

    /// A request without a puller.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - cursor: the number of the last record that the puller has.
    ///   - puller: the puller's name; a new name adds one.
    public init(cursor: UInt64, puller: String) {
        self.cursor = cursor
        self.puller = puller
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("cursor", &cursor, "The number of the last record that the puller has.")
        try codec.member("puller", &puller, "The puller's name; a new name adds one.")
    }

    /// How much of the log the puller has.
    public struct Answer: ControlAnswer {
        /// `ACKNOWLEDGED`.
        public static let className = "ACKNOWLEDGED"
        /// Its description in the guide of the control socket.
        public static let documentation = "How much of the log the puller has."

        /// The puller's name.
        public var puller = ""
        /// The number of the last record that it has.
        public var cursor: UInt64 = 0

        /// An answer without a puller.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("puller", &puller, "The puller's name.")
            try codec.member("cursor", &cursor, "The number of the last record that it has.")
        }
    }
}
