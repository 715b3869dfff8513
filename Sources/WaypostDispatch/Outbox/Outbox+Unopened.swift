import Waypost
import WaypostSystem

/// A run in which the outbox could not be opened, or not every destination attached: what the outbox would have noted at its beginning.
package struct UnopenedRun: Sendable, Hashable {
    /// The number of the newest position in the log when it began.
    package var after: UInt64
    /// The names of the destinations that it had, and whether positions of the log were sent to them.
    package var destinations: [String: Bool]
    /// Whether sending was switched off.
    package var isOptedOut: Bool

    /// A run.
    package init(after: UInt64, destinations: [String: Bool], isOptedOut: Bool) {
        (self.after, self.destinations, self.isOptedOut) = (after, destinations, isOptedOut)
    }
}

extension Outbox {
    /// Makes up for a run: destinations that were new begin with what it logged, and those that it did not have get nothing of that.
    ///
    /// Call it when the events of the log up to its beginning were accepted, and those after it were not.
    package func makeUp(for run: UnopenedRun) throws(OutboxError) {
        // Where nobody knows what they have, they begin with the oldest records anyway.
        if try use({ (store) throws(SQLiteError) in try store.note(OutboxStore.beginsAtOldest) }) != nil { return }
        if try isOptedOut() != run.isOptedOut { try setOptedOut(run.isOptedOut, newestPosition: run.after) }
        // Those that are further on have been attached since.
        let beyond = try destinations().filter { $0.positions.isOpen && $0.positions.live > run.after }.map(\.name)
        for (name, takesPositions) in run.destinations.sorted(by: { $0.key < $1.key }) where !beyond.contains(name) {
            try use { (store) throws(SQLiteError) in
                try store.attach(name, newestPosition: run.after, takesPositions: takesPositions)
            }
        }
        let names = Set(run.destinations.keys).union(beyond)
        try settleForGood { (store) throws(SQLiteError) in try store.close(except: names, newestPosition: run.after) }
    }
}
