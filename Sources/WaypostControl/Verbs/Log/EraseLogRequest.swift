import Waypost

/// `log_erase`: removes a stretch of time from the log and from what waits to be sent, for good.
public struct EraseLogRequest: ControlVerb {
    /// `log_erase`.
    public static let name = "log_erase"
    /// What the guide of the control socket says of it.
    public static let documentation = """
        Removes what was recorded from one moment until before another, for good: from the log, its GPX files, and what waits to be sent.
        """

    /// The first moment that is erased.
    public var from = UTCTime(millisecondsSince1970: 0)
    /// The first moment after it that is kept.
    public var to = UTCTime(millisecondsSince1970: 0)

    /// A request that erases nothing.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - from: the first moment that is erased.
    ///   - to: the first moment after it that is kept.
    public init(from: UTCTime, to: UTCTime) {
        self.from = from
        self.to = to
    }

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("from", &from, "The first moment that is erased.")
        try codec.member("to", &to, "The first moment after it that is kept.")
    }

    /// Checks that there is something to be erased.
    public func validate() throws(ControlMemberError) {
        guard from < to else { throw ControlMemberError(path: "from", expected: "before \"to\"") }
    }

    /// What was erased.
    public struct Answer: ControlAnswer {
        /// `ERASED`.
        public static let className = "ERASED"
        /// What the guide of the control socket says of it.
        public static let documentation = "What was erased."

        /// How many positions.
        public var positionCount = 0
        /// How many tracks they were in.
        public var trackCount = 0

        /// An answer: nothing was erased.
        public init() {}

        /// Hands its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("positions", &positionCount, "How many positions.")
            try codec.member("tracks", &trackCount, "How many tracks they were in.")
        }
    }
}
