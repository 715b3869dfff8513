import WaypostSystem

// The waiting records of one destination, moved to another.
extension OutboxStore {
    /// Moves the waiting records of one destination, and its dead letters, to another; false when one of them is not known.
    ///
    /// - Parameter newestPosition: the position after which the first one begins anew; nil forgets it.
    func move(_ name: String, to other: String, newestPosition: UInt64?) throws(SQLiteError) -> Bool {
        forgetWaiting()
        let isKnown = try database.transaction { () throws(SQLiteError) in
            let states = try destinations()
            guard let from = states.first(where: { $0.name == name }), let to = states.first(where: { $0.name == other }) else {
                return false
            }
            var positions = to.positions
            if from.takesPositions { positions.join(from.positions) }
            try keep(positions, for: other)
            var eventCursor = from.eventCursor
            if let closed = from.closedEvents {
                // Events that came after its removal are not its own.
                if from.waitingEventCount == 0 { eventCursor = to.eventCursor }
                var events = to.settledEvents
                events.insert(.init(after: closed.after, through: max(closed.after, to.eventCursor)))
                try keep(events, of: .events, for: other)
            }
            // Before its start numbers nothing was meant for a destination; now it is.
            try database.run(
                """
                UPDATE destination SET event_cursor = min(event_cursor, ?1), event_start = min(event_start, ?1),
                    position_start = min(position_start, ?2) WHERE name = ?3
                """, [SQLiteValue(eventCursor), SQLiteValue(positions.first), .text(other)])
            try database.run("UPDATE dead_letter SET destination = ? WHERE destination = ?", [.text(other), .text(name)])
            try forgetSettledAhead(of: name)
            if let newestPosition {
                try keep(PositionCursor(live: newestPosition), for: name)
                try database.run(
                    "UPDATE destination SET event_cursor = ?1, event_start = ?1, position_start = ?2 WHERE name = ?3",
                    [.integer(lastEntryNumber), SQLiteValue(newestPosition), .text(name)])
            } else {
                try removeRows(of: name)
            }
            return true
        }
        try countWaiting()
        return isKnown
    }

    /// Removes everything that is known of a destination; false when nothing is known.
    func forget(_ name: String) throws(SQLiteError) -> Bool {
        let isKnown = try database.transaction { () throws(SQLiteError) in
            try database.run("DELETE FROM dead_letter WHERE destination = ?", [.text(name)])
            try forgetSettledAhead(of: name)
            return try removeRows(of: name)
        }
        try countWaiting()
        return isKnown
    }

    @discardableResult
    private func removeRows(of name: String) throws(SQLiteError) -> Bool {
        try database.run("DELETE FROM stretch WHERE destination = ?", [.text(name)])
        try database.run("DELETE FROM receipt WHERE destination = ?", [.text(name)])
        try database.run("DELETE FROM note WHERE name LIKE 'gone %' AND substr(name, 6 + instr(substr(name, 6), ' ')) = ?", [.text(name)])
        return try database.run("DELETE FROM destination WHERE name = ?", [.text(name)]) > 0
    }
}
