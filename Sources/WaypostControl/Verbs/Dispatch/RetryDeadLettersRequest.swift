import Waypost

/// `dispatch`, `retry`: sends refused records again.
public struct RetryDeadLettersRequest: DeadLetterRequest {
    /// `retry`.
    public static let action: String? = "retry"
    /// Its description in the guide of the control socket.
    public static let documentation = "Sends refused records again."

    /// The destination; nil for all.
    public var destination: String?
    /// The record's number among the dead letters; nil for all.
    public var number: UInt64?

    /// A request for all refused records.
    public init() {}

    /// How many records there were.
    public typealias Answer = QueueChanged
}

/// `dispatch`, `drop`: permanently removes refused records.
public struct DropDeadLettersRequest: DeadLetterRequest {
    /// `drop`.
    public static let action: String? = "drop"
    /// Its description in the guide of the control socket.
    public static let documentation = "Permanently removes refused records."

    /// The destination; nil for all.
    public var destination: String?
    /// The record's number among the dead letters; nil for all.
    public var number: UInt64?

    /// A request for all refused records.
    public init() {}

    /// How many records there were.
    public typealias Answer = QueueChanged
}
