import Waypost

extension StatusReport {
    /// A door on which other programs get positions.
    public struct ShareDoor: ControlObject {
        /// Its key in `[share]`: `gpsd`, `nmea`, `nmea_udp`, `nmea_socket`.
        public var name = ""
        /// Its address and port, or its path.
        public var place = ""
        /// How many programs are connected; nil for datagrams, which nobody acknowledges, and while it is shut.
        public var clientCount: Int?
        /// Whether other machines of the network reach it.
        public var isOpenToNetwork = false
        /// How much of the position it gives.
        public var level = AuthorisationLevel.full
        /// Why it is shut, or what does not work.
        public var problem: String?

        /// A door with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("name", &name, "Its key in `[share]`: `gpsd`, `nmea`, `nmea_udp`, `nmea_socket`.")
            try codec.member("place", &place, "Its address and port, or its path.")
            try codec.member("clients", &clientCount, "How many programs are connected; absent for datagrams, and while it is shut.")
            try codec.member("network", &isOpenToNetwork, absent: false, "Whether other machines of the network reach it.")
            try codec.member("level", &level, absent: .full, isOmitted: false, "How much of the position it gives: full, reduced or none.")
            try codec.member("problem", &problem, "Why it is shut, or what does not work.")
        }
    }
}
