import Waypost

/// A request with the name `dispatch`, for one destination or all of them; its action says what to do.
///
/// A type of this protocol has an action, a description for the guide, a destination and an answer; everything else is here.
public protocol DispatchRequest: ControlVerb {
    /// The destination; nil for all.
    var destination: String? { get set }
}

extension DispatchRequest {
    /// `dispatch`.
    public static var name: String { "dispatch" }

    /// A request.
    ///
    /// - Parameter destination: the destination; nil for all.
    public init(destination: String?) {
        self.init()
        self.destination = destination
    }

    /// Passes the destination to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
    }
}

/// A request for one of the records that destinations refused permanently, or for all of them.
public protocol DeadLetterRequest: DispatchRequest {
    /// The record's number among the dead letters; nil for all.
    var number: UInt64? { get set }
}

extension DeadLetterRequest {
    /// A request.
    ///
    /// - Parameters:
    ///   - destination: the destination; nil for all.
    ///   - number: the record's number among the dead letters; nil for all.
    public init(destination: String?, number: UInt64?) {
        self.init(destination: destination)
        self.number = number
    }

    /// Passes the destination and the number to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
        try codec.member("number", &number, "Which record, by its number among the dead letters; all when absent.")
    }
}

extension ControlCodec {
    /// The member that selects one of the destinations.
    mutating func destination(_ name: inout String?) throws(Failure) {
        try member("destination", &name, "Which destination; all when absent.")
    }
}
