/// How far a destination is.
public struct DestinationState: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The number of the last entry it has settled.
    public var eventCursor: UInt64
    /// How far it is in the log.
    public var positions: PositionCursor
    /// How many positions the live lane has settled.
    public var liveSequence: UInt64
    /// How many the history lane has.
    public var historySequence: UInt64
    /// Whether somebody paused it.
    public var isPaused: Bool
    /// How many records it was sent, over all runs.
    public var sentCount: Int
    /// How many entries it never got, as the outbox was full or they were too old; and how many positions, as the log does not have them any more.
    public var droppedCount: Int
    /// How many records it was sent after the cutoff that they were meant for.
    public var lateCount: Int
    /// How many entries wait for it.
    public var waitingEventCount: Int
    /// How many records it refused.
    public var deadLetterCount: Int
    /// Whether positions of the log are for it.
    public var takesPositions = true
    /// What it has of the entries behind ``eventCursor``.
    public var settledEvents = SettledAhead()
    /// What it has of the positions that ``positions`` counts as waiting.
    public var settledPositions = SettledAhead()

    /// What it has of a lane that is not settled up to there.
    func settledAhead(in lane: DispatchLane) -> SettledAhead { lane == .events ? settledEvents : settledPositions }

    /// The number of the lane's last settled record.
    func sequence(of lane: DispatchLane) -> UInt64 {
        switch lane {
        case .events: eventCursor
        case .live: liveSequence
        case .history: historySequence
        }
    }
}

/// What became of records that waited in a lane.
struct Settlement: Sendable, Hashable {
    var lane: DispatchLane
    /// Up to this number of the lane, an entry's or a position's in the log, all are settled.
    var through: UInt64
    /// Positions: how many more are settled with all before them.
    var count: UInt64
    /// How many the destination has.
    var sentCount: Int
    /// How many of those it has came after their cutoff.
    var lateCount = 0
    /// How many it never gets, because the log has lost them.
    var missingCount = 0
    /// What it refused for good.
    var refused: [Refused] = []
    /// What it has, for the ledger.
    var receipts: [Receipt] = []
    /// All of them, whatever became of them, also behind ``through``.
    var settled = SettledAhead()

    struct Refused: Sendable, Hashable {
        /// Its number in the lane's row: the entry's, or the position's in the log.
        var number: UInt64
        var record: DispatchRecord
        var reason: String
    }

    /// Records after one number and up to another, and what the server said to them.
    struct Receipt: Sendable, Hashable {
        var after: UInt64
        var through: UInt64
        var answer: String
    }

    /// Stands in the ledger in place of an answer for what a destination has no word for, and was not sent.
    static let unsaid = "not for this destination"

    /// Adds a receipt, with the one before it where they touch.
    mutating func addReceipt(after: UInt64, through: UInt64, answer: String) {
        if let last = receipts.indices.last, receipts[last].through == after, receipts[last].answer == answer {
            receipts[last].through = through
        } else {
            receipts.append(Receipt(after: after, through: through, answer: answer))
        }
    }
}
