import Waypost

/// `playback`: controls the recordings and simulated drives that are played; a request that changes nothing asks for their state.
public struct PlaybackRequest: ControlVerb {
    /// `playback`.
    public static let name = "playback"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Controls the recordings and simulated drives that the tracker plays. Without any member it only asks for their state.
        """

    /// Whether the position should stand still; nil leaves it unchanged.
    public var isStationary: Bool?
    /// Whether the position should be lost while the drive continues; nil leaves it unchanged.
    public var isPositionLost: Bool?
    /// Whether it restarts.
    public var resets = false

    /// A request that changes nothing.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - isStationary: whether the position should stand still; nil leaves it unchanged.
    ///   - isPositionLost: whether the position should be lost while the drive continues; nil leaves it unchanged.
    ///   - resets: whether it restarts.
    public init(isStationary: Bool? = nil, isPositionLost: Bool? = nil, resets: Bool = false) {
        self.isStationary = isStationary
        self.isPositionLost = isPositionLost
        self.resets = resets
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("stationary", &isStationary, "Whether the position should stand still, as at a red light.")
        try codec.member("position_lost", &isPositionLost, "Whether the position should be lost while the drive continues, as in a tunnel.")
        try codec.member("reset", &resets, absent: false, "Whether the drive starts again.")
    }

    /// The state of the recordings and simulated drives.
    public struct Answer: ControlAnswer {
        /// `PLAYBACK`.
        public static let className = "PLAYBACK"
        /// Its description in the guide of the control socket.
        public static let documentation = "The present state of the recordings and simulated drives."

        /// How many are played.
        public var count = 0
        /// Whether all of them stand still.
        public var isStationary = false
        /// Whether the position of all of them is lost.
        public var isPositionLost = false

        /// An answer for when nothing is played.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("playing", &count, "How many are played.")
            try codec.member("stationary", &isStationary, "Whether all of them stand still.")
            try codec.member("position_lost", &isPositionLost, "Whether the position of all of them is lost.")
        }
    }
}
