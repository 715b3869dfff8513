import Waypost

extension StatusReport {
    /// The state of a source, in a word.
    public struct SourceState: ControlWord {
        /// The word on the wire.
        public let text: String

        /// A word from its text.
        public init(_ text: String) {
            self.text = text
        }

        /// There is a position.
        public static let fix = SourceState("fix")
        /// There has been no position yet.
        public static let searching = SourceState("searching")
        /// There is no position any more, or the source cannot be reached.
        public static let lost = SourceState("lost")
        /// The source has ended by itself.
        public static let finished = SourceState("finished")
        /// There may be a position, but it is withheld for now.
        public static let withheld = SourceState("withheld")
        /// Another source is used, and this one waits.
        public static let standby = SourceState("standby")
        /// It is being opened.
        public static let starting = SourceState("starting")

        /// The words of this version.
        public static let known: [SourceState] = [.fix, .searching, .lost, .finished, .withheld, .standby, .starting]
    }

    /// The current source of positions.
    public struct Source: ControlObject {
        /// The source's URL.
        public var url = ""
        /// Its state.
        public var state = SourceState.searching
        /// Why there is no position, for programs.
        public var reason: LossCode?
        /// Why there is no position, for people.
        public var detail: String?
        /// The other end of the connection: a device, a server.
        public var connected: String?
        /// How many satellites are in view, as far as the source says.
        public var satellitesSeen: Int?
        /// How many of them are used.
        public var satellitesUsed: Int?

        /// A source with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("url", &url, "The source's URL.")
            try codec.member("state", &state, "Its state.")
            try codec.member("reason", &reason, "Why there is no position, for programs.")
            try codec.member("detail", &detail, "Why there is no position, for people.")
            try codec.member("connected", &connected, "The other end of the connection: a device, a server.")
            try codec.member("satellites_seen", &satellitesSeen, "How many satellites are in view, as far as the source reports it.")
            try codec.member("satellites_used", &satellitesUsed, "How many of them are used.")
        }
    }

    /// One of several sources.
    public struct Member: ControlObject {
        /// Its URL.
        public var url = ""
        /// Its state.
        public var state = SourceState.standby
        /// Whether it is the one in use.
        public var isActive = false
        /// The other end of the connection.
        public var connected: String?
        /// Why it has no position, for programs.
        public var reason: LossCode?
        /// Why it has no position, for people.
        public var detail: String?

        /// A source with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("url", &url, "Its URL.")
            try codec.member("state", &state, "Its state.")
            try codec.member("active", &isActive, "Whether it is the one in use.")
            try codec.member("connected", &connected, "The other end of the connection.")
            try codec.member("reason", &reason, "Why it has no position, for programs.")
            try codec.member("detail", &detail, "Why it has no position, for people.")
        }
    }

    /// The search for a position.
    public struct Search: ControlObject {
        /// How many seconds there has been no position.
        public var seconds = 0
        /// What was tried and found, in one line for people.
        public var why = ""
        /// What was tried, one by one.
        public var attempts: [Attempt] = []
        /// What to do next, for people.
        public var next = ""
        /// The commands that do it.
        public var commands: [String] = []

        /// A search with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("seconds", &seconds, "How many seconds there has been no position.")
            try codec.member("why", &why, "What was tried and found, in one line for people.")
            try codec.member("tried", &attempts, "What was tried, one by one.")
            try codec.member("next", &next, "What to do next, for people.")
            try codec.member("commands", &commands, "The commands that do it.")
        }
    }

    /// A source that was tried.
    public struct Attempt: ControlObject {
        /// The source.
        public var source = ""
        /// What was found there, for people.
        public var found = ""

        /// An attempt with no values set.
        public init() {}

        /// An attempt.
        ///
        /// - Parameters:
        ///   - source: the source that was tried.
        ///   - found: what was found there, for people.
        public init(source: String, found: String) {
            self.source = source
            self.found = found
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("source", &source, "The source.")
            try codec.member("found", &found, "What was found there, for people.")
        }
    }

    /// A change from one source to another.
    public struct Switch: ControlObject {
        /// The source that was used before.
        public var from = ""
        /// The source that has been used since.
        public var to = ""
        /// The reason, for people.
        public var reason = ""
        /// How many seconds ago.
        public var secondsAgo = 0

        /// A change with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("from", &from, "The source that was used before.")
            try codec.member("to", &to, "The source that has been used since.")
            try codec.member("reason", &reason, "The reason, for people.")
            try codec.member("seconds_ago", &secondsAgo, "How many seconds ago.")
        }
    }
}
