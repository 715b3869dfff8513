import Waypost

/// `waiting_move`: moves the queue of a destination, and its dead letters, to another.
public struct MoveQueueRequest: ControlVerb {
    /// `waiting_move`.
    public static let name = "waiting_move"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Moves the queue of a destination, and its dead letters, to another. The first may have been removed from the configuration.
        """

    /// The destination whose queue is moved.
    public var destination = ""
    /// The destination that gets it.
    public var target = ""

    /// A request without destinations.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - destination: the destination whose queue is moved.
    ///   - target: the destination that gets it.
    public init(destination: String, target: String) {
        self.destination = destination
        self.target = target
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("destination", &destination, "The destination whose queue is moved.")
        try codec.member("target", &target, "The destination that gets it.")
    }

    /// The answer that it was moved.
    public typealias Answer = QueueChanged
}

/// `waiting_discard`: permanently discards the queue of a destination.
public struct DiscardQueueRequest: ControlVerb {
    /// `waiting_discard`.
    public static let name = "waiting_discard"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Permanently discards the queue of a destination; logged positions stay in the log. A destination that was removed from the configuration is \
        forgotten together with its dead letters.
        """

    /// The destination.
    public var destination = ""

    /// A request without a destination.
    public init() {}

    /// A request.
    ///
    /// - Parameter destination: the destination.
    public init(destination: String) {
        self.destination = destination
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("destination", &destination, "The destination.")
    }

    /// How many events were discarded.
    public typealias Answer = QueueChanged
}
