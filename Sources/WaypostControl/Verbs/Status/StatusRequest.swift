import Waypost

/// `status`: what the tracker is doing, and whether all is well.
public struct StatusRequest: ControlVerb {
    /// `status`.
    public static let name = "status"
    /// Every local user.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Asks what the tracker is doing and whether all is well. Every local user may make this request; users who may not know the \
        position get only `version`, `pid`, `uptime` and `health`, those who may know roughly where it is a reduced `position`, too.
        """

    /// A request.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {}

    /// What the tracker is doing.
    public typealias Answer = StatusReport
}

/// What the tracker is doing, and whether all is well.
public struct StatusReport: ControlAnswer {
    /// `STATUS`.
    public static let className = "STATUS"
    /// Its description in the guide of the control socket.
    public static let documentation = "What the tracker is doing and whether all is well."

    /// Whether all is well, in a word.
    public struct Health: ControlWord {
        /// The word on the wire.
        public let text: String

        /// A word from its text.
        public init(_ text: String) {
            self.text = text
        }

        /// All is well.
        public static let healthy = Health("healthy")
        /// Something is wrong; ``StatusReport/problems`` lists it.
        public static let degraded = Health("degraded")

        /// The words of this version.
        public static let known: [Health] = [.healthy, .degraded]
    }

    /// The tracker's version.
    public var version = ""
    /// The id of its process.
    public var processID = 0
    /// How many seconds it has run.
    public var uptimeSeconds = 0
    /// Whether all is well.
    public var health = Health.healthy
    /// The problems, a sentence each; nil when this user may see only the members above.
    public var problems: [String]?
    /// The current source of positions.
    public var source: Source?
    /// All sources, when there are several.
    public var sources: [Member] = []
    /// The search for a position; nil while there is one.
    public var search: Search?
    /// The last change from one source to another.
    public var lastSwitch: Switch?
    /// How closely the device is followed, and for which clients.
    public var following: Following?
    /// The fences; nil when there are none.
    public var fences: Fences?
    /// The states of the destinations.
    public var destinations: [DestinationReport] = []
    /// The doors on which other programs get positions.
    public var share: [ShareDoor] = []
    /// Whether something is withheld.
    public var privacy: Privacy?
    /// The position; nil when there is none, or it must not be shown.
    public var position: Position?
    /// The roads on which positions are put; nil when none are configured.
    public var roads: Roads?
    /// The last known position, while there is none.
    public var lastPosition: Position?
    /// Its age in seconds; nil when it comes from an earlier run.
    public var lastPositionAgeSeconds: Int?
    /// The tracker's configuration file, whether it exists or not.
    public var configurationFile: String?
    /// The values of one configuration file that a later one replaces, a line each.
    public var replacements: [String] = []
    /// What is odd, but keeps nothing from working, a line each.
    public var notes: [String] = []
    /// How quantities and times are shown.
    public var display: Display?
    /// The log.
    public var log: Log?
    /// The map page; nil when there is none.
    public var page: Page?
    /// How many clients ask for the position and have no answer yet.
    public var openQuestionCount = 0

    /// An answer with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("version", &version, "The tracker's version.")
        try codec.member("pid", &processID, "The id of its process.")
        try codec.member("uptime", &uptimeSeconds, "How many seconds it has run.")
        try codec.member("health", &health, "Whether all is well.")
        try codec.member("problems", &problems, "The problems, a sentence each.")
        try codec.member("source", &source, "The current source of positions.")
        try codec.member("sources", &sources, absent: [], "All sources, when there are several.")
        try codec.member("search", &search, "The search for a position; absent while there is one.")
        try codec.member("last_switch", &lastSwitch, "The last change from one source to another.")
        try codec.member("following", &following, "How closely the device is followed, and for which clients.")
        try codec.member("fences", &fences, "The fences; absent when there are none.")
        try codec.member("destinations", &destinations, absent: [], "The states of the destinations.")
        try codec.member("share", &share, absent: [], "The doors on which other programs get positions.")
        try codec.member("privacy", &privacy, "Whether something is withheld.")
        var current = position.map(ClassedPosition.init)
        try codec.member("position", &current, isLenient: true, "The position, a TPV as a watch sends it.")
        position = current?.position
        try codec.member("roads", &roads, "The roads on which positions are put; absent when none are configured.")
        var last = lastPosition.map(PlainPosition.init)
        try codec.member("last", &last, isLenient: true, "The last known position, while there is none: a TPV without its class.")
        lastPosition = last?.position
        try codec.member("last_age", &lastPositionAgeSeconds, "Its age in seconds; absent when it comes from an earlier run.")
        try codec.member("configuration", &configurationFile, "The tracker's configuration file, whether it exists or not.")
        try codec.member("notes", &notes, absent: [], "What is odd, but keeps nothing from working, a line each.")
        try codec.member("replaced", &replacements, absent: [], "Values of one configuration file that a later one replaces, a line each.")
        try codec.member("display", &display, "How quantities and times are shown.")
        try codec.member("log", &log, "The log.")
        try codec.member("page", &page, "The map page; absent when there is none.")
        try codec.member(
            "asking", &openQuestionCount, absent: 0, "How many clients ask for the position and have no answer yet (`grants`).")
    }
}
