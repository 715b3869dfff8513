import Waypost

/// `capabilities`: what the tracker can do on this device.
public struct CapabilitiesRequest: ControlVerb {
    /// `capabilities`.
    public static let name = "capabilities"
    /// Every local user.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation = "Asks what the tracker can do on this device."

    /// A request.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {}

    /// The tracker's abilities on this device.
    public struct Answer: ControlAnswer {
        /// `CAPABILITIES`.
        public static let className = "CAPABILITIES"
        /// Its description in the guide of the control socket.
        public static let documentation = "What the tracker can do on this device."

        /// The tracker's version.
        public var version = ""
        /// Receivers that are plugged in and known by their USB ids.
        public var receivers: [Receiver] = []
        /// Whether a watch can select only significant changes.
        public var hasSignificantChanges = true
        /// Whether the receiver sleeps when few positions are needed.
        public var sleepsBetweenSamples = false
        /// Whether the receiver is turned off while it sleeps.
        public var switchesReceiverOff = false
        /// Whether the receiver also sleeps while the device is at rest.
        public var pausesAtRest = false
        /// Whether positions are matched to roads.
        public var matchesPositions = false
        /// How the device travels on them; nil without a road file.
        public var mode: TravelMode?
        /// Whether a recording or a simulated drive is played.
        public var isPlayback = false
        /// What the client may know, and when.
        public var authorisation = Authorisation(.notDetermined)

        /// An answer with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("version", &version, "The tracker's version.")
            try codec.member("receivers", &receivers, "Receivers that are plugged in and known by their USB ids.")
            try codec.member("significant_changes", &hasSignificantChanges, "Whether a watch can select only significant changes.")
            try codec.member("sleeps_between_samples", &sleepsBetweenSamples, "Whether the receiver sleeps when few positions are needed.")
            try codec.member(
                "switches_receiver_off", &switchesReceiverOff, "Whether the receiver is turned off while it sleeps (`[power] hook`).")
            try codec.member(
                "pauses_at_rest", &pausesAtRest,
                "Whether the receiver also sleeps while the device is at rest (`[tracking] rest_interval`).")
            try codec.member("map_matching", &matchesPositions, "Whether positions are matched to roads.")
            try codec.member("map_match_mode", &mode, "How the device travels on them; absent without a road file.")
            try codec.member("playback", &isPlayback, "Whether a recording or a simulated drive is played.")
            try codec.member(
                "level", &authorisation.level, absent: .full, isOmitted: false, "How much of the position this client may know.")
            try codec.member("scope", &authorisation.scope, absent: .always, isOmitted: false, "While connected, or always.")
            try codec.member("temporary", &authorisation.isTemporary, absent: false, "Whether that ends with a time or a connection.")
        }
    }

    /// A receiver that is plugged in.
    public struct Receiver: ControlObject {
        /// The device: `/dev/ttyACM0`.
        public var path = ""
        /// Its name: `u-blox 8`.
        public var name = ""

        /// A receiver with no values set.
        public init() {}

        /// A receiver.
        ///
        /// - Parameters:
        ///   - path: the device.
        ///   - name: its name.
        public init(path: String, name: String) {
            self.path = path
            self.name = name
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("path", &path, "The device: `/dev/ttyACM0`.")
            try codec.member("receiver", &name, "Its name.")
        }
    }
}
