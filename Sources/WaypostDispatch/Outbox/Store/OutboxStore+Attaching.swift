import WaypostSystem

// Destinations that are added, that continue, and that are restored.
extension OutboxStore {
    /// Registers a destination; a known one continues where it was.
    func attach(_ name: String, newestPosition: UInt64, takesPositions: Bool) throws(SQLiteError) {
        let fromOldest = try note(OutboxStore.beginsAtOldest) != nil
        let isNew = try database.transaction { () throws(SQLiteError) in
            let isNew =
                try database.run(
                    """
                    INSERT INTO destination(name, event_cursor, event_start, position_cursor, position_start, takes_positions)
                        VALUES(?1,?2,?2,?3,?3,?4) ON CONFLICT(name) DO NOTHING
                    """,
                    [
                        .text(name), .integer(fromOldest ? 0 : lastEntryNumber), SQLiteValue(fromOldest ? 0 : newestPosition),
                        takesPositions ? 1 : 0,
                    ]) > 0
            if let state = try destinations().first(where: { $0.name == name }) {
                try continuePositions(of: state, newestPosition: newestPosition, takesPositions: takesPositions)
            }
            try reopenEvents(of: name)
            if isNew, fromOldest { try setNote(OutboxStore.unknown(name), Int64(clamping: newestPosition)) }
            return isNew
        }
        try countWaiting()
        // A new destination must not be lost with the database's log.
        if isNew { try database.merge() }
    }

    /// The name of the note up to which number nobody knows what a destination has.
    static func unknown(_ name: String) -> String { "unknown \(name)" }

    /// Restores a destination as it was.
    func restore(_ state: DestinationState) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO destination(name, event_cursor, event_start, position_cursor, position_start, takes_positions) VALUES(?1,?2,?2,?3,?3,?4)
            ON CONFLICT(name) DO NOTHING
            """,
            [.text(state.name), SQLiteValue(state.eventCursor), SQLiteValue(state.positions.live), state.takesPositions ? 1 : 0])
        try keep(state.positions, for: state.name)
        for kind in [SettledKind.events, .positions] {
            try keep(kind == .events ? state.settledEvents : state.settledPositions, of: kind, for: state.name)
        }
        try countWaiting()
    }

    /// Means no position after a number for a destination: what it lacks up to there waits on.
    func closePositions(of state: DestinationState, after newestPosition: UInt64) throws(SQLiteError) {
        var positions = state.positions
        positions.close(after: newestPosition)
        try keep(positions, for: state.name)
        try noteUnmeant(.init(after: newestPosition, through: UInt64(OutboxStore.largest)), .live, for: state.name)
    }

    /// Lets a destination continue with the log as it is now, and as its settings are now; inside a transaction.
    ///
    /// - Parameters:
    ///   - known: its progress, with the earlier settings.
    ///   - newestPosition: the number of the newest position in the log.
    ///   - takesPositions: whether later positions are meant for it.
    private func continuePositions(of known: DestinationState, newestPosition: UInt64, takesPositions: Bool) throws(SQLiteError) {
        var state = known
        try database.run("UPDATE destination SET takes_positions = ? WHERE name = ?", [takesPositions ? 1 : 0, .text(state.name)])
        // A log that is behind the destination's cursor was removed, or moved to another folder: its numbers begin again.
        let isAhead = state.positions.live > newestPosition
        if isAhead {
            try database.run(
                "UPDATE destination SET position_start = min(position_start, ?) WHERE name = ?",
                [SQLiteValue(newestPosition), .text(state.name)])
            try endReceipts(ofPositionsAfter: newestPosition, for: state.name)
        }
        try forgetPositionsSettled(behind: newestPosition, for: state.name)
        let waiting = state.positions.stretches.filter { $0.through <= newestPosition }
        if isAhead || !state.takesPositions {
            // Those that came meanwhile are not meant for it.
            if !isAhead { try noteUnmeant(.init(after: state.positions.live, through: newestPosition), .live, for: state.name) }
            state.positions = PositionCursor(live: newestPosition, gating: waiting)
        }
        if takesPositions {
            try keep(state.positions, for: state.name)
        } else {
            try closePositions(of: state, after: newestPosition)
        }
    }

    /// Gives new entries again to a destination that had been removed.
    func reopenEvents(of name: String) throws(SQLiteError) {
        guard let state = try destinations().first(where: { $0.name == name }), let closed = state.closedEvents else { return }
        let last = UInt64(lastEntryNumber)
        var events = SettledAhead(state.settledEvents.stretches.dropLast() + [.init(after: closed.after, through: last)])
        if closed.after <= state.eventCursor {
            events.forget(through: last)
            try database.run(
                "UPDATE destination SET event_cursor = max(event_cursor, ?) WHERE name = ?", [SQLiteValue(last), .text(name)])
        }
        try keep(events, of: .events, for: name)
        try noteUnmeant(.init(after: closed.after, through: last), .events, for: name)
    }
}
