import WaypostSystem

/// The two sequences of numbers in which a destination may have records after others that it lacks.
enum SettledKind: String {
    case events, positions

    init(_ lane: DispatchLane) { self = lane == .events ? .events : .positions }
}

// The records that destinations have after the first one that they lack.
extension OutboxStore {
    /// The records that each destination has.
    func settledAhead() throws(SQLiteError) -> [String: [SettledKind: SettledAhead]] {
        var settled: [String: [SettledKind: SettledAhead]] = [:]
        try database.each("SELECT destination, lane, after, through FROM settled") { row in
            if let kind = SettledKind(rawValue: row.text(1)) {
                settled[row.text(0), default: [:]][kind, default: SettledAhead()].insert(
                    .init(after: row.number(2), through: row.number(3)))
            }
            return true
        }
        return settled
    }

    /// Stores the records that a destination has; inside a transaction.
    func keep(_ settled: SettledAhead, of kind: SettledKind, for name: String) throws(SQLiteError) {
        try database.run("DELETE FROM settled WHERE destination = ? AND lane = ?", [.text(name), .text(kind.rawValue)])
        for stretch in settled.stretches {
            try database.run(
                "INSERT INTO settled(destination, lane, after, through) VALUES(?,?,?,?)",
                [.text(name), .text(kind.rawValue), SQLiteValue(stretch.after), SQLiteValue(stretch.through)])
        }
    }

    /// Forgets them, because a new sequence begins.
    func forgetSettledAhead(of name: String) throws(SQLiteError) {
        try database.run("DELETE FROM settled WHERE destination = ?", [.text(name)])
    }

    /// Forgets its positions after a number: a log that begins anew gives these numbers to others.
    func forgetPositionsSettled(behind number: UInt64, for name: String) throws(SQLiteError) {
        try database.run(
            "DELETE FROM settled WHERE destination = ? AND lane = ? AND through > ?",
            [.text(name), .text(SettledKind.positions.rawValue), SQLiteValue(number)])
    }
}

// Destinations that were removed from the configuration: the numbers after the removal are settled for them, without end.
extension OutboxStore {
    private static let largest = SQLiteValue.largestNumber

    /// Whether a row of `destination` has events to wait for, or may get some.
    static let waitsForEvents = """
        NOT EXISTS(SELECT 1 FROM settled WHERE destination = name AND lane = 'events' AND after <= event_cursor AND through = \(largest))
        """
    /// The last number of an event that is meant for a row of `destination`.
    static let lastMeantEvent = """
        coalesce((SELECT after FROM settled WHERE destination = name AND lane = 'events' AND through = \(largest)), \(largest))
        """

    /// Gives no new records to the destinations that were removed from the configuration; what waits for them stays.
    ///
    /// - Parameters:
    ///   - names: the destinations that are in the configuration.
    ///   - newestPosition: the number of the last position that the others get.
    func close(except names: Set<String>, newestPosition: UInt64) throws(SQLiteError) {
        let removed = try destinations().filter { !names.contains($0.name) && !$0.isClosed }
        guard !removed.isEmpty else { return }
        try database.transaction { () throws(SQLiteError) in
            for state in removed {
                var positions = state.positions
                if state.takesPositions { positions.leaveForLater(through: newestPosition) }
                positions.live = UInt64(OutboxStore.largest)
                try keep(positions, for: state.name)
                var events = state.settledEvents
                events.insert(.init(after: UInt64(lastEntryNumber), through: UInt64(OutboxStore.largest)))
                try keep(events, of: .events, for: state.name)
                guard state.waitingEventCount == 0 else { continue }
                try database.run(
                    "UPDATE destination SET event_cursor = max(event_cursor, ?) WHERE name = ?",
                    [.integer(lastEntryNumber), .text(state.name)])
            }
        }
        try countWaiting()
    }

    /// Keeps a removed destination without new events after its settled ones were forgotten; inside a transaction.
    func closeEvents(of name: String) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO settled(destination, lane, after, through) SELECT name, 'events', ?1, ?2 FROM destination
                WHERE name = ?3 AND position_cursor = ?2
            """, [.integer(lastEntryNumber), .integer(OutboxStore.largest), .text(name)])
    }

    /// Gives new records again to a destination that had been removed, or whose log begins anew.
    ///
    /// - Parameters:
    ///   - name: the destination.
    ///   - newestPosition: the number of the newest position in the log; later ones are meant for it.
    func reopen(_ name: String, newestPosition: UInt64) throws(SQLiteError) {
        // A log that is behind the destination's cursor was removed, or moved to another folder: its numbers begin again.
        try database.run(
            """
            UPDATE destination SET position_cursor = ?1, position_start = min(position_start, ?1) WHERE name = ?2 AND position_cursor > ?1
            """, [SQLiteValue(newestPosition), .text(name)])
        try forgetPositionsSettled(behind: newestPosition, for: name)
        guard let state = try destinations().first(where: { $0.name == name }), let closed = state.closedEvents else { return }
        let last = UInt64(lastEntryNumber)
        var events = SettledAhead(state.settledEvents.stretches.dropLast() + [.init(after: closed.after, through: last)])
        try database.transaction { () throws(SQLiteError) in
            if closed.after <= state.eventCursor {
                events.forget(through: last)
                try database.run(
                    "UPDATE destination SET event_cursor = max(event_cursor, ?) WHERE name = ?", [SQLiteValue(last), .text(name)])
            }
            try keep(events, of: .events, for: name)
        }
    }
}

extension DestinationState {
    /// The events that came after its removal from the configuration, and all later ones.
    var closedEvents: PositionCursor.Stretch? {
        settledEvents.stretches.last.flatMap { $0.through == SQLiteValue.largestNumber ? $0 : nil }
    }
    /// Whether it gets no new records, because it was removed from the configuration.
    var isClosed: Bool { closedEvents != nil && positions.live == SQLiteValue.largestNumber }
}
