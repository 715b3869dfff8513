import Waypost

/// The fate of one record at one destination.
package struct DeliveryAccount: Sendable, Hashable {
    /// The destination's name.
    package var destination: String
    /// The fate of the record there.
    package var fate: Fate

    /// The state of a record at a destination.
    package enum Fate: Sendable, Hashable {
        /// It waits.
        case queued
        /// It is on its way: no receipt yet.
        case sent
        /// The server has confirmed it: when, as far as the time was known, and with these words.
        case receipt(time: UTCTime?, answer: String)
        /// The server refused it permanently, with these words: it is a dead letter.
        case refused(reason: String)
        /// The server refused it permanently, with these words, and its dead letter was dropped.
        case dropped(reason: String)
        /// It is not for this destination, which began later, was emptied since, does not receive positions, or has no form for it in its format.
        case unwanted
        /// A damaged journal has lost it, and the destination is not known to have it.
        case lost
        /// It was settled so long ago that nothing more is known of it.
        case forgotten

        /// Whether the server has confirmed it.
        package var isReceipt: Bool { if case .receipt = self { true } else { false } }
    }

    /// The fate of a record at a destination.
    package init(destination: String, fate: Fate) {
        self.destination = destination
        self.fate = fate
    }
}

/// A record of the lane of events, and its fate.
package struct LedgerEntry: Sendable, Hashable {
    /// The record; its age is nil.
    package var record: DispatchRecord
    /// The fate of the record at each destination, in the order in which these were attached.
    package var accounts: [DeliveryAccount]
}

/// The key of a requested record.
package struct LedgerKey: Sendable, Hashable {
    /// Its name.
    package var id: String
    /// Its number in the log if it is a position.
    package var position: UInt64?
    /// Its number in the outbox, if it is an entry that is still there.
    var entry: UInt64?

    /// A position of the log by its number, or another record by its name alone.
    package init(position: UInt64?, id: String) {
        self.position = position
        self.id = id
    }

    init(entry: UInt64, id: String) {
        self.entry = entry
        self.id = id
    }
}
