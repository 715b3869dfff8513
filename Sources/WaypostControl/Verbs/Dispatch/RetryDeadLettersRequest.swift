import Waypost

/// `dispatch`, `retry`: sends refused records again.
public struct RetryDeadLettersRequest: DeadLetterRequest {
    /// `retry`.
    public static let action: String? = "retry"
    /// What the guide of the control socket says of it.
    public static let documentation = "Sends refused records again."

    /// Of which destination; nil for all.
    public var destination: String?
    /// Which record, by its number among the dead letters; nil for all.
    public var number: UInt64?

    /// All refused records.
    public init() {}

    /// How many there were.
    public typealias Answer = QueueChanged
}

/// `dispatch`, `drop`: removes refused records for good.
public struct DropDeadLettersRequest: DeadLetterRequest {
    /// `drop`.
    public static let action: String? = "drop"
    /// What the guide of the control socket says of it.
    public static let documentation = "Removes refused records for good."

    /// Of which destination; nil for all.
    public var destination: String?
    /// Which record, by its number among the dead letters; nil for all.
    public var number: UInt64?

    /// All refused records.
    public init() {}

    /// How many there were.
    public typealias Answer = QueueChanged
}
