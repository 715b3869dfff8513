import Waypost

/// A record that a server refused permanently, with its words.
public struct DeadLetter: Sendable, Hashable {
    /// Its number among the dead letters.
    public var number: Int64
    /// The destination that refused it.
    public var destination: String
    /// The record; its age is no longer known.
    public var record: DispatchRecord
    /// The server's words.
    public var reason: String
    /// Whether it is due for another attempt.
    public var isDue: Bool
}
