import Waypost

/// `private`: turns private mode on or off, or asks for its state.
public struct PrivateModeRequest: ControlVerb {
    /// `private`.
    public static let name = "private"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Turns private mode on or off: while it is on, nothing is logged, sent or shared. Without `on` it only asks for the state. It stays on across \
        restarts.
        """

    /// Whether private mode should be on; nil only asks.
    public var isOn: Bool?

    /// A request that only asks.
    public init() {}

    /// A request.
    ///
    /// - Parameter isOn: whether private mode should be on; nil only asks.
    public init(isOn: Bool?) {
        self.isOn = isOn
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("on", &isOn, "Whether private mode should be on; if absent, nothing changes.")
    }

    /// Whether private mode is on.
    public struct Answer: ControlAnswer {
        /// `PRIVATE`.
        public static let className = "PRIVATE"
        /// Its description in the guide of the control socket.
        public static let documentation = "Whether private mode is on."

        /// Whether it is on now.
        public var isOn = false

        /// An answer: off.
        public init() {}

        /// An answer.
        ///
        /// - Parameter isOn: whether private mode is on now.
        public init(isOn: Bool) {
            self.isOn = isOn
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("on", &isOn, "Whether it is on now.")
        }
    }
}
