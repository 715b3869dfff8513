import Waypost
import WaypostSystem

// What the file knows of what became of records.
extension OutboxStore {
    /// What became of a record at a destination.
    func fate(of question: LedgerQuestion, at destination: DestinationState) throws(SQLiteError) -> DeliveryAccount.Fate {
        let isWaiting =
            question.position.map { destination.positions.has($0) && !destination.settledPositions.contains($0) }
            ?? question.entry.map { $0 > destination.eventCursor && !destination.settledEvents.contains($0) } ?? false
        if isWaiting { return .queued }
        let letters = try database.rows(
            "SELECT reason FROM dead_letter WHERE destination = ? AND id = ?", [.text(destination.name), .text(question.id)]
        ) { $0.text(0) }
        if let reason = letters.first { return .refused(reason: reason) }
        guard let number = question.position ?? question.entry else { return .forgotten }
        let start = question.position != nil ? "position_start" : "event_start"
        if let start = try database.integer("SELECT \(start) FROM destination WHERE name = ?", [.text(destination.name)]),
            number <= UInt64(clamping: start)
        {
            return .unwanted
        }
        let lanes: [DispatchLane] = question.position != nil ? [.live, .history] : [.events, .events]
        let receipts = try database.rows(
            """
            SELECT time, answer FROM receipt WHERE destination = ?1 AND lane IN (?3, ?4) AND through >= ?2 AND after < ?2
            ORDER BY through LIMIT 1
            """, [.text(destination.name), SQLiteValue(number)] + lanes.map { .text($0.rawValue) }
        ) { $0.text(1) == Settlement.unsaid ? DeliveryAccount.Fate.unwanted : .receipt(time: $0.time(0), answer: $0.text(1)) }
        return receipts.first ?? .forgotten
    }

    /// Entries after a number, not before a moment; those without a time are among them.
    func entries(after number: UInt64, since time: UTCTime, limit: Int) throws(SQLiteError) -> [StoredEntry] {
        try entries(
            "number > ? AND (time IS NULL OR time >= ?) ORDER BY number LIMIT ?",
            [SQLiteValue(number), .integer(time.millisecondsSince1970), .integer(Int64(limit))])
    }

    /// The entry of that name; nil when there is none, errors are thrown.
    func entry(id: String) throws(SQLiteError) -> StoredEntry? {
        try entries("id = ?", [.text(id)]).first
    }

    /// What was dropped while it was on its way is not counted as dropped when it has arrived.
    func takeBackDropped(_ settlement: Settlement, for name: String) throws(SQLiteError) -> Int {
        var thereCount: Int64 = 0
        for receipt in settlement.receipts where receipt.answer != Settlement.unsaid {
            thereCount +=
                try database.integer(
                    "SELECT count(*) FROM entry WHERE number > ? AND number <= ?",
                    [SQLiteValue(receipt.after), SQLiteValue(receipt.through)])
                ?? 0
        }
        let goneCount = Int64(settlement.sentCount) - thereCount
        guard goneCount > 0, !settlement.receipts.isEmpty else { return 0 }
        try database.run("UPDATE destination SET dropped = max(0, dropped - ?) WHERE name = ?", [.integer(goneCount), .text(name)])
        return Int(goneCount)
    }

    /// Keeps the receipts of a settlement.
    func keepReceipts(_ settlement: Settlement, for name: String, at time: UTCTime?) throws(SQLiteError) {
        guard !settlement.receipts.isEmpty else { return }
        for receipt in settlement.receipts {
            try database.run(
                "INSERT OR REPLACE INTO receipt(destination, lane, after, through, time, answer) VALUES(?,?,?,?,?,?)",
                [
                    .text(name), .text(settlement.lane.rawValue), SQLiteValue(receipt.after), SQLiteValue(receipt.through),
                    SQLiteValue(time?.millisecondsSince1970), .text(receipt.answer),
                ])
        }
        receiptCount += 1
        if receiptCount % 100 == 0 { try pruneReceipts(of: name, settlement.lane) }
    }

    private func pruneReceipts(of name: String, _ lane: DispatchLane) throws(SQLiteError) {
        try database.run(
            """
            DELETE FROM receipt WHERE destination = ?1 AND lane = ?2 AND through <= (
                SELECT through FROM receipt WHERE destination = ?1 AND lane = ?2 ORDER BY through DESC LIMIT 1 OFFSET ?3)
            """, [.text(name), .text(lane.rawValue), .integer(limits.keptReceiptCount)])
    }
}

extension PositionCursor {
    /// Whether a position is still to be sent.
    func has(_ number: UInt64) -> Bool {
        number > live || stretches.contains { $0.after < number && number <= $0.through }
    }
}
