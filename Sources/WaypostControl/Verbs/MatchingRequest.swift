import Waypost

/// `matching`: changes how the device travels on the roads of the road file, or asks for it.
public struct MatchingRequest: ControlVerb {
    /// `matching`.
    public static let name = "matching"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Changes how the device travels on the roads on which positions are put: from the next fix on, until the tracker ends. Without `mode` it only \
        asks. Without a road file the answer is `not_found`.
        """

    /// How the device travels; nil only asks.
    public var mode: TravelMode?

    /// A request that only asks.
    public init() {}

    /// A request.
    ///
    /// - Parameter mode: how the device travels; nil only asks.
    public init(mode: TravelMode?) {
        self.mode = mode
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("mode", &mode, "How the device travels; if absent, nothing changes.")
    }

    /// How the device travels, and whether positions are matched.
    public struct Answer: ControlAnswer {
        /// `MATCHING`.
        public static let className = "MATCHING"
        /// Its description in the guide of the control socket.
        public static let documentation = "How positions are put on roads."

        /// How the device travels.
        public var mode: TravelMode = .car
        /// Whether positions are matched now: it is switched on, or somebody needs it.
        public var isMatching = false

        /// An answer with no values set.
        public init() {}

        /// An answer.
        ///
        /// - Parameters:
        ///   - mode: how the device travels.
        ///   - isMatching: whether positions are matched now.
        public init(mode: TravelMode, isMatching: Bool) {
            (self.mode, self.isMatching) = (mode, isMatching)
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("mode", &mode, absent: .car, isOmitted: false, "How the device travels.")
            try codec.member("matching", &isMatching, "Whether positions are matched now: it is switched on, or somebody needs it.")
        }
    }
}
