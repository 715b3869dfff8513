import Waypost

extension StatusReport {
    /// The roads on which positions are put.
    public struct Roads: ControlObject {
        /// Whether positions are matched now: it is switched on, or somebody needs it.
        public var isMatching = false
        /// How the device travels: `car`, `foot` or `bicycle`.
        public var mode: String?
        /// Whether the road file has the area where the device is; nil while there is no position.
        public var isCovered: Bool?
        /// The place on the road; nil off the roads.
        public var place: MatchedLine?

        /// Roads without matches.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("matching", &isMatching, "Whether positions are matched now: it is switched on, or somebody needs it.")
            try codec.member("mode", &mode, "How the device travels: `car`, `foot` or `bicycle`.")
            try codec.member(
                "covered", &isCovered,
                "Whether the road file has the area where the device is; absent without a position, and where that file cannot be used.")
            var match = place ?? MatchedLine()
            try match.code(with: &codec)
            place = match.position == nil ? nil : match
        }
    }
}
