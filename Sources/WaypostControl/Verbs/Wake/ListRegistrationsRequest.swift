import Waypost

/// `registrations`: whose programs are woken by what, and how that went.
public struct ListRegistrationsRequest: ControlVerb {
    /// `registrations`.
    public static let name = "registrations"
    /// Every local user.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation = "Lists this user's registrations; for those who operate the tracker, everybody's."

    /// A request.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {}

    /// The registrations.
    public struct Answer: ControlAnswer {
        /// `REGISTRATIONS`.
        public static let className = "REGISTRATIONS"
        /// Its description in the guide of the control socket.
        public static let documentation = "Registrations, by user and name."

        /// The registrations.
        public var registrations: [RegistrationEntry] = []

        /// An answer without registrations.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("registrations", &registrations, "The registrations.")
        }
    }
}

/// A registration and how it goes.
public struct RegistrationEntry: ControlObject {
    /// What becomes of the events of a registration.
    public struct State: ControlWord {
        /// The word on the wire.
        public let text: String

        /// A word from its text.
        public init(_ text: String) {
            self.text = text
        }

        /// Nothing waits.
        public static let idle = State("idle")
        /// Events wait for somebody who starts the program.
        public static let due = State("due")
        /// The program runs.
        public static let running = State("running")
        /// The program is connected, and gets its events there.
        public static let attached = State("attached")
        /// It has failed, and is tried again.
        public static let retrying = State("retrying")
        /// It has failed too often; the next event tries again.
        public static let failed = State("failed")

        /// The words of this version.
        public static let known: [State] = [.idle, .due, .running, .attached, .retrying, .failed]
    }

    /// The name.
    public var name = ""
    /// The user.
    public var user = ""
    /// What wakes the program.
    public var kinds: [WakeKind] = []
    /// What is started.
    public var program = ""
    /// What becomes of its events.
    public var state = State.idle
    /// How many events wait to be acknowledged.
    public var eventCount = 0
    /// How many events were dropped because too many waited.
    public var droppedCount = 0
    /// How often in a row it has failed.
    public var failureCount = 0
    /// In how many seconds it is tried again.
    public var nextSeconds: Int?
    /// When it ran last.
    public var lastTime: UTCTime?
    /// The exit code of the last run; nil when it was ended or could not be started.
    public var lastExitCode: Int?
    /// Whether it ran then at all; false when it could not be started.
    public var wasStarted = true
    /// What went wrong then, or what it wrote.
    public var lastWords: String?
    /// Why the program is not started, whatever happens, and what mends that; nil when it is.
    public var obstacle: String?
    /// The ids of the events of the last run, the newest last.
    public var lastEventIDs: [String] = []

    /// An entry with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &name, "The name.")
        try codec.member("user", &user, "The user.")
        try codec.member("on", &kinds, "What wakes the program.")
        try codec.member("program", &program, "What is started.")
        try codec.member("state", &state, "What becomes of its events.")
        try codec.member("events", &eventCount, absent: 0, isOmitted: false, "How many events wait to be acknowledged.")
        try codec.member("dropped", &droppedCount, absent: 0, "How many events were dropped because too many waited.")
        try codec.member("failures", &failureCount, absent: 0, "How often in a row it has failed.")
        try codec.member("next", &nextSeconds, "In how many seconds it is tried again.")
        try codec.member("last", &lastTime, "When it ran last.")
        try codec.member("exit", &lastExitCode, "The exit code of the last run; absent when it was ended or could not be started.")
        try codec.member("started", &wasStarted, absent: true, "Whether it ran then at all; false when it could not be started.")
        try codec.member("obstacle", &obstacle, "Why the program is not started, whatever happens, and what mends that; absent when it is.")
        try codec.member("words", &lastWords, "What went wrong then, or what it wrote.")
        try codec.member("last_events", &lastEventIDs, absent: [], "The ids of the events of the last run, the newest last.")
    }
}
