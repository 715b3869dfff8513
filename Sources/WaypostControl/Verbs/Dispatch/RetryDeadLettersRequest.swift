import Waypost

/// `dispatch`, `retry`: sends refused records again.
public struct RetryDeadLettersRequest: ControlVerb {
    /// `dispatch`.
    public static let name = "dispatch"
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

    /// A request.
    ///
    /// - Parameters:
    ///   - destination: of which destination; nil for all.
    ///   - number: which record, by its number among the dead letters; nil for all.
    public init(destination: String?, number: UInt64?) {
        self.destination = destination
        self.number = number
    }

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
        try codec.deadLetter(&number)
    }

    /// How many there were.
    public typealias Answer = QueueChanged
}

/// `dispatch`, `drop`: removes refused records for good.
public struct DropDeadLettersRequest: ControlVerb {
    /// `dispatch`.
    public static let name = "dispatch"
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

    /// A request.
    ///
    /// - Parameters:
    ///   - destination: of which destination; nil for all.
    ///   - number: which record, by its number among the dead letters; nil for all.
    public init(destination: String?, number: UInt64?) {
        self.destination = destination
        self.number = number
    }

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
        try codec.deadLetter(&number)
    }

    /// How many there were.
    public typealias Answer = QueueChanged
}

extension ControlCodec {
    /// The member that chooses one of the dead letters.
    fileprivate mutating func deadLetter(_ number: inout UInt64?) throws(Failure) {
        try member("number", &number, "Which record, by its number among the dead letters; all when absent.")
    }
}
