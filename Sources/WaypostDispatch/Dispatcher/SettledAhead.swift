/// What a destination has behind the first record that it has not: stretches of numbers that do not touch each other.
///
/// Where receipts come one by one, in any order, or get lost, each record is settled by its own: what is here is not sent again, whatever
/// becomes of those before it.
public struct SettledAhead: Sendable, Hashable {
    /// In order; each is after one number and up to another.
    public private(set) var stretches: [PositionCursor.Stretch] = []

    /// Nothing is settled.
    public init() {}

    /// Stretches in any order.
    init(_ stretches: [PositionCursor.Stretch]) {
        for stretch in stretches { insert(stretch) }
    }

    /// Whether a number is settled.
    public func contains(_ number: UInt64) -> Bool {
        let place = firstPlace { $0.through >= number }
        return place < stretches.count && stretches[place].after < number
    }

    /// Settles what is after one number and up to another.
    mutating func insert(_ new: PositionCursor.Stretch) {
        guard new.through > new.after else { return }
        var joined = new
        let start = firstPlace { $0.through >= new.after }
        var end = start
        while end < stretches.count, stretches[end].after <= new.through {
            joined.after = min(joined.after, stretches[end].after)
            joined.through = max(joined.through, stretches[end].through)
            end += 1
        }
        stretches.replaceSubrange(start..<end, with: [joined])
    }

    /// Forgets what is not behind a number.
    mutating func forget(through number: UInt64) { stretches.removeAll { $0.through <= number } }

    /// Forgets what a cursor has settled as a whole.
    mutating func forget(settledBy cursor: PositionCursor) {
        stretches.removeAll { settled in
            settled.through <= cursor.live && !cursor.stretches.contains { settled.after < $0.through && $0.after < settled.through }
        }
    }

    /// The first place that fulfils what holds from some place on.
    private func firstPlace(where holds: (PositionCursor.Stretch) -> Bool) -> Int {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(stretches[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
