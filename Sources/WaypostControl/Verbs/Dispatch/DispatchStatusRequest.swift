import Waypost

/// `dispatch`, `status`: how the destinations are.
public struct DispatchStatusRequest: DispatchRequest {
    /// `status`.
    public static let action: String? = "status"
    /// What the guide of the control socket says of it.
    public static let documentation = "Asks how the destinations are."

    /// Which destination; nil for all.
    public var destination: String?

    /// All destinations.
    public init() {}

    /// How the destinations are.
    public struct Answer: ControlAnswer {
        /// `DISPATCH`.
        public static let className = "DISPATCH"
        /// What the guide of the control socket says of it.
        public static let documentation = "How the destinations are."

        /// The destinations, in the order of the configuration.
        public var destinations: [DestinationReport] = []

        /// An answer without destinations.
        public init() {}

        /// An answer.
        ///
        /// - Parameter destinations: how each destination is.
        public init(destinations: [DestinationReport]) {
            self.destinations = destinations
        }

        /// Hands its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("destinations", &destinations, "The destinations, in the order of the configuration.")
        }
    }
}

/// How a destination is.
public struct DestinationReport: ControlObject {
    /// How it is, in a word.
    public struct State: ControlWord {
        /// The word on the wire.
        public let text: String

        /// The word of that text.
        public init(_ text: String) {
            self.text = text
        }

        /// Nothing waits.
        public static let idle = State("idle")
        /// Something waits for its time.
        public static let waiting = State("waiting")
        /// It is being sent to.
        public static let sending = State("sending")
        /// It could not be reached, and is tried again.
        public static let retrying = State("retrying")
        /// Somebody has to change something before it can be reached.
        public static let failing = State("failing")
        /// Somebody has paused it.
        public static let paused = State("paused")
        /// It is no longer configured, or without a `url`; what waits for it is kept.
        public static let unconfigured = State("unconfigured")

        /// Those that this version has.
        public static let known: [State] = [.idle, .waiting, .sending, .retrying, .failing, .paused, .unconfigured]
    }

    /// Its name.
    public var name = ""
    /// How it is.
    public var state = State.idle
    /// How many events wait.
    public var eventCount = 0
    /// How many positions wait, of very many about so many; nil while the log cannot be read.
    public var positionCount: Int?
    /// How many records it has refused for good.
    public var deadLetterCount = 0
    /// How many records it has.
    public var sentCount = 0
    /// How many were dropped as the queue was full or too old.
    public var droppedCount = 0
    /// How many were sent after the cut-off.
    public var lateCount = 0
    /// Whether it is sent to only when somebody asks for it.
    public var isOnDemand = false
    /// Seconds until the next attempt; nil when nothing waits, or only on demand.
    public var nextSeconds: Int?
    /// Seconds since the last receipt of this run; nil when there was none.
    public var receiptSecondsAgo: Int?
    /// Why it could not be reached the last time; nil when it could.
    public var reason: String?

    /// A destination of which nothing is known yet.
    public init() {}

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &name, "Its name.")
        try codec.member("state", &state, "How it is; `unconfigured`: no longer configured, or without a `url`; what waits is kept.")
        try codec.member("events", &eventCount, "How many events wait.")
        try codec.member("positions", &positionCount, "How many positions wait; absent while the log cannot be read.")
        try codec.member("dead_letters", &deadLetterCount, "How many records it has refused for good.")
        try codec.member("sent", &sentCount, "How many records it has.")
        try codec.member("dropped", &droppedCount, "How many were dropped as the queue was full or they were too old.")
        try codec.member("late", &lateCount, "How many were sent after the cut-off.")
        try codec.member("on_demand", &isOnDemand, absent: false, "Whether it is sent to only when somebody asks for it.")
        try codec.member("next_seconds", &nextSeconds, "Seconds until the next attempt.")
        try codec.member("receipt_seconds_ago", &receiptSecondsAgo, "Seconds since the last receipt of this run.")
        try codec.member("reason", &reason, "Why it could not be reached the last time.")
    }
}
