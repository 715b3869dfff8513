import Waypost

/// `dispatch`, `pause`: stops sending, also across restarts.
public struct PauseDispatchRequest: DispatchRequest {
    /// `pause`.
    public static let action: String? = "pause"
    /// Its description in the guide of the control socket.
    public static let documentation = "Stops sending, also across restarts; records wait meanwhile."

    /// The destination; nil for all.
    public var destination: String?

    /// A request for all destinations.
    public init() {}

    /// The answer that it was done.
    public typealias Answer = QueueChanged
}

/// `dispatch`, `resume`: sends again after a pause.
public struct ResumeDispatchRequest: DispatchRequest {
    /// `resume`.
    public static let action: String? = "resume"
    /// Its description in the guide of the control socket.
    public static let documentation = "Sends again after a pause."

    /// The destination; nil for all.
    public var destination: String?

    /// A request for all destinations.
    public init() {}

    /// The answer that it was done.
    public typealias Answer = QueueChanged
}

/// The queue, or the way it is sent, has changed.
public struct QueueChanged: ControlAnswer {
    /// `DISPATCH_CHANGED`.
    public static let className = "DISPATCH_CHANGED"
    /// Its description in the guide of the control socket.
    public static let documentation = "The queue, or the way it is sent, has changed."

    /// How many records or destinations.
    public var count = 0

    /// An answer for when nothing has changed.
    public init() {}

    /// An answer.
    ///
    /// - Parameter count: how many records or destinations have changed.
    public init(count: Int) {
        self.count = count
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("changed", &count, "How many records or destinations.")
    }
}
