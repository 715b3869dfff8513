import Waypost

/// `page`: the address of the map page, with its token.
public struct PageRequest: ControlVerb {
    /// `page`.
    public static let name = "page"
    /// Its description in the guide of the control socket.
    public static let documentation = "Asks for the address of the map page and its token, or for a token of a guest that expires."

    /// For a guest's token: how many seconds it is valid; nil for the token of the owner.
    public var guestSeconds: Int?

    /// A request for the token of the owner.
    public init() {}

    /// A request.
    ///
    /// - Parameter guestSeconds: for a guest's token: how many seconds it is valid; nil for the token of the owner.
    public init(guestSeconds: Int?) {
        self.guestSeconds = guestSeconds
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member(
            "guest_seconds", &guestSeconds, rule: ControlRule("seconds, from 60 to 31536000") { (60...31_536_000).contains($0) },
            "For a guest's token: how many seconds it is valid.")
    }

    /// Where the page is.
    public struct Answer: ControlAnswer {
        /// `PAGE`.
        public static let className = "PAGE"
        /// Its description in the guide of the control socket.
        public static let documentation = "The address of the map page: `ADDRESS?token=TOKEN`."

        /// The address without the token; nil when the page is reached by its Unix socket only.
        public var address: String?
        /// The path of its Unix socket; nil when there is none.
        public var socket: String?
        /// The names under which the network or a proxy reaches it.
        public var names: [String] = []
        /// The token.
        public var token = ""
        /// When the token expires; nil for never.
        public var expires: UTCTime?
        /// Whether it is reached from the network without encryption.
        public var isUnencrypted = false

        /// An answer with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("address", &address, "The address without the token; absent when there is only a Unix socket.")
            try codec.member("socket", &socket, "The path of its Unix socket.")
            try codec.member("names", &names, "The names of `[map] hosts`, under which the network or a proxy reaches it.")
            try codec.member("token", &token, "The token.")
            try codec.member("expires", &expires, "When the token expires.")
            try codec.member("insecure", &isUnencrypted, absent: false, "Whether it is reached from the network without encryption.")
        }
    }
}
