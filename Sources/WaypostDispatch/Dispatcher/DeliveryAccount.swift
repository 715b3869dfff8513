import Waypost

/// What became of one record at one destination.
public struct DeliveryAccount: Sendable, Hashable {
    /// The destination's name.
    public var destination: String
    /// What became of it there.
    public var fate: Fate

    /// What becomes of a record.
    public enum Fate: Sendable, Hashable {
        /// It waits.
        case queued
        /// It is on its way: no receipt yet.
        case sent
        /// The server has it: when it said so, as far as the time was known, and its words.
        case receipt(time: UTCTime?, answer: String)
        /// The server refused it for good, with these words: it is a dead letter.
        case refused(reason: String)
        /// It is not for this destination: that began later, was emptied since, takes no positions, or has no word for it.
        case unwanted
        /// It was settled so long ago that nothing more is kept of it.
        case forgotten
    }

    /// An account.
    public init(destination: String, fate: Fate) {
        self.destination = destination
        self.fate = fate
    }
}

/// A record of the lane of events, and what became of it.
public struct LedgerEntry: Sendable, Hashable {
    /// The record; its age is nil.
    public var record: DispatchRecord
    /// What became of it at each destination, in the order in which they were attached.
    public var accounts: [DeliveryAccount]
}

/// A record that somebody asks for.
public struct LedgerKey: Sendable, Hashable {
    /// Its name.
    public var id: String
    /// Its number in the log when it is a position.
    public var position: UInt64?
    /// Its number in the outbox, when it is an entry that is still there.
    var entry: UInt64?

    /// A position of the log by its number, or another record by its name alone.
    public init(position: UInt64?, id: String) {
        self.position = position
        self.id = id
    }

    init(entry: UInt64, id: String) {
        self.entry = entry
        self.id = id
    }
}
