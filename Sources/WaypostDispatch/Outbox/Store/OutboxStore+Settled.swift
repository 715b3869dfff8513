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
        try keep(settled, as: kind.rawValue, for: name)
    }

    private func keep(_ settled: SettledAhead, as lane: String, for name: String) throws(SQLiteError) {
        try database.run("DELETE FROM settled WHERE destination = ? AND lane = ?", [.text(name), .text(lane)])
        for stretch in settled.stretches {
            try database.run(
                "INSERT INTO settled(destination, lane, after, through) VALUES(?,?,?,?)",
                [.text(name), .text(lane), SQLiteValue(stretch.after), SQLiteValue(stretch.through)])
        }
    }

    /// Forgets them, because a new sequence begins.
    func forgetSettledAhead(of name: String) throws(SQLiteError) {
        knownGone = nil
        try database.run("DELETE FROM settled WHERE destination = ?", [.text(name)])
    }

    /// Forgets its positions after a number: a log that begins anew gives these numbers to others.
    func forgetPositionsSettled(behind number: UInt64, for name: String) throws(SQLiteError) {
        knownGone = nil
        try database.run(
            "DELETE FROM settled WHERE destination = ? AND lane <> ? AND through > ?",
            [.text(name), .text(SettledKind.events.rawValue), SQLiteValue(number)])
    }

    // MARK: - Positions that the log no longer has

    /// The positions that count as dropped because the log deleted them, by destination and by the key of the limit; those that are settled
    /// for other reasons are left out.
    private func gone() throws(SQLiteError) -> [String: [String: SettledAhead]] {
        if let knownGone { return knownGone }
        var gone: [String: [String: SettledAhead]] = [:]
        try database.each("SELECT destination, lane, after, through FROM settled WHERE lane LIKE 'gone %'") { row in
            gone[row.text(0), default: [:]][String(row.text(1).dropFirst(5)), default: SettledAhead()].insert(
                .init(after: row.number(2), through: row.number(3)))
            return true
        }
        knownGone = gone
        return gone
    }

    /// Counts positions as dropped for each destination that lacks them, each once, also when the same ones are given again.
    ///
    /// - Parameters:
    ///   - stretches: the numbers of positions, and of nothing else.
    ///   - key: the key of the limit that deletes them.
    ///   - moments: further notes, which are stored when any are counted.
    func countGone(
        _ stretches: [PositionCursor.Stretch], because key: String, noting moments: [String: Int64?]
    ) throws(SQLiteError) {
        defer { knownGone = nil }
        try database.transaction { () throws(SQLiteError) in
            var isNew = false
            for state in try destinations() {
                let known = try gone()[state.name] ?? [:]
                var new = SettledAhead()
                let unknownEnd = try unknownEnd(of: state.name)
                for stretch in stretches where stretch.through > max(state.positions.first, unknownEnd) {
                    for number in max(stretch.after, state.positions.first)..<stretch.through
                    where state.positions.has(number + 1) && !state.settledPositions.contains(number + 1) {
                        new.insert(.init(after: number, through: number + 1))
                    }
                }
                for counted in known.values { new.remove(counted) }
                if new.count == 0 { continue }
                isNew = true
                try changeGoneCount(by: new.count, key, of: state.name)
                for stretch in known[key]?.stretches ?? [] { new.insert(stretch) }
                try keep(new, as: "gone \(key)", for: state.name)
            }
            guard isNew else { return }
            for (name, value) in moments { try setNote(name, value) }
        }
    }

    /// Up to which number nobody knows what positions a destination has; 0 when that is known.
    private func unknownEnd(of name: String) throws(SQLiteError) -> UInt64 {
        try note(OutboxStore.unknown(name)).map { UInt64(clamping: $0) } ?? 0
    }

    /// Counts events that are gone before they were queued as dropped, for every destination.
    func countLostEvents(_ count: Int) throws(SQLiteError) {
        guard count > 0 else { return }
        try database.run("UPDATE destination SET dropped = dropped + ? WHERE \(OutboxStore.waitsForEvents)", [.integer(Int64(count))])
    }

    /// How many of the positions that count as dropped because the log deleted them are still ahead of a destination.
    func goneCount(of state: DestinationState) throws(SQLiteError) -> Int {
        (try gone()[state.name] ?? [:]).values.reduce(0) { count, gone in
            var ahead = gone
            ahead.forget(settledBy: state.positions)
            return count + ahead.count
        }
    }

    /// Counts positions that the log has lost as dropped, without those that the destination has and those that were counted when a limit
    /// deleted them; inside a transaction.
    func countLost(_ missing: [MissingPositions], for name: String) throws(SQLiteError) {
        guard !missing.isEmpty, let state = try destinations().first(where: { $0.name == name }) else { return }
        let gone = try gone()[name] ?? [:]
        let unknownEnd = try unknownEnd(of: name)
        var count = 0
        for positions in missing where !positions.wasDeleted || positions.through > unknownEnd {
            var numbers = SettledAhead([.init(after: positions.after, through: positions.through)])
            for known in [state.settledPositions] + gone.values { numbers.remove(known) }
            count += min(positions.count, numbers.count)
        }
        if count == 0 { return }
        try database.run("UPDATE destination SET dropped = dropped + ? WHERE name = ?", [.integer(Int64(count)), .text(name)])
    }

    /// Takes back the count of positions that were settled although the log had deleted them; inside a transaction.
    func takeBackGone(_ settlement: Settlement, _ cursor: PositionCursor?, for name: String) throws(SQLiteError) {
        guard let known = try gone()[name] else { return }
        for (key, counted) in known {
            var left = counted
            let settled = counted.common(with: settlement.positions)
            left.remove(settled)
            if let cursor { left.forget(settledBy: cursor) }
            guard left != counted else { continue }
            knownGone = nil
            if settled.count > 0 { try changeGoneCount(by: -settled.count, key, of: name) }
            try keep(left, as: "gone \(key)", for: name)
        }
    }

    private func changeGoneCount(by change: Int, _ key: String, of name: String) throws(SQLiteError) {
        try database.run(
            "UPDATE destination SET dropped = max(0, dropped + ?) WHERE name = ?", [.integer(Int64(change)), .text(name)])
        let note = "gone \(key) \(name)"
        func possible(_ count: Int64) -> Int64 { min(max(0, count), SQLiteValue.largestNumber) }
        try setNote(note, possible(possible(try self.note(note) ?? 0) + Int64(change)))
    }

    /// How many positions the log deleted before the destination that lacks most of them had them, by the key of the limit.
    func goneCounts() throws(SQLiteError) -> [String: Int] {
        let notes = try database.rows("SELECT name, value FROM note WHERE name LIKE 'gone %'") { ($0.text(0), $0.count(1)) }
        return notes.reduce(into: [:]) { counts, note in
            // "gone", the key and the destination, as far as nobody has changed the file.
            let words = note.0.split(separator: " ", maxSplits: 2)
            guard words.count == 3 else { return }
            counts[String(words[1]), default: 0] = max(counts[String(words[1])] ?? 0, note.1)
        }
    }

    /// Forgets the counts of a key.
    func forgetGoneCounts(_ key: String) throws(SQLiteError) {
        try database.run("DELETE FROM note WHERE substr(name, 1, length(?1)) = ?1", [.text("gone \(key) ")])
    }
}

// Destinations that were removed from the configuration: the numbers after the removal are settled for them, without end.
extension OutboxStore {
    static let largest = SQLiteValue.largestNumber

    /// Whether a row of `destination` has events to wait for, or may get some.
    static let waitsForEvents = """
        NOT EXISTS(SELECT 1 FROM settled WHERE destination = name AND lane = 'events' AND after <= event_cursor AND through = \(largest))
        """
    /// Whether a row of `destination` lacks a row of `entry` that is meant for it.
    static let lacksEntry = """
        number > event_cursor AND NOT EXISTS(
            SELECT 1 FROM settled WHERE destination = name AND lane = 'events' AND after < number AND number <= through)
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
                if state.positions.isOpen { try closePositions(of: state, after: newestPosition) }
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
            INSERT INTO settled(destination, lane, after, through) SELECT name, 'events', ?1, ?2 FROM destination WHERE name = ?3
            """, [.integer(lastEntryNumber), .integer(OutboxStore.largest), .text(name)])
    }
}

extension DestinationState {
    /// All entries that it has, or should not get: those after the first one that it lacks, too.
    var everySettledEvent: SettledAhead {
        var settled = settledEvents
        settled.insert(.init(after: 0, through: eventCursor))
        return settled
    }
    /// All positions that it has, or should not get.
    var everySettledPosition: SettledAhead {
        var settled = SettledAhead([.init(after: 0, through: positions.live)])
        settled.remove(SettledAhead(positions.stretches))
        for stretch in settledPositions.stretches { settled.insert(stretch) }
        return settled
    }
    /// The events that came after its removal from the configuration, and all later ones.
    var closedEvents: PositionCursor.Stretch? {
        settledEvents.stretches.last.flatMap { $0.through == SQLiteValue.largestNumber ? $0 : nil }
    }
    /// Whether it gets no new records, because it was removed from the configuration.
    var isClosed: Bool { closedEvents != nil && !positions.isOpen }
}
