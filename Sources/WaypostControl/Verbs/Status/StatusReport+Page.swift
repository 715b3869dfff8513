import Waypost

extension StatusReport {
    /// The map page.
    public struct Page: ControlObject {
        /// Its address, without the token; nil when it is reached by its Unix socket only.
        public var address: String?
        /// The path of its Unix socket; nil when there is none.
        public var socket: String?
        /// How many pages are open.
        public var openCount = 0
        /// Whether it is reached from the network without encryption.
        public var isUnencrypted = false
        /// Whether it can be reached at all.
        public var isReached = true
        /// How much it gives to the owner: all or nothing.
        public var level = AuthorisationLevel.full
        /// How much it gives to guests: all that they may see, or nothing.
        public var guestLevel = AuthorisationLevel.full

        /// A page with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("address", &address, "Its address, without the token; absent when there is only a Unix socket.")
            try codec.member("socket", &socket, "The path of its Unix socket.")
            try codec.member("open", &openCount, "How many pages are open.")
            try codec.member("insecure", &isUnencrypted, absent: false, "Whether it is reached from the network without encryption.")
            try codec.member("reached", &isReached, absent: true, "False while it cannot be reached; a problem says why.")
            try codec.member("level", &level, absent: .full, isOmitted: false, "How much it gives to the owner: full or none.")
            try codec.member("guest_level", &guestLevel, absent: .full, isOmitted: false, "How much it gives to guests: full or none.")
        }
    }
}
