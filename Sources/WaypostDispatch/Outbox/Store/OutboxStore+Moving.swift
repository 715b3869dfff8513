import WaypostSystem

// The waiting records of one destination, moved to another.
extension OutboxStore {
    /// Moves the waiting records of one destination, and its dead letters, to another; false when one of them is not known.
    ///
    /// Afterwards the other waits for what either of them waited for: either may have records after the first one that it lacks, or lack some
    /// that came while it was not in the configuration.
    ///
    /// - Parameters:
    ///   - newestPosition: the number of the newest position in the log, after which the first one begins anew.
    ///   - isForgotten: whether the first one is forgotten instead.
    func move(_ name: String, to other: String, newestPosition: UInt64, isForgotten: Bool) throws(SQLiteError) -> Bool {
        forgetWaiting()
        let isKnown = try database.transaction { () throws(SQLiteError) in
            let states = try destinations()
            guard var from = states.first(where: { $0.name == name }), let to = states.first(where: { $0.name == other }) else {
                return false
            }
            try moveEvents(from, to: to)
            // Later ones are for a destination that takes positions.
            if from.positions.isOpen, !to.positions.isOpen { from.positions.close(after: newestPosition) }
            try movePositions(from, to: to)
            try database.run("UPDATE dead_letter SET destination = ? WHERE destination = ?", [.text(other), .text(name)])
            try forgetSettledAhead(of: name)
            if isForgotten {
                try removeRows(of: name)
                return true
            }
            var positions = PositionCursor(live: newestPosition)
            if !from.takesPositions { positions.close(after: 0) }
            try keep(positions, for: name)
            try database.run(
                "UPDATE destination SET event_cursor = ?1, event_start = ?1, position_start = ?2 WHERE name = ?3",
                [.integer(lastEntryNumber), SQLiteValue(newestPosition), .text(name)])
            return true
        }
        try countWaiting()
        return isKnown
    }

    private func moveEvents(_ from: DestinationState, to other: DestinationState) throws(SQLiteError) {
        var settled = other.everySettledEvent.common(with: from.everySettledEvent)
        let cursor = settled.stretches.first.flatMap { $0.after == 0 ? $0.through : nil } ?? 0
        try passUnmeant(settled, .events, from: cursor, "event_start", of: other.name)
        settled.forget(through: cursor)
        try database.run("UPDATE destination SET event_cursor = ? WHERE name = ?", [SQLiteValue(cursor), .text(other.name)])
        try keep(settled, of: .events, for: other.name)
    }

    private func movePositions(_ from: DestinationState, to other: DestinationState) throws(SQLiteError) {
        var settled = other.everySettledPosition.common(with: from.everySettledPosition)
        var positions = other.positions
        positions.join(from.positions)
        try passUnmeant(settled, .live, from: positions.first, "position_start", of: other.name)
        settled.forget(settledBy: positions)
        try keep(positions, for: other.name)
        try keep(settled, of: .positions, for: other.name)
    }

    /// Before its start numbers nothing was meant for a destination; now something is, but not all.
    private func passUnmeant(
        _ settled: SettledAhead, _ lane: DispatchLane, from number: UInt64, _ column: String, of name: String
    ) throws(SQLiteError) {
        let start = UInt64(clamping: try database.integer("SELECT \(column) FROM destination WHERE name = ?", [.text(name)]) ?? 0)
        guard number < start else { return }
        for stretch in settled.common(with: SettledAhead([.init(after: number, through: start)])).stretches {
            try noteUnmeant(stretch, lane, for: name)
        }
        try database.run("UPDATE destination SET \(column) = ? WHERE name = ?", [SQLiteValue(number), .text(name)])
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
        try setNote(OutboxStore.unknown(name), nil)
        return try database.run("DELETE FROM destination WHERE name = ?", [.text(name)]) > 0
    }
}
