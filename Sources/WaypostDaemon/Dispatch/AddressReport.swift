import WaypostDispatch
import WaypostSystem

/// The destinations whose records from before go to another server, reported for an hour, or until none of these records waits any more.
struct AddressReport {
    /// A destination that has another address than in the last run.
    struct Move: Sendable {
        var destination: String
        /// What waits for it, for people.
        var words: String
        /// The last entry of the outbox, and the last number of the log, from before.
        var events: UInt64
        var positions: UInt64
    }

    private var moves: [Move] = []
    private var toldAt: Int64 = 0

    private static let memory: Int64 = 3_600_000

    /// The problems, in words for people.
    var problems: [String] { MonotonicClock.milliseconds - toldAt < AddressReport.memory ? moves.map(\.words) : [] }

    /// Notes what the tracker found when it opened the outbox.
    mutating func note(_ moves: [Move]) { (self.moves, toldAt) = (moves, MonotonicClock.milliseconds) }

    /// Forgets the destinations that have everything from before, or will not get it.
    mutating func note(_ states: [DestinationState]) {
        moves.removeAll { move in
            guard let state = states.first(where: { $0.name == move.destination }) else { return true }
            return state.hasSettled(events: move.events, positions: move.positions)
        }
    }
}
