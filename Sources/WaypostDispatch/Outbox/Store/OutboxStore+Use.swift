import WaypostSystem

// What shows after a kill whether the database's log is lost: the log has something as long as the outbox is in use.
extension OutboxStore {
    /// The note that the outbox is in use; 0 after a stop, when everything is in the file.
    static let use = "in_use"

    /// Notes in the file that it is in use; the commit that does so stays in its log, until others take its place there.
    ///
    /// A full disk, and a program that holds the file, leave it as it is: it is tried again.
    func beginUse() throws(SQLiteError) {
        guard !isInUse else { return }
        do throws(SQLiteError) {
            // Another number each time: a note that stays the same is not written.
            try setNote(OutboxStore.use, (try note(OutboxStore.use) ?? 0) % 1_000_000 + 1)
            try database.merge()
            isInUse = true
        } catch {
            if error.kind == .corrupt { throw error }
        }
    }

    /// Moves everything into the file, and empties the log.
    func endUse() throws(SQLiteError) {
        isInUse = false
        try setNote(OutboxStore.use, 0)
        try database.checkpoint()
        noteProgress()
    }

    /// Whether the file says that it is in use.
    static func isInUse(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        try database.integer("SELECT value FROM note WHERE name = ?", [.text(use)]) ?? 0 > 0
    }

    /// A number that changes with the destinations' progress: it tells an earlier state of the file from the last one.
    static func progress(in database: SQLiteDatabase) throws(SQLiteError) -> Int64 {
        let columns = ["event_cursor", "position_cursor", "live_sequence", "history_sequence", "sent", "dropped", "late", "is_paused"]
        // The positions that are meant for a destination may end at the largest number: the sum of two is too large.
        let terms = columns.enumerated().map { "abs(\($1) % 1000003) * \($0 + 1)" }
        return try database.integer("SELECT sum(\(terms.joined(separator: " + "))) FROM destination") ?? 0
    }

    /// Stores the destinations' progress in the tally, if anything was changed since.
    func noteProgress() {
        guard notedChangeCount != database.changeCount else { return }
        do throws(SQLiteError) { tally.progress = try OutboxStore.progress(in: database) } catch { return }
        notedChangeCount = database.changeCount
        tallyFile.write(tally)
    }

    /// Writes the tally anew where its file was removed or replaced: after a kill, nobody would know whether anything is missing.
    func keepTally() { tallyFile.write(tally) }

    /// Lets a destination continue at its mark where this state of the outbox is an earlier one.
    func advance(to mark: DestinationMark) throws(SQLiteError) {
        guard var state = try destinations().first(where: { $0.name == mark.name }) else { return }
        if state.positions.first < mark.positions {
            state.positions.pass(through: mark.positions)
            try keep(state.positions, for: mark.name)
        }
        let dropped = mark.dropped + (try goneCount(of: state))
        try database.run(
            "UPDATE destination SET event_cursor = max(event_cursor, ?), dropped = max(dropped, ?) WHERE name = ?",
            [SQLiteValue(mark.entry), .integer(Int64(dropped)), .text(mark.name)])
    }

    /// Lets every destination continue where all of them were at least.
    static func advance(_ database: SQLiteDatabase, to known: OutboxTally) throws(SQLiteError) {
        try database.run(
            "UPDATE destination SET event_cursor = max(event_cursor, ?) WHERE \(waitsForEvents)", [.integer(known.settled)])
    }
}
