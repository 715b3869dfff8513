import Waypost

/// `hold`: keeps the receiver on, for every fix, until the connection ends.
public struct HoldRequest: ControlVerb {
    /// `hold`.
    public static let name = "hold"
    /// Whoever may know the position.
    public static let permission = ControlPermission.full
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Keeps positions coming for every fix until the connection ends; `status` shows the reason. When the user may no longer know the \
        position, the hold ends, and with it a connection that neither watches nor follows anything: its last line is an ERROR.
        """

    /// The reason, for people: 1 to 200 characters.
    public var reason = ""

    /// A request without a reason.
    public init() {}

    /// A request.
    ///
    /// - Parameter reason: why positions are needed, for people: 1 to 200 characters.
    public init(reason: String) {
        self.reason = reason
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("reason", &reason, "Why positions are needed, for people: 1 to 200 characters.")
    }

    /// The answer that the receiver is kept on.
    public struct Answer: ControlAnswer {
        /// `HELD`.
        public static let className = "HELD"
        /// Its description in the guide of the control socket.
        public static let documentation = "The receiver is kept on until the connection ends."

        /// The reason, as it was given.
        public var reason = ""

        /// An answer without a reason.
        public init() {}

        /// An answer.
        ///
        /// - Parameter reason: the reason, as it was given.
        public init(reason: String) {
            self.reason = reason
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("reason", &reason, "The reason, as it was given.")
        }
    }
}
