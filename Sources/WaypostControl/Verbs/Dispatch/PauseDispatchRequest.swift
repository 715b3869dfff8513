import Waypost

/// `dispatch`, `pause`: stops sending, over restarts.
public struct PauseDispatchRequest: DispatchRequest {
    /// `pause`.
    public static let action: String? = "pause"
    /// What the guide of the control socket says of it.
    public static let documentation = "Stops sending, also over restarts; records wait meanwhile."

    /// To which destination; nil for all.
    public var destination: String?

    /// To all destinations.
    public init() {}

    /// That it is so.
    public typealias Answer = QueueChanged
}

/// `dispatch`, `resume`: sends again after a pause.
public struct ResumeDispatchRequest: DispatchRequest {
    /// `resume`.
    public static let action: String? = "resume"
    /// What the guide of the control socket says of it.
    public static let documentation = "Sends again after a pause."

    /// To which destination; nil for all.
    public var destination: String?

    /// To all destinations.
    public init() {}

    /// That it is so.
    public typealias Answer = QueueChanged
}

/// That what waits to be sent, or how it is sent, has changed.
public struct QueueChanged: ControlAnswer {
    /// `DISPATCH_CHANGED`.
    public static let className = "DISPATCH_CHANGED"
    /// What the guide of the control socket says of it.
    public static let documentation = "What waits to be sent, or how it is sent, has changed."

    /// How many records or destinations.
    public var count = 0

    /// An answer: nothing has changed.
    public init() {}

    /// An answer.
    ///
    /// - Parameter count: how many records or destinations have changed.
    public init(count: Int) {
        self.count = count
    }

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("changed", &count, "How many records or destinations.")
    }
}
