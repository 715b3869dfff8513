import Waypost

/// A record that a server refused for good, with its words.
public struct DeadLetter: Sendable, Hashable {
    /// Its number among the dead letters.
    public var number: Int64
    /// Who refused it.
    public var destination: String
    /// The record; its age is not known any more.
    public var record: DispatchRecord
    /// The server's words.
    public var reason: String
    /// Whether it is to be sent once more.
    public var isDue: Bool
}
