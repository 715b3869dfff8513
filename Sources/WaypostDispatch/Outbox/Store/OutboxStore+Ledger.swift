import Waypost
import WaypostSystem

// The fates of records, from the file.
extension OutboxStore {
    /// A stored receipt.
    private struct KeptReceipt {
        var isOfEvents: Bool
        var after: UInt64
        var through: UInt64
        var fate: DeliveryAccount.Fate
    }

    /// The fates of records at a destination, in the records' order.
    ///
    /// - Cost: a search for each record, and the destination's receipts once.
    func fates(of keys: [LedgerKey], at destination: DestinationState) throws(SQLiteError) -> [DeliveryAccount.Fate] {
        let numbers = keys.compactMap { $0.position ?? $0.entry }
        guard let first = numbers.min(), let last = numbers.max() else {
            return try keys.map { (key) throws(SQLiteError) in try fate(of: key, at: destination, []) }
        }
        // The newest come first.
        let receipts = try database.rows(
            """
            SELECT lane, after, through, time, answer FROM receipt WHERE destination = ? AND through >= ? AND after < ? ORDER BY rowid DESC
            """, [.text(destination.name), SQLiteValue(first), SQLiteValue(last)]
        ) { row in
            KeptReceipt(
                isOfEvents: row.text(0) == DispatchLane.events.rawValue, after: row.number(1), through: row.number(2),
                fate: OutboxStore.fate(ofAnswer: row.text(4), at: row.time(3)))
        }
        return try keys.map { (key) throws(SQLiteError) in try fate(of: key, at: destination, receipts) }
    }

    private static func fate(ofAnswer answer: String, at time: UTCTime?) -> DeliveryAccount.Fate {
        if answer == Settlement.unsaid { return .unwanted }
        if answer.hasPrefix(Settlement.dropped) { return .dropped(reason: String(answer.dropFirst(Settlement.dropped.count))) }
        return .receipt(time: time, answer: answer)
    }

    private func fate(
        of key: LedgerKey, at destination: DestinationState, _ receipts: [KeptReceipt]
    ) throws(SQLiteError) -> DeliveryAccount.Fate {
        let isWaiting =
            key.position.map { destination.positions.has($0) && !destination.settledPositions.contains($0) }
            ?? key.entry.map { $0 > destination.eventCursor && !destination.settledEvents.contains($0) } ?? false
        if isWaiting { return try isOptedOut() ? .unwanted : .queued }
        let letters = try database.rows(
            "SELECT reason FROM dead_letter WHERE destination = ? AND id = ?", [.text(destination.name), .text(key.id)]
        ) { $0.text(0) }
        if let reason = letters.first { return .refused(reason: reason) }
        guard let number = key.position ?? key.entry else { return .forgotten }
        // A received record stays received, whatever was done with the queue since.
        let isEvent = key.position == nil
        let found = receipts.filter { $0.isOfEvents == isEvent && $0.after < number && number <= $0.through }
        if let receipt = found.first(where: { $0.fate.isReceipt }) ?? found.first { return receipt.fate }
        let start = key.position != nil ? "position_start" : "event_start"
        if let start = try database.integer("SELECT \(start) FROM destination WHERE name = ?", [.text(destination.name)]),
            number <= UInt64(clamping: start)
        {
            return .unwanted
        }
        return .forgotten
    }

    /// Entries after a number, from a moment on until before another; those without a time are among them.
    func entries(after number: UInt64, since time: UTCTime, until end: UTCTime?, limit: Int) throws(SQLiteError) -> [StoredEntry] {
        try entries(
            "number > ? AND (time IS NULL OR time >= ? AND time < ?) ORDER BY number LIMIT ?",
            [
                SQLiteValue(number), .integer(time.millisecondsSince1970), .integer(end?.millisecondsSince1970 ?? .max),
                .integer(Int64(limit)),
            ])
    }

    /// The entry with that id; nil when there is none; errors are thrown.
    func entry(id: String) throws(SQLiteError) -> StoredEntry? {
        try entries("id = ?", [.text(id)]).first
    }

    /// Records that were dropped on their way, but have arrived, no longer count as dropped.
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

    /// Stores the receipts of a settlement.
    func keepReceipts(_ settlement: Settlement, for name: String, at time: UTCTime?) throws(SQLiteError) {
        guard !settlement.receipts.isEmpty else { return }
        for receipt in settlement.receipts {
            try database.run(
                "INSERT INTO receipt(destination, lane, after, through, time, answer) VALUES(?,?,?,?,?,?)",
                [
                    .text(name), .text(settlement.lane.rawValue), SQLiteValue(receipt.after), SQLiteValue(receipt.through),
                    SQLiteValue(time?.millisecondsSince1970), .text(receipt.answer),
                ])
        }
        receiptCount += 1
        if receiptCount % 100 == 0 { try pruneReceipts(of: name, settlement.lane) }
    }

    /// Stores that records are not meant for a destination, which may be told of others with larger and smaller numbers.
    func noteUnmeant(_ stretch: PositionCursor.Stretch, _ lane: DispatchLane, for name: String) throws(SQLiteError) {
        guard stretch.after < stretch.through else { return }
        try database.run(
            "INSERT INTO receipt(destination, lane, after, through, answer) VALUES(?,?,?,?,?)",
            [
                .text(name), .text(lane.rawValue), SQLiteValue(stretch.after), SQLiteValue(stretch.through), .text(Settlement.unsaid),
            ])
    }

    /// Forgets receipts for positions after a number, because other positions get these numbers.
    func endReceipts(ofPositionsAfter number: UInt64, for name: String) throws(SQLiteError) {
        let values: [SQLiteValue] = [.text(name), .text(DispatchLane.events.rawValue), SQLiteValue(number)]
        try database.run("DELETE FROM receipt WHERE destination = ? AND lane <> ? AND after >= ?", values)
        try database.run("UPDATE receipt SET through = ?3 WHERE destination = ?1 AND lane <> ?2 AND through > ?3", values)
    }

    private func pruneReceipts(of name: String, _ lane: DispatchLane) throws(SQLiteError) {
        try database.run(
            """
            DELETE FROM receipt WHERE destination = ?1 AND lane = ?2 AND rowid <= (
                SELECT rowid FROM receipt WHERE destination = ?1 AND lane = ?2 ORDER BY rowid DESC LIMIT 1 OFFSET ?3)
            """, [.text(name), .text(lane.rawValue), .integer(limits.keptReceiptCount)])
    }
}

extension PositionCursor {
    /// Whether a position is still to be sent.
    func has(_ number: UInt64) -> Bool {
        number > live || stretches.contains { $0.after < number && number <= $0.through }
    }
}
