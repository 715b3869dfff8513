/// The progress of a destination.
public struct DestinationState: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The number of the last entry it has settled.
    public var eventCursor: UInt64
    /// The destination's progress in the log.
    package var positions: PositionCursor
    /// How many positions the live lane has settled.
    public var liveSequence: UInt64
    /// How many positions the history lane has settled.
    public var historySequence: UInt64
    /// Whether it is paused.
    public var isPaused: Bool
    /// How many records it was sent, over all runs.
    public var sentCount: Int
    /// How many entries it never got because the outbox was full or they were too old, plus the positions that the log no longer has.
    public var droppedCount: Int
    /// How many records it was sent after their cutoff.
    public var lateCount: Int
    /// How many entries wait for it.
    public var waitingEventCount: Int
    /// How many records it refused.
    public var deadLetterCount: Int
    /// How many of these are due for another attempt.
    public var dueDeadLetterCount = 0
    /// Whether positions of the log are sent to it.
    public var takesPositions = true
    /// The entries after ``eventCursor`` that it already has.
    package var settledEvents = SettledAhead()
    /// The positions that ``positions`` counts as waiting but that it already has.
    package var settledPositions = SettledAhead()

    /// The records that it has of a lane beyond the settled part.
    func settledAhead(in lane: DispatchLane) -> SettledAhead { lane == .events ? settledEvents : settledPositions }

    /// Whether nothing waits for it of the events, and of the positions, up to those numbers.
    package func hasSettled(events: UInt64, positions: UInt64) -> Bool {
        !everySettledEvent.lacks([.init(after: 0, through: events)])
            && !(takesPositions && lacks([.init(after: 0, through: positions)]))
    }

    /// Whether some of these positions are still to be sent to it.
    package func lacks(_ positions: [PositionCursor.Stretch]) -> Bool { everySettledPosition.lacks(positions) }

    /// The number of the lane's last settled record.
    func sequence(of lane: DispatchLane) -> UInt64 {
        switch lane {
        case .events: eventCursor
        case .live: liveSequence
        case .history: historySequence
        }
    }
}

/// The fate of records that waited in a lane.
struct Settlement: Sendable, Hashable {
    var lane: DispatchLane
    /// Up to this number of the lane, an entry's or a position's in the log, all records are settled.
    var through: UInt64
    /// For positions: how many more are settled together with all before them.
    var count: UInt64
    /// How many records the destination has received.
    var sentCount: Int
    /// How many of the received records came after their cutoff.
    var lateCount = 0
    /// The positions that it will never get, because the log has lost them.
    var missing: [MissingPositions] = []
    /// The records that it refused permanently.
    var refused: [Refused] = []
    /// The receipts, for the ledger.
    var receipts: [Receipt] = []
    /// All settled records, whatever their fate, including those after ``through``.
    var settled = SettledAhead()
    /// The numbers of the positions that were read and are settled, without those between them.
    var positions = SettledAhead()

    struct Refused: Sendable, Hashable {
        /// Its number in the lane: the entry's, or the position's in the log.
        var number: UInt64
        var record: DispatchRecord
        var reason: String
    }

    /// The records after one number and up to another, and the server's answer to them.
    struct Receipt: Sendable, Hashable {
        var after: UInt64
        var through: UInt64
        var answer: String
    }

    /// The ledger's text, instead of an answer, for records that a destination's format cannot express and that were not sent.
    static let unsaid = "not for this destination"
    /// How the ledger's text begins, instead of an answer, for records that were refused and then dropped; the reason follows.
    static let dropped = "dropped: "

    /// Adds a receipt, and merges it with the previous one where they touch.
    mutating func addReceipt(after: UInt64, through: UInt64, answer: String) {
        if let last = receipts.indices.last, receipts[last].through == after, receipts[last].answer == answer {
            receipts[last].through = through
        } else {
            receipts.append(Receipt(after: after, through: through, answer: answer))
        }
    }
}
