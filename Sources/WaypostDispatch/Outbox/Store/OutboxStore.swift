import Waypost
import WaypostSystem

/// One open file of an outbox: its statements and its counts.
///
/// It is separate from the ``Outbox``, which opens it during its own creation, opens another one when a file is damaged or was removed,
/// and lets a rescue fill one more beside it.
/// - Concurrency: one owner; each method makes at most one commit.
final class OutboxStore {
    let database: SQLiteDatabase
    let limits: OutboxLimits
    /// Bytes of all entries.
    private(set) var entryByteCount: Int64
    /// The number of the last entry, whether it is still there or not: no number is used twice.
    private(set) var lastEntryNumber: Int64
    /// How many entries the limits removed that each destination still waited for, since this was opened.
    private var limitDrops: [String: Int] = [:]
    /// How many receipts were stored since the start.
    var receiptCount = 0
    /// Everything before this moment has been removed.
    private var prunedTime: UTCTime?
    /// What ``gone()`` has read.
    var knownGone: [String: [String: SettledAhead]]?
    /// Whether sending is switched off, once that is known.
    private var optedOut: Bool?
    /// The contents of the tally file beside the database.
    var tally = OutboxTally()
    let tallyFile: OutboxTallyFile
    /// Whether the file says that it is in use, so that its log must have something.
    var isInUse = false
    /// How much of the database had changed when the tally got the destinations' progress.
    var notedChangeCount: Int?

    /// The outbox in a new database, or in one of this version.
    ///
    /// - Parameters:
    ///   - known: the counts when it was last open; numbers up to there are not used again.
    ///   - marks: the destinations' last known progress; numbers up to there are not used again either.
    init(
        _ database: SQLiteDatabase, limits: OutboxLimits, known: OutboxTally? = nil, marks: [DestinationMark] = []
    ) throws(SQLiteError) {
        try OutboxSchema.create(in: database)
        self.database = database
        self.limits = limits
        tallyFile = OutboxTallyFile(ofOutbox: database.path)
        entryByteCount = try database.integer("SELECT sum(length(body)) FROM entry") ?? 0
        let last =
            try database.integer(
                """
                SELECT max(coalesce((SELECT max(number) FROM entry), 0), coalesce((SELECT max(event_cursor) FROM destination), 0),
                    coalesce((SELECT value FROM note WHERE name = ?), 0), ?)
                """, [.text(OutboxStore.lastEntry), .integer(max(known?.last ?? 0, Int64(marks.map(\.entry).max() ?? 0)))]) ?? 0
        lastEntryNumber = min(last, SQLiteValue.largestNumber)
        tally.logged = known?.logged
    }

    /// How many entries the limits removed while a destination still waited for them, since this was opened: the slowest one lacks all of them.
    var limitDropCount: Int { limitDrops.values.max() ?? 0 }
    var maximumDeadLetterCount: Int64 { limits.maximumDeadLetterCount }

    /// Recounts the entries' bytes.
    func countBytes() throws(SQLiteError) {
        entryByteCount = try database.integer("SELECT sum(length(body)) FROM entry") ?? 0
    }

    // MARK: - What waits

    /// How many of the entries that waited are no longer there.
    static func missingCount(of known: OutboxTally, in database: SQLiteDatabase) throws(SQLiteError) -> Int {
        let there = try database.integer(
            "SELECT count(*) FROM entry WHERE number > ? AND number <= ?", [.integer(known.settled), .integer(known.last)])
        return max(0, Int(known.waiting - (there ?? 0)))
    }

    /// Recounts the waiting entries, after more than a batch was settled or removed.
    func countWaiting() throws(SQLiteError) {
        let earlier = tally.settled
        tally.last = lastEntryNumber
        tally.settled = try settledNumber()
        tally.waiting = Int64(try waitingCount())
        // A power cut must not bring back that somebody has what it lacks.
        tallyFile.write(tally, isDurable: tally.settled < earlier)
    }

    /// Makes the tally unknown, before waiting entries are removed on purpose, or wait again.
    func forgetWaiting() {
        tallyFile.write(OutboxTally(last: tally.last, logged: tally.logged, progress: tally.progress), isDurable: true)
    }

    /// Stores the number of the log up to which every event was accepted.
    func noteLogged(through number: UInt64) {
        tally.logged = min(Int64(clamping: number), SQLiteValue.largestNumber)
        tallyFile.write(tally)
    }

    /// How many entries at least one destination lacks.
    func waitingCount() throws(SQLiteError) -> Int {
        Int(try database.integer("SELECT count(*) FROM entry WHERE number > ?", [.integer(try settledNumber())]) ?? 0)
    }

    /// Counts the changes of an insertion or a settled batch.
    private func countProgress(addedCount: Int64 = 0) throws(SQLiteError) {
        let settled = try settledNumber()
        guard settled >= tally.settled else { return try countWaiting() }
        tally.last = lastEntryNumber
        tally.waiting += addedCount
        if settled > tally.settled {
            let done = try database.integer(
                "SELECT count(*) FROM entry WHERE number > ? AND number <= ?", [.integer(tally.settled), .integer(settled)])
            tally.waiting = max(0, tally.waiting - (done ?? 0))
            tally.settled = settled
        }
    }

    private func settledNumber() throws(SQLiteError) -> Int64 {
        let lowest = try database.integer("SELECT min(event_cursor) FROM destination WHERE \(OutboxStore.waitsForEvents)")
        let number = lowest ?? lastEntryNumber
        return min(max(0, number), SQLiteValue.largestNumber)
    }

    // MARK: - Entries

    /// Accepts entries; those with a known id are already there.
    ///
    /// They are on the disk when it returns.
    func insert(_ entries: [EncodedEntry], earliest: UTCTime?) throws(SQLiteError) {
        let known = (entryByteCount, lastEntryNumber, prunedTime, tally, limitDrops)
        let first = lastEntryNumber + 1
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in
                for entry in entries {
                    let changed = try database.run(
                        """
                        INSERT INTO entry(number, id, time, boot, boot_milliseconds, body, checksum) VALUES(?,?,?,?,?,?,?)
                        ON CONFLICT(id) DO NOTHING
                        """,
                        [
                            .integer(lastEntryNumber + 1), .text(entry.id), SQLiteValue(entry.moment.time?.millisecondsSince1970),
                            .bytes(entry.moment.bootIdentity), .integer(entry.moment.bootMilliseconds), .bytes(entry.body),
                            .integer(entry.numbered(lastEntryNumber + 1).checksum),
                        ])
                    if changed > 0 {
                        entryByteCount += Int64(entry.body.count)
                        lastEntryNumber += 1
                    }
                }
                try countProgress(addedCount: lastEntryNumber + 1 - first)
                try prune(earliest: earliest)
            }
        } catch {
            (entryByteCount, lastEntryNumber, prunedTime, tally, limitDrops) = known
            throw error
        }
        tallyFile.write(tally)
    }

    /// Inserts an entry and removes it again, in one commit.
    ///
    /// - Errors: why no entries are accepted now.
    func rehearse() throws(SQLiteError) {
        let number = SQLiteValue.integer(lastEntryNumber + 1)
        try database.transaction { () throws(SQLiteError) in
            try database.run(
                """
                INSERT INTO entry(number, id, time, boot, boot_milliseconds, body, checksum) VALUES(?, 'rehearsal', NULL, x'', 0, x'', 0)
                """, [number])
            try database.run("DELETE FROM entry WHERE number = ?", [number])
        }
    }

    /// The entries after a number, in order.
    func entries(after number: UInt64, limit: Int) throws(SQLiteError) -> [StoredEntry] {
        try entries("number > ? ORDER BY number LIMIT ?", [SQLiteValue(number), .integer(Int64(limit))])
    }

    /// The entries that satisfy a condition.
    ///
    /// - Errors: `corrupt` when one of them is not as it was written.
    func entries(_ condition: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [StoredEntry] {
        var damaged: UInt64?
        var entries: [StoredEntry] = []
        try database.each("SELECT \(StoredEntry.columns) FROM entry WHERE \(condition)", values) { row in
            let entry = StoredEntry(row)
            if entry.isAsWritten(row) { entries.append(entry) } else { damaged = entry.number }
            return damaged == nil
        }
        if let damaged { throw .damaged("entry \(damaged) is not as it was written", path: database.path) }
        return entries
    }

    /// Checks every entry.
    ///
    /// - Errors: `corrupt` when one of them is not as it was written.
    func checkEntries() throws(SQLiteError) {
        var last: UInt64 = 0
        while let entry = try entries(after: last, limit: 100).last { last = entry.number }
    }

    /// Drops entries that are too many, too old, or received by all destinations; inside a transaction.
    ///
    /// A tenth of the stored entries goes at a time: one by one, each new entry would also write the pages of an old one.
    private func prune(earliest: UTCTime?) throws(SQLiteError) {
        let waiting = tally.waiting
        let bound = min(try settledNumber(), lastEntryNumber - limits.keptEntryCount)
        let oldest = try database.integer("SELECT min(number) FROM entry") ?? lastEntryNumber
        if bound - oldest >= limits.keptEntryCount / 10 { try drop("number <= ?1", .integer(bound)) }
        if let earliest, !isPruned(until: earliest) {
            try drop("time < ?1", .integer(earliest.millisecondsSince1970))
            prunedTime = earliest
        }
        while entryByteCount > limits.maximumByteCount {
            guard let oldest = try database.integer("SELECT number FROM entry ORDER BY number LIMIT 1 OFFSET 15"),
                oldest < lastEntryNumber
            else { break }
            try drop("number <= ?1", .integer(oldest))
        }
        if tally.waiting != waiting { forgetWaiting() }
    }

    /// All entries are searched for old ones at most once a minute.
    private func isPruned(until earliest: UTCTime) -> Bool {
        guard let prunedTime else { return false }
        return earliest.millisecondsSince1970 - prunedTime.millisecondsSince1970 < 60_000
    }

    private func drop(_ condition: String, _ value: SQLiteValue) throws(SQLiteError) {
        guard let byteCount = try database.integer("SELECT sum(length(body)) FROM entry WHERE \(condition)", [value]) else { return }
        let missed = "(SELECT count(*) FROM entry WHERE \(condition) AND \(OutboxStore.lacksEntry))"
        for (name, count) in try database.rows("SELECT name, \(missed) FROM destination", [value], { ($0.text(0), $0.count(1)) }) {
            limitDrops[name, default: 0] += count
        }
        try database.run("UPDATE destination SET dropped = dropped + \(missed)", [value])
        let waiting = try database.integer(
            "SELECT count(*) FROM entry WHERE \(condition) AND number > ?2", [value, .integer(tally.settled)])
        tally.waiting = max(0, tally.waiting - (waiting ?? 0))
        try database.run("DELETE FROM entry WHERE \(condition)", [value])
        entryByteCount -= byteCount
        try keepLastEntryNumber()
    }

    /// Stores the number of the last entry when that entry is no longer there; inside the transaction that removed it.
    func keepLastEntryNumber() throws(SQLiteError) {
        if try database.integer("SELECT max(number) FROM entry") != lastEntryNumber { try setNote(OutboxStore.lastEntry, lastEntryNumber) }
    }

    private static let lastEntry = "last_entry"
    /// The destinations' progress was unknown: they begin with the oldest records.
    static let beginsAtOldest = "begins_at_oldest"
    /// All names of notes.
    static let noteNames: Set<SQLiteValue> = [
        .text(lastEntry), .text(beginsAtOldest), .text(Outbox.optOut), .text(Outbox.waypoints), .text(Outbox.bootTime),
        .text(Outbox.bootName), .text(OutboxSchema.series), .text(interrupted),
    ]

    deinit {
        guard isInUse else { return }
        // What stays in the log is found there at the next start.
        do throws(SQLiteError) { try endUse() } catch { return }
    }

    // MARK: - Destinations

    /// All destinations that were ever attached, by name.
    func destinations() throws(SQLiteError) -> [DestinationState] {
        let settled = try settledAhead()
        var stretches: [String: [PositionCursor.Stretch]] = [:]
        try database.each("SELECT destination, after, through FROM stretch ORDER BY after") { row in
            stretches[row.text(0), default: []].append(.init(after: row.number(1), through: row.number(2)))
            return true
        }
        return try database.rows(
            """
            SELECT name, event_cursor, position_cursor, live_sequence, history_sequence, is_paused, sent, dropped, late,
                (SELECT count(*) FROM entry WHERE number > event_cursor) - (SELECT count(*) FROM settled JOIN entry
                    ON number > max(after, event_cursor) AND number <= through WHERE destination = name AND lane = 'events'),
                (SELECT count(*) FROM dead_letter WHERE destination = name), takes_positions,
                (SELECT count(*) FROM dead_letter WHERE destination = name AND is_due = 1) FROM destination ORDER BY name
            """
        ) { row in
            let ahead = settled[row.text(0)] ?? [:]
            return DestinationState(
                name: row.text(0), eventCursor: row.number(1),
                positions: PositionCursor(live: row.number(2), gating: stretches[row.text(0)] ?? []), liveSequence: row.number(3),
                historySequence: row.number(4), isPaused: row.integer(5) != 0, sentCount: row.count(6), droppedCount: row.count(7),
                lateCount: row.count(8), waitingEventCount: row.count(9), deadLetterCount: row.count(10),
                dueDeadLetterCount: row.count(12),
                takesPositions: row.integer(11) != 0, settledEvents: ahead[.events] ?? SettledAhead(),
                settledPositions: ahead[.positions] ?? SettledAhead())
        }
    }

    /// Stores the fate of a lane's records; it is on the disk when it returns.
    func settle(
        _ settlement: Settlement, _ positions: PositionCursor?, _ ahead: SettledAhead?, for name: String, at time: UTCTime?
    ) throws(SQLiteError) {
        var comeCount = 0
        try database.transaction { () throws(SQLiteError) in
            for refused in settlement.refused { try bury(refused.record, reason: refused.reason, destination: name) }
            switch settlement.lane {
            case .events:
                comeCount = try takeBackDropped(settlement, for: name)
                try database.run(
                    "UPDATE destination SET event_cursor = max(event_cursor, ?), sent = sent + ? WHERE name = ?",
                    [SQLiteValue(settlement.through), .integer(Int64(settlement.sentCount)), .text(name)])
            case .live, .history:
                let counter = settlement.lane == .live ? "live_sequence" : "history_sequence"
                try database.run(
                    "UPDATE destination SET \(counter) = \(counter) + ?, sent = sent + ? WHERE name = ?",
                    [SQLiteValue(settlement.count), .integer(Int64(settlement.sentCount)), .text(name)])
                try countLost(settlement.missing, for: name)
                try takeBackGone(settlement, positions, for: name)
            }
            if settlement.lateCount > 0 {
                try database.run(
                    "UPDATE destination SET late = late + ? WHERE name = ?", [.integer(Int64(settlement.lateCount)), .text(name)])
            }
            if let positions { try keep(positions, for: name) }
            if let ahead { try keep(ahead, of: SettledKind(settlement.lane), for: name) }
            try keepReceipts(settlement, for: name, at: time)
        }
        if settlement.lane == .events {
            if let count = limitDrops[name] { limitDrops[name] = max(0, count - comeCount) }
            try countProgress()
            tallyFile.write(tally)
        }
    }

    /// Stores a destination's progress in the log.
    func keep(_ cursor: PositionCursor, for name: String) throws(SQLiteError) {
        try database.run("UPDATE destination SET position_cursor = ? WHERE name = ?", [SQLiteValue(cursor.live), .text(name)])
        try database.run("DELETE FROM stretch WHERE destination = ?", [.text(name)])
        for stretch in cursor.stretches {
            try database.run(
                "INSERT INTO stretch(destination, after, through) VALUES(?,?,?)",
                [.text(name), SQLiteValue(stretch.after), SQLiteValue(stretch.through)])
        }
    }

    /// Pauses destinations or lets them continue, all or none; returns the first that is not known.
    func setPaused(_ isPaused: Bool, _ names: [String]) throws(SQLiteError) -> String? {
        try database.transaction { () throws(SQLiteError) in
            let known = Set(try destinations().map(\.name))
            if let unknown = names.first(where: { !known.contains($0) }) { return unknown }
            for name in names {
                try database.run("UPDATE destination SET is_paused = ? WHERE name = ?", [isPaused ? 1 : 0, .text(name)])
            }
            return nil
        }
    }

    /// Settles everything up to here for a destination.
    ///
    /// Returns false when it is not known.
    func discard(_ name: String, newestPosition: UInt64) throws(SQLiteError) -> Bool {
        let isKnown = try database.transaction { () throws(SQLiteError) in
            let isClosed = try destinations().contains { $0.name == name && $0.isClosed }
            let changed = try database.run(
                """
                UPDATE destination SET event_cursor = ?1, event_start = ?1,
                    position_cursor = max(position_cursor, ?2), position_start = max(position_start, ?2) WHERE name = ?3
                """, [.integer(lastEntryNumber), SQLiteValue(newestPosition), .text(name)])
            try database.run("DELETE FROM stretch WHERE destination = ?", [.text(name)])
            try forgetSettledAhead(of: name)
            if isClosed { try closeEvents(of: name) }
            try database.run("UPDATE dead_letter SET is_due = 0 WHERE destination = ?", [.text(name)])
            return changed > 0
        }
        try countWaiting()
        return isKnown
    }

    // MARK: - Notes

    func note(_ name: String) throws(SQLiteError) -> Int64? {
        try database.integer("SELECT value FROM note WHERE name = ?", [.text(name)])
    }

    /// Whether sending is switched off; read from the database once, because it is needed at every entry.
    func isOptedOut() throws(SQLiteError) -> Bool {
        if let optedOut { return optedOut }
        let isOptedOut = try note(Outbox.optOut) != nil
        optedOut = isOptedOut
        return isOptedOut
    }

    func setNote(_ name: String, _ value: Int64?) throws(SQLiteError) {
        if name == Outbox.optOut { optedOut = nil }
        if let value {
            try database.run(
                "INSERT INTO note(name, value) VALUES(?,?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
                [.text(name), .integer(value)])
        } else {
            try database.run("DELETE FROM note WHERE name = ?", [.text(name)])
        }
    }
}
