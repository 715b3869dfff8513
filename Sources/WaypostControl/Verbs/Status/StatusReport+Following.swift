import Waypost

extension StatusReport {
    /// How closely the device is followed, and for which clients.
    public struct Following: ControlObject {
        /// How often positions are taken, in a word.
        public struct Pace: ControlWord {
            /// The word on the wire.
            public let text: String

            /// A word from its text.
            public init(_ text: String) {
                self.text = text
            }

            /// Every fix of the receiver.
            public static let everyFix = Pace("every_fix")
            /// One fix now and then.
            public static let sampling = Pace("sampling")
            /// The receiver sleeps between two samples.
            public static let asleep = Pace("asleep")
            /// No client needs positions.
            public static let unneeded = Pace("unneeded")
            /// Positioning is stopped.
            public static let stopped = Pace("stopped")

            /// The words of this version.
            public static let known: [Pace] = [.everyFix, .sampling, .asleep, .unneeded, .stopped]
        }

        /// How often positions are taken.
        public var pace = Pace.everyFix
        /// How many more seconds the receiver sleeps.
        public var asleepSeconds: Int?
        /// The clients.
        public var clients: [Client] = []
        /// Whether the device is at rest.
        public var isStationary = false
        /// The average speed, m/s; nil when it is unknown, or must not be shown.
        public var averageSpeedMetresPerSecond: Double?

        /// A device that is followed for no client.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("pace", &pace, "How often positions are taken.")
            try codec.member("asleep_seconds", &asleepSeconds, "How many more seconds the receiver sleeps.")
            try codec.member("for", &clients, "The clients that need positions.")
            try codec.member("stationary", &isStationary, "Whether the device is at rest.")
            try codec.member("average_speed", &averageSpeedMetresPerSecond, "The average speed, m/s.")
        }
    }

    /// A client that needs positions.
    public struct Client: ControlObject {
        /// How closely the device must be followed, in a word.
        public struct Need: ControlWord {
            /// The word on the wire.
            public let text: String

            /// A word from its text.
            public init(_ text: String) {
                self.text = text
            }

            /// Every fix.
            public static let everyFix = Need("every_fix")
            /// A fix within the given number of seconds.
            public static let within = Need("within")

            /// The words of this version.
            public static let known: [Need] = [.everyFix, .within]
        }

        /// The reason: `tracker`, `fences`, `watch`, or that of a hold.
        public var reason = ""
        /// How closely the device must be followed.
        public var need = Need.everyFix
        /// The number of seconds within which a fix is needed.
        public var seconds: Double?

        /// A client with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("reason", &reason, "The reason: `tracker`, `fences`, `watch`, or that of a hold.")
            try codec.member("need", &need, "How closely the device must be followed.")
            try codec.member("seconds", &seconds, "Within how many seconds a fix is needed.")
        }
    }

    /// The fences.
    public struct Fences: ControlObject {
        /// How many there are.
        public var count = 0
        /// The ids of the fences that the device is inside; nil when that must not be shown.
        public var inside: [String]?
        /// The last events.
        public var events: [TrackerEvent] = []
        /// How many of them, the newest, this run of the tracker has reported.
        public var newCount = 0

        /// No fences.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("count", &count, "How many there are.")
            try codec.member("inside", &inside, "The ids of the fences that the device is inside.")
            try codec.member("events", &events, "The last events, each as in an EVENT line.")
            try codec.member(
                "new", &newCount, absent: 0, "How many of them, the newest, this run of the tracker has reported; absent when none.")
        }
    }

    /// Whether something is withheld.
    public struct Privacy: ControlObject {
        /// Whether private mode is on.
        public var isPrivate = false
        /// Whether the position is withheld: in private mode, and inside a privacy zone.
        public var isWithheld = false
        /// Whether one coarse place is shown for the whole zone.
        public var isCoarse = false

        /// Nothing is withheld.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("private", &isPrivate, "Whether private mode is on.")
            try codec.member("withheld", &isWithheld, "Whether the position is withheld: in private mode, and inside a privacy zone.")
            try codec.member("coarse", &isCoarse, absent: false, "Whether one coarse place is reported for the whole zone.")
        }
    }

    /// How quantities and times are shown.
    public struct Display: ControlObject {
        /// The units.
        public var units = UnitSystem.metric
        /// The name of the time zone; nil for that of the system.
        public var timeZone: String?

        /// Metric, in the system's time zone.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("units", &units, "The units.")
            try codec.member("time_zone", &timeZone, "The name of the time zone; absent for that of the system.")
        }
    }
}
