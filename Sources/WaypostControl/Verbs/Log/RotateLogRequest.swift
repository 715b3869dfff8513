import Waypost

/// `log_rotate`: ends the current track and makes its GPX file.
public struct RotateLogRequest: ControlVerb {
    /// `log_rotate`.
    public static let name = "log_rotate"
    /// Its description in the guide of the control socket.
    public static let documentation = "Ends the current track and makes its GPX file; the next fix starts a new one."

    /// A request.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {}

    /// The track that has ended.
    public struct Answer: ControlAnswer {
        /// `ROTATED`.
        public static let className = "ROTATED"
        /// Its description in the guide of the control socket.
        public static let documentation = "The track that has ended."

        /// The path of its GPX file; nil when nothing was recorded.
        public var track: String?
        /// How many positions it has.
        public var positionCount = 0

        /// An answer with no track.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("track", &track, "The path of its GPX file; absent when nothing was recorded.")
            try codec.member("positions", &positionCount, "How many positions it has.")
        }
    }
}
