/// The records that a destination has after the first one that it lacks: stretches of numbers that do not touch each other.
///
/// Where receipts come one by one, in any order, or get lost, each record is settled individually: the records here are not sent again,
/// whatever happens to those before them.
package struct SettledAhead: Sendable, Hashable {
    /// In order; each is after one number and up to another.
    package private(set) var stretches: [PositionCursor.Stretch] = []

    /// Nothing is settled.
    package init() {}

    /// Stretches in any order.
    init(_ stretches: [PositionCursor.Stretch]) {
        for stretch in stretches { insert(stretch) }
    }

    /// Whether a number is settled.
    package func contains(_ number: UInt64) -> Bool {
        let place = firstPlace { $0.through >= number }
        return place < stretches.count && stretches[place].after < number
    }

    /// Settles the numbers after one number and up to another.
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

    /// Takes the numbers of others out.
    mutating func remove(_ others: SettledAhead) {
        for other in others.stretches {
            stretches = stretches.flatMap { known -> [PositionCursor.Stretch] in
                let parts = [(known.after, min(known.through, other.after)), (max(known.after, other.through), known.through)]
                return parts.filter { $0.0 < $0.1 }.map { .init(after: $0.0, through: $0.1) }
            }
        }
    }

    /// The numbers that are also among others.
    func common(with others: SettledAhead) -> SettledAhead {
        var common = SettledAhead()
        for known in stretches {
            for other in others.stretches where max(known.after, other.after) < min(known.through, other.through) {
                common.insert(.init(after: max(known.after, other.after), through: min(known.through, other.through)))
            }
        }
        return common
    }

    /// Whether some of these are not among them.
    func lacks(_ others: [PositionCursor.Stretch]) -> Bool {
        var left = SettledAhead(others)
        left.remove(self)
        return left.count > 0
    }

    /// How many numbers these are.
    var count: Int { stretches.reduce(0) { $0 + Int(clamping: $1.through - $1.after) } }

    /// Forgets everything up to a number.
    mutating func forget(through number: UInt64) { stretches.removeAll { $0.through <= number } }

    /// Forgets everything that a cursor has settled completely.
    mutating func forget(settledBy cursor: PositionCursor) {
        stretches.removeAll { settled in
            settled.through <= cursor.live && !cursor.stretches.contains { settled.after < $0.through && $0.after < settled.through }
        }
    }

    /// The first place at which a condition holds that also holds for all later places.
    private func firstPlace(where holds: (PositionCursor.Stretch) -> Bool) -> Int {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(stretches[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
