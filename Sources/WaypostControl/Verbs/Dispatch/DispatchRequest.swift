import Waypost

/// A request of the name `dispatch`: it is about one destination or all of them, and its action says what is asked.
///
/// A type of this protocol has an action, a sentence for the guide, a destination and an answer; the rest is here.
public protocol DispatchRequest: ControlVerb {
    /// Which destination; nil for all.
    var destination: String? { get set }
}

extension DispatchRequest {
    /// `dispatch`.
    public static var name: String { "dispatch" }

    /// A request.
    ///
    /// - Parameter destination: which destination; nil for all.
    public init(destination: String?) {
        self.init()
        self.destination = destination
    }

    /// Hands the destination to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
    }
}

/// A request about one of the records that destinations refused for good, or about all of them.
public protocol DeadLetterRequest: DispatchRequest {
    /// Which record, by its number among the dead letters; nil for all.
    var number: UInt64? { get set }
}

extension DeadLetterRequest {
    /// A request.
    ///
    /// - Parameters:
    ///   - destination: of which destination; nil for all.
    ///   - number: which record, by its number among the dead letters; nil for all.
    public init(destination: String?, number: UInt64?) {
        self.init(destination: destination)
        self.number = number
    }

    /// Hands the destination and the number to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
        try codec.member("number", &number, "Which record, by its number among the dead letters; all when absent.")
    }
}

extension ControlCodec {
    /// The member that chooses one of the destinations.
    mutating func destination(_ name: inout String?) throws(Failure) {
        try member("destination", &name, "Which destination; all when absent.")
    }
}
