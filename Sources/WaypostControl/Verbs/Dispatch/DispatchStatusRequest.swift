import Waypost

/// `dispatch`, `status`: the states of the destinations.
public struct DispatchStatusRequest: DispatchRequest {
    /// `status`.
    public static let action: String? = "status"
    /// Whoever may know the position.
    public static let permission = ControlPermission.full
    /// Its description in the guide of the control socket.
    public static let documentation = "Asks for the states of the destinations."

    /// The destination; nil for all.
    public var destination: String?

    /// A request for all destinations.
    public init() {}

    /// The states of the destinations.
    public struct Answer: ControlAnswer {
        /// `DISPATCH`.
        public static let className = "DISPATCH"
        /// Its description in the guide of the control socket.
        public static let documentation = "The states of the destinations."

        /// The destinations, in the order of the configuration.
        public var destinations: [DestinationReport] = []

        /// An answer without destinations.
        public init() {}

        /// An answer.
        ///
        /// - Parameter destinations: the state of each destination.
        public init(destinations: [DestinationReport]) {
            self.destinations = destinations
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("destinations", &destinations, "The destinations, in the order of the configuration.")
        }
    }
}

/// The state of a destination.
public struct DestinationReport: ControlObject {
    /// The state, in a word.
    public struct State: ControlWord {
        /// The word on the wire.
        public let text: String

        /// A word from its text.
        public init(_ text: String) {
            self.text = text
        }

        /// Nothing waits.
        public static let idle = State("idle")
        /// Records wait for the next attempt.
        public static let waiting = State("waiting")
        /// It is sending.
        public static let sending = State("sending")
        /// It could not be reached, and is tried again.
        public static let retrying = State("retrying")
        /// A person has to change something before it can be reached.
        public static let failing = State("failing")
        /// It is paused.
        public static let paused = State("paused")
        /// Nothing is sent or queued: `opt_out` of `[dispatch]` is on.
        public static let optedOut = State("opted_out")
        /// It is no longer configured, or has no `url`; its queue is kept.
        public static let unconfigured = State("unconfigured")

        /// The words of this version.
        public static let known: [State] = [.idle, .waiting, .sending, .retrying, .failing, .paused, .optedOut, .unconfigured]
    }

    /// Its name.
    public var name = ""
    /// Its state.
    public var state = State.idle
    /// How many events wait.
    public var eventCount = 0
    /// How many positions wait, approximately if there are very many; nil while the log cannot be read.
    public var positionCount: Int?
    /// How many records it has refused permanently.
    public var deadLetterCount = 0
    /// How many of these are due to be sent again.
    public var dueDeadLetterCount = 0
    /// How many records it has received.
    public var sentCount = 0
    /// How many were dropped because the queue was full or they were too old.
    public var droppedCount = 0
    /// How many were sent after the cutoff.
    public var lateCount = 0
    /// Whether it sends only on demand.
    public var isOnDemand = false
    /// Seconds until the next attempt; nil when nothing waits, or it sends only on demand.
    public var nextSeconds: Int?
    /// How many seconds the attempt that is under way has taken already; nil while there is none.
    public var sendingSeconds: Int?
    /// Seconds since the last receipt of this run; nil when there was none.
    public var receiptSecondsAgo: Int?
    /// The age of the oldest record that waits, seconds; nil when none waits, or it was not asked for.
    public var oldestSeconds: Int?
    /// Why the last attempt failed; nil when it succeeded.
    public var reason: String?

    /// A destination with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &name, "Its name.")
        try codec.member(
            "state", &state,
            "Its state; `opted_out`: nothing is sent or queued; `unconfigured`: no longer configured, or without a `url`; its queue is kept."
        )
        try codec.member("events", &eventCount, "How many events wait.")
        try codec.member("positions", &positionCount, "How many positions wait; absent while the log cannot be read.")
        try codec.member("dead_letters", &deadLetterCount, "How many records it has refused permanently.")
        try codec.member("dead_letters_due", &dueDeadLetterCount, absent: 0, "How many of these are due to be sent again.")
        try codec.member("sent", &sentCount, "How many records it has received.")
        try codec.member("dropped", &droppedCount, "How many were dropped because the queue was full or they were too old.")
        try codec.member("late", &lateCount, "How many were sent after the cutoff.")
        try codec.member("on_demand", &isOnDemand, absent: false, "Whether it sends only on demand.")
        try codec.member("next_seconds", &nextSeconds, "Seconds until the next attempt.")
        try codec.member("sending_seconds", &sendingSeconds, "How many seconds the attempt that is under way has taken already.")
        try codec.member("receipt_seconds_ago", &receiptSecondsAgo, "Seconds since the last receipt of this run.")
        try codec.member("oldest_seconds", &oldestSeconds, "The age of the oldest record that waits, in seconds; absent in `status`.")
        try codec.member("reason", &reason, "Why the last attempt failed.")
    }
}
