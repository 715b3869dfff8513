import WaypostSystem

/// Which positions of the log a destination has and which it lacks.
///
/// Everything up to ``live`` is settled, except the stretches that were left for later so that the newest positions could go first.
package struct PositionCursor: Sendable, Hashable {
    /// The positions after one number and up to another, which are still to be sent.
    package struct Stretch: Sendable, Hashable {
        /// Everything up to here is settled.
        package var after: UInt64
        /// The last of them.
        package var through: UInt64

        /// A stretch.
        package init(after: UInt64, through: UInt64) {
            self.after = after
            self.through = through
        }
    }

    /// The last number that the live lane has settled.
    package internal(set) var live: UInt64
    /// The stretches that the history lane has to send, oldest first; they do not touch each other.
    package internal(set) var stretches: [Stretch]

    /// The largest number of stretches; with more, the two oldest become one, and the positions between them are sent again under their ids.
    package static let maximumStretchCount = 64

    /// A cursor after that number.
    package init(live: UInt64, stretches: [Stretch] = []) {
        self.live = live
        self.stretches = stretches
    }

    /// Whether later positions are meant for the destination; else only what was left for later is still to be sent.
    package var isOpen: Bool { live < UInt64(SQLiteValue.largestNumber) }

    /// Ends it after a number: positions up to there are left for later, and none after it is meant for the destination.
    mutating func close(after number: UInt64) {
        leaveForLater(through: number)
        live = UInt64(SQLiteValue.largestNumber)
    }

    /// Leaves everything up to a number for later: the live lane continues after it.
    package mutating func leaveForLater(through number: UInt64) {
        guard number > live else { return }
        if let last = stretches.last, last.through == live {
            stretches[stretches.count - 1].through = number
        } else {
            stretches.append(Stretch(after: live, through: number))
        }
        live = number
        joinOldest()
    }

    /// Settles everything up to a number.
    mutating func pass(through number: UInt64) {
        stretches.removeAll { $0.through <= number }
        if let first = stretches.first { stretches[0].after = max(first.after, number) }
        live = max(live, number)
    }

    /// Adds everything that another cursor has to send.
    package mutating func join(_ other: PositionCursor) {
        live = min(live, other.live)
        let open = (stretches + other.stretches).filter { $0.after < live }.sorted { $0.after < $1.after }
        stretches = []
        for stretch in open {
            if let last = stretches.last, stretch.after <= last.through {
                stretches[stretches.count - 1].through = max(last.through, stretch.through)
            } else {
                stretches.append(stretch)
            }
        }
        // The live lane sends everything after its place anyway.
        if let last = stretches.last, last.through >= live {
            live = last.after
            stretches.removeLast()
        }
        joinOldest()
    }

    /// A cursor from the contents of a file, with repairs: stretches in order, apart, and before the live lane's place.
    init(live: UInt64, gating found: [Stretch]) {
        self.init(live: live)
        for stretch in found.sorted(by: { $0.after < $1.after }) where stretch.after < stretch.through && stretch.through <= live {
            if let last = stretches.last, stretch.after <= last.through {
                stretches[stretches.count - 1].through = max(last.through, stretch.through)
            } else {
                stretches.append(stretch)
            }
        }
        joinOldest()
    }

    /// Everything up to here is settled.
    package var first: UInt64 { stretches.first?.after ?? live }

    private mutating func joinOldest() {
        while stretches.count > PositionCursor.maximumStretchCount {
            stretches[0].through = stretches[1].through
            stretches.remove(at: 1)
        }
    }

    /// Notes that the lane has settled everything up to a number of what it reads.
    ///
    /// - Parameter absent: what cannot be read now.
    package mutating func settle(_ lane: DispatchLane, through number: UInt64, besides absent: [Stretch] = []) {
        switch lane {
        case .events: break
        case .live: live = max(live, number)
        case .history:
            guard let part = next(in: .history, besides: absent), part.after < number,
                let index = stretches.firstIndex(where: { $0.after <= part.after && part.through <= $0.through })
            else { return }
            let whole = stretches[index]
            let left = [
                Stretch(after: whole.after, through: part.after), Stretch(after: min(number, part.through), through: whole.through),
            ]
            stretches.replaceSubrange(index...index, with: left.filter { $0.after < $0.through })
        }
    }

    /// The next stretch for the lane to read; nil when it has nothing to read.
    ///
    /// - Parameter absent: what cannot be read now, in order; the live lane's stretch ends before it.
    package func next(in lane: DispatchLane, besides absent: [Stretch] = []) -> Stretch? {
        switch lane {
        case .events: return nil
        case .live:
            let next = absent.first { live < $0.through }
            return Stretch(after: live, through: next.map { max(live, $0.after) } ?? .max)
        case .history:
            for stretch in stretches {
                var after = stretch.after
                for gap in absent where after < gap.through && gap.after < stretch.through {
                    if after < gap.after { return Stretch(after: after, through: gap.after) }
                    after = gap.through
                }
                if after < stretch.through { return Stretch(after: after, through: stretch.through) }
            }
            return nil
        }
    }
}
