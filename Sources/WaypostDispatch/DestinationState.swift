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
    /// How many entries it never got, as the outbox was full or they were too old.
    public var droppedCount: Int
    /// How many records it was sent after the cutoff that they were meant for.
    public var lateCount: Int
    /// How many entries wait for it.
    public var waitingEventCount: Int
    /// How many records it refused.
    public var deadLetterCount: Int
    /// Whether positions of the log are for it.
    public var takesPositions = true

    /// The number of the lane's last settled record.
    func sequence(of lane: DispatchLane) -> UInt64 {
        switch lane {
        case .events: eventCursor
        case .live: liveSequence
        case .history: historySequence
        }
    }
}

/// What became of the first records that waited in a lane.
struct Settlement: Sendable, Hashable {
    var lane: DispatchLane
    /// The lane's number of the last one: an entry's, or a position's in the log.
    var through: UInt64
    /// Positions: how many there were.
    var count: UInt64
    /// How many of them the destination has.
    var sentCount: Int
    /// How many of those it has came after their cutoff.
    var lateCount = 0
    /// What it refused for good.
    var refused: [Refused] = []
    /// What the server said, for the ledger.
    var answer = ""

    struct Refused: Sendable, Hashable {
        /// Its number in the lane's row: the entry's, or the position's in the log.
        var number: UInt64
        var record: DispatchRecord
        var reason: String
    }
}
