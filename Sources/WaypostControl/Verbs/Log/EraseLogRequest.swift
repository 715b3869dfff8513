import Waypost

/// `log_erase`: permanently removes a period from the log and from the waiting records.
public struct EraseLogRequest: ControlVerb {
    /// `log_erase`.
    public static let name = "log_erase"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Permanently removes records from one moment until before another: from the log, its GPX files, and the waiting records.
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

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("from", &from, "The first moment that is erased.")
        try codec.member("to", &to, "The first moment after it that is kept.")
    }

    /// Checks that the period is not empty.
    public func validate() throws(ControlMemberError) {
        guard from < to else { throw ControlMemberError(path: "from", expected: "before \"to\"") }
    }

    /// The erased records.
    public struct Answer: ControlAnswer {
        /// `ERASED`.
        public static let className = "ERASED"
        /// Its description in the guide of the control socket.
        public static let documentation = "What was erased."

        /// How many positions.
        public var positionCount = 0
        /// How many tracks they were in.
        public var trackCount = 0

        /// An answer with nothing erased.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("positions", &positionCount, "How many positions; one that was in the tracks of several types counts once.")
            try codec.member("tracks", &trackCount, "How many tracks they were in.")
        }
    }
}
