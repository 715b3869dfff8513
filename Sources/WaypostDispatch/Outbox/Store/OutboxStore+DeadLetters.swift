import Waypost
import WaypostSystem

extension OutboxStore {
    private static let columns = "number, destination, lane, sequence, id, time, body, reason, is_due"

    /// Stores a record that a destination refused; inside a transaction.
    func bury(_ record: DispatchRecord, reason: String, destination: String) throws(SQLiteError) {
        try database.run(
            "INSERT INTO dead_letter(destination, lane, sequence, id, time, body, reason) VALUES(?,?,?,?,?,?,?)",
            [
                .text(destination), .text(record.lane.rawValue), SQLiteValue(record.sequence), .text(record.id),
                SQLiteValue(record.time?.millisecondsSince1970), .bytes(RecordCodec.bytes(record.content, id: record.id)),
                .text(String(reason.prefix(OutboxStore.longestReason))),
            ])
        try database.run("DELETE FROM dead_letter WHERE number <= ?", [.integer(database.lastInsertedNumber - maximumDeadLetterCount)])
    }

    /// How much of a server's words is kept, in characters.
    private static let longestReason = 500

    /// Dead letters after a number, of a destination or of all, only those that are due for another attempt or all, oldest first.
    func deadLetters(
        of destination: String?, after number: Int64 = 0, dueOnly: Bool = false, limit: Int
    ) throws(SQLiteError) -> [DeadLetter] {
        try database.rows(
            """
            SELECT \(OutboxStore.columns) FROM dead_letter
            WHERE (?1 IS NULL OR destination = ?1) AND (?2 = 0 OR is_due = 1) AND number > ?4 ORDER BY number LIMIT ?3
            """, [destination.map(SQLiteValue.text) ?? .null, dueOnly ? 1 : 0, .integer(Int64(limit)), .integer(number)],
            OutboxStore.deadLetter
        ).compactMap { $0 }
    }

    /// Schedules dead letters for another attempt; returns how many.
    func retry(_ number: Int64?, destination: String?) throws(SQLiteError) -> Int {
        try database.run("UPDATE dead_letter SET is_due = 1 WHERE \(OutboxStore.choice)", OutboxStore.chosen(number, destination))
    }

    /// Removes dead letters permanently, and keeps why for the ledger; returns how many.
    func drop(_ number: Int64?, destination: String?) throws(SQLiteError) -> Int {
        let chosen = OutboxStore.chosen(number, destination)
        return try database.transaction { () throws(SQLiteError) in
            let letters = try database.rows(
                "SELECT destination, lane, id, reason FROM dead_letter WHERE \(OutboxStore.choice) ORDER BY destination, lane, number",
                chosen
            ) { row in (destination: row.text(0), lane: row.text(1), id: row.text(2), reason: row.text(3)) }
            // Of those with the same reason in a row there is one receipt: as many as letters would push out those that were received.
            var kept: (destination: String, settlement: Settlement)?
            for letter in letters {
                guard let lane = DispatchLane(rawValue: letter.lane), let number = try laneNumber(of: letter.id, in: lane) else {
                    continue
                }
                if kept?.destination != letter.destination || kept?.settlement.lane != lane {
                    if let kept { try keepReceipts(kept.settlement, for: kept.destination, at: nil) }
                    kept = (letter.destination, Settlement(lane: lane, through: 0, count: 0, sentCount: 0))
                }
                kept?.settlement.addReceipt(after: number - 1, through: number, answer: Settlement.dropped + letter.reason)
            }
            if let kept { try keepReceipts(kept.settlement, for: kept.destination, at: nil) }
            return try database.run("DELETE FROM dead_letter WHERE \(OutboxStore.choice)", chosen)
        }
    }

    /// The number of a dead letter in its lane, which is not its own: it may have been moved here; nil when it is no longer known.
    private func laneNumber(of id: String, in lane: DispatchLane) throws(SQLiteError) -> UInt64? {
        let number = try lane == .events ? entry(id: id)?.number : NumberedPosition.number(ofID: id)
        return number.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Notes that a dead letter was refused again.
    func settle(deadLetter number: Int64, refusedBecause reason: String) throws(SQLiteError) {
        try database.run(
            "UPDATE dead_letter SET is_due = 0, reason = ? WHERE number = ?",
            [.text(String(reason.prefix(OutboxStore.longestReason))), .integer(number)])
    }

    /// Notes that a dead letter was finally accepted, and stores the receipt; with ``Settlement/unsaid``, that it is not for the destination.
    func settle(deadLetter letter: DeadLetter, answer: String, at time: UTCTime?) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            if answer != Settlement.unsaid {
                try database.run("UPDATE destination SET sent = sent + 1 WHERE name = ?", [.text(letter.destination)])
            }
            try database.run("DELETE FROM dead_letter WHERE number = ?", [.integer(letter.number)])
            guard let number = try laneNumber(of: letter.record.id, in: letter.record.lane) else { return }
            var settlement = Settlement(lane: letter.record.lane, through: 0, count: 0, sentCount: 1)
            settlement.addReceipt(after: number - 1, through: number, answer: answer)
            try keepReceipts(settlement, for: letter.destination, at: time)
        }
    }

    /// The number of the newest dead letter; 0 when there is none.
    func newestDeadLetter() throws(SQLiteError) -> Int64 { try database.integer("SELECT max(number) FROM dead_letter") ?? 0 }

    /// Removes everything that an erasure means, so that no trace of it is left in the file.
    func erase(_ erasure: UnfinishedErasure) throws(SQLiteError) -> Int {
        let (from, to) = (erasure.stretch.lowerBound.millisecondsSince1970, erasure.stretch.upperBound.millisecondsSince1970)
        let condition = "time >= ? AND time < ? AND number <= ?"
        return try erase(
            (condition, [.integer(from), .integer(to), .integer(erasure.lastEntry)]),
            (condition, [.integer(from), .integer(to), .integer(erasure.lastLetter)]))
    }

    /// Removes the entries after a number, and all dead letters, so that no trace of them is left in the file.
    func eraseEntries(after number: Int64) throws(SQLiteError) {
        _ = try erase(("number > ?", [.integer(number)]), ("true", []))
    }

    private typealias Choice = (condition: String, values: [SQLiteValue])

    private func erase(_ entries: Choice, _ letters: Choice) throws(SQLiteError) -> Int {
        forgetWaiting()
        let erased = try database.transaction { () throws(SQLiteError) in
            let count = try database.run("DELETE FROM entry WHERE \(entries.condition)", entries.values)
            try keepLastEntryNumber()
            return try database.run("DELETE FROM dead_letter WHERE \(letters.condition)", letters.values) + count
        }
        try countBytes()
        try countWaiting()
        try endUse()
        try beginUse()
        return erased
    }

    private static let choice = "(?1 IS NULL OR number = ?1) AND (?2 IS NULL OR destination = ?2)"

    private static func chosen(_ number: Int64?, _ destination: String?) -> [SQLiteValue] {
        [SQLiteValue(number), destination.map(SQLiteValue.text) ?? .null]
    }

    /// Nil for a dead letter of a later version, which this one cannot read: it stays.
    private static func deadLetter(_ row: SQLiteRow) -> DeadLetter? {
        guard let lane = DispatchLane(rawValue: row.text(2)), let content = RecordCodec.content(row.bytes(6)) else { return nil }
        return DeadLetter(
            number: row.integer(0), destination: row.text(1),
            record: DispatchRecord(id: row.text(4), lane: lane, sequence: row.number(3), age: nil, content: content), reason: row.text(7),
            isDue: row.integer(8) != 0)
    }
}
