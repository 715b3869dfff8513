import Waypost

/// `agent`: whoever is connected starts this user's programs.
public struct AgentRequest: ControlVerb {
    /// `agent`.
    public static let name = "agent"
    /// Every local user.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Says that this connection starts the programs of its user: it gets a LAUNCH line for each that is to be started, and answers with `ran`. \
        `waypost agent` is such a client. There is one at a time for a user: another connection is refused (`unavailable`). One whose program still runs, \
        started for a tracker that has ended since, says so: it is not started a second time.
        """

    /// The registration whose program this agent runs, for a tracker that has ended; nil when it runs none.
    public var running: String?
    /// The ids of the events that it was started with.
    public var ids: [String] = []

    /// A request.
    public init() {}

    /// A request of an agent that runs a program as it was told.
    public init(running order: LaunchOrder) { (running, ids) = (order.registration, order.ids) }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member(
            "running", &running,
            "The registration whose program this agent still runs, as an earlier run of the tracker has told it; absent when it runs none.")
        try codec.member("ids", &ids, absent: [], "The ids of the events that it was started with.")
    }

    /// The answer that this connection starts the programs.
    public struct Answer: ControlAnswer {
        /// `AGENT`.
        public static let className = "AGENT"
        /// Its description in the guide of the control socket.
        public static let documentation =
            "This connection starts the programs. LAUNCH lines come from now on, the first perhaps before this line."

        /// How many programs are to be started now.
        public var dueCount = 0

        /// An answer with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("due", &dueCount, "How many programs are to be started now.")
        }
    }
}

/// `ran`: how the start of a program ended.
public struct RanRequest: ControlVerb {
    /// `ran`.
    public static let name = "ran"
    /// Every local user.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation =
        "Says how the start of a program ended; with exit code 0 its events are acknowledged, unless it is a unit."

    /// The name.
    public var registration = ""
    /// The ids of the events that it was started with.
    public var ids: [String] = []
    /// The exit code; nil when it was ended or could not be started.
    public var exitCode: Int?
    /// Whether it ran at all; false when it could not be started.
    public var wasStarted = true
    /// What went wrong, or what it wrote: at most 4000 characters.
    public var words = ""

    /// A request with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.registration(&registration)
        try codec.member("ids", &ids, "The ids of the events that it was started with.")
        try codec.member("exit", &exitCode, "The exit code; absent when it was ended or could not be started.")
        try codec.member("started", &wasStarted, absent: true, "Whether it ran at all; false when it could not be started.")
        try codec.member(
            "words", &words, absent: "", rule: ControlRule("a text of at most 4000 characters") { $0.count <= 4_000 },
            "What went wrong, or what it wrote.")
    }

    /// The answer that it is noted.
    public struct Answer: ControlAnswer {
        /// `RAN`.
        public static let className = "RAN"
        /// Its description in the guide of the control socket.
        public static let documentation = "How the start ended is on the disk."

        /// How many programs of this user are still to be started now or are being started.
        public var dueCount = 0

        /// An answer with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("due", &dueCount, "How many programs of this user are to be started now.")
        }
    }
}

/// A program is to be started.
public struct LaunchOrder: ControlAnswer {
    /// `LAUNCH`.
    public static let className = "LAUNCH"
    /// Its description in the guide of the control socket.
    public static let documentation = "A program of this user is to be started with these events; sent to `agent`."

    /// The registration.
    public var registration = ""
    /// The events, the newest last.
    public var events: [JSONText] = []
    /// Their ids, in the same order.
    public var ids: [String] = []

    /// An order with no values set.
    public init() {}

    /// An order.
    ///
    /// - Parameters:
    ///   - registration: the registration.
    ///   - events: the events, the newest last.
    ///   - ids: their ids, in the same order.
    public init(registration: String, events: [JSONText], ids: [String]) {
        (self.registration, self.events, self.ids) = (registration, events, ids)
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &registration, "The registration.")
        try codec.member("ids", &ids, "The ids of the events, in the same order.")
        try codec.member("events", &events, "The events, the newest last.")
    }
}

/// An event for an attached program.
public struct WakeLine: ControlAnswer {
    /// `WAKE`.
    public static let className = "WAKE"
    /// Its description in the guide of the control socket.
    public static let documentation = "An event for an attached program, which must acknowledge it."

    /// The registration.
    public var registration = ""
    /// The event's id.
    public var id = ""
    /// The event.
    public var event = JSONText(bytes: [])

    /// A line with no values set.
    public init() {}

    /// A line.
    ///
    /// - Parameters:
    ///   - registration: the registration.
    ///   - id: the event's id.
    ///   - event: the event.
    public init(registration: String, id: String, event: JSONText) {
        (self.registration, self.id, self.event) = (registration, id, event)
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &registration, "The registration.")
        try codec.member("id", &id, "The event's id.")
        try codec.member("event", &event, "The event.")
    }
}
