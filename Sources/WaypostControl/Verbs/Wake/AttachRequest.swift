import Waypost

/// `attach`: a program gets its events on this connection.
public struct AttachRequest: RegistrationRequest {
    /// `attach`.
    public static let name = "attach"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Gives the program NAME of this user its events on this connection, as WAKE lines: first those that wait, the newest last, then each as it \
        comes. Until the connection ends the program is not started. Each event is told again after the next `attach` until it is acknowledged (`ack`). \
        One connection at a time has a registration: another one is refused (`unavailable`). What a program has that still runs is not told here until \
        it has failed.
        """

    /// The name.
    public var registration = ""

    /// A request with no values set.
    public init() {}

    /// The answer that the program is attached.
    public struct Answer: ControlAnswer {
        /// `ATTACHED`.
        public static let className = "ATTACHED"
        /// Its description in the guide of the control socket.
        public static let documentation =
            "The program is attached. Events come as WAKE lines from now on, the first perhaps before this line."

        /// How many events wait.
        public var eventCount = 0

        /// An answer without events.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("events", &eventCount, "How many events wait; they come as WAKE lines.")
        }
    }
}

/// `ack`: an event has done its work.
public struct AcknowledgeEventRequest: ControlVerb {
    /// `ack`.
    public static let name = "ack"
    /// Every local user.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation =
        "Acknowledges an event of a registration of this user: it is never told again. That is on the disk when the answer comes."

    /// The name.
    public var registration = ""
    /// The event's id.
    public var id = ""

    /// A request with no values set.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - registration: the name.
    ///   - id: the event's id.
    public init(registration: String, id: String) {
        (self.registration, self.id) = (registration, id)
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.registration(&registration)
        try codec.member("id", &id, "The event's id.")
    }

    /// The answer that it is acknowledged.
    public struct Answer: ControlAnswer {
        /// `ACKNOWLEDGED_EVENT`.
        public static let className = "ACKNOWLEDGED_EVENT"
        /// Its description in the guide of the control socket.
        public static let documentation = "The event is never told again."

        /// Whether it was still waiting.
        public var wasWaiting = false

        /// An answer with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("waiting", &wasWaiting, "Whether it was still waiting.")
        }
    }
}
