import Waypost
import WaypostSystem

/// What was done about a damaged outbox.
package struct OutboxRecovery: Sendable, Hashable {
    /// The new path of the damaged file, which is never removed automatically; nil when there is none.
    package var asidePath: String?
    /// The damage.
    package var reason: String
    /// Whether there was no file of that name: it was removed rather than damaged.
    package var wasRemoved = false
    /// How many entries could be read and are in the outbox again.
    package var entryCount = 0
    /// How many of them wait.
    package var waitingCount = 0
    /// How many waiting entries could not be read; nil when their number is unknown.
    package var lostCount: Int?
    /// Whether exactly ``lostCount`` entries are lost, rather than at most that many.
    package var isLostCountExact = true
    /// Whether the destinations' progress is unknown: those that are attached start with the oldest record of the log.
    package var beginsAtOldest = false
    /// Everything that waited has at most this number, among the entries of the outbox.
    var lastEntry: UInt64 = 0
    /// Everything that waited has at most this number, among the positions of the log.
    var newestPosition: UInt64 = 0
    /// How many dead letters.
    package var deadLetterCount = 0
    /// When it was found; nil when the time was not known.
    package var foundAt: UTCTime?
    /// How many destinations; unreadable ones begin with the oldest records, and get them again under the same ids.
    package var destinationCount = 0
}

/// Makes a new outbox from the readable content of a damaged one.
///
/// ```
/// outbox.sqlite             damaged, until the new one is whole
/// outbox.sqlite.rescued     the new one while it is made; then it gets the name
/// outbox.sqlite.replayed    what the whole frames of its log give, while the new one is made
/// outbox.sqlite.damaged-1   the damaged one, set aside; its log is outbox.sqlite.damaged-1-wal
/// ```
/// A crash at any moment leaves the damaged file or the new one, never neither.
struct OutboxSalvage {
    private let path: String
    private let log: SQLiteLog?
    private let known: OutboxTally?
    private let hadFile: Bool
    private var recovery: OutboxRecovery

    private var replayPath: String { path + ".replayed" }

    /// Finishes after a crash: the damaged file was set aside, but the new one was not yet renamed.
    static func finishRenaming(_ path: String) throws(SystemError) {
        guard !Syscalls.exists(path), Syscalls.exists(rescuePath(path)) else { return }
        try takeName(path)
    }

    /// Gives the new file the outbox's name.
    static func takeName(_ path: String) throws(SystemError) {
        // The rest of the removed file's log is in the new file, or set aside; SQLite would assign it to the new file.
        for suffix in SQLiteDatabase.suffixes.dropFirst() { try Syscalls.remove(path + suffix) }
        try rename(rescuePath(path), to: path)
    }

    /// The path where the new file is made.
    static func rescuePath(_ path: String) -> String { path + ".rescued" }

    /// Makes a new outbox from a damaged one, which must not be open anywhere, and sets the damaged one aside.
    ///
    /// - Parameters:
    ///   - log: its log, as it was before SQLite opened it.
    ///   - known: the counts from before the damage.
    ///   - hadFile: whether any file of it existed.
    ///   - wasRemoved: whether there was no file of that name.
    static func run(
        _ path: String, because reason: String, log: SQLiteLog?, known: OutboxTally?, hadFile: Bool = true, wasRemoved: Bool = false
    ) throws(OutboxError) -> OutboxRecovery {
        var salvage = OutboxSalvage(path: path, log: log, known: known, hadFile: hadFile, recovery: OutboxRecovery(reason: reason))
        salvage.recovery.wasRemoved = wasRemoved
        do {
            try salvage.rescue()
            try salvage.setAside()
            try finishRenaming(path)
            return salvage.recovery
        } catch {
            throw OutboxError(error, at: path)
        }
    }

    private mutating func rescue() throws {
        let rescuePath = OutboxSalvage.rescuePath(path)
        for suffix in SQLiteDatabase.suffixes {
            try Syscalls.remove(rescuePath + suffix)
            try Syscalls.remove(replayPath + suffix)
        }
        // The latest state in the log, followed by what SQLite itself reads, which ends at the first damage.
        var sources: [SQLiteDatabase] = []
        if let log, try log.replay(over: path, into: replayPath) {
            if let replayed = try? SQLiteDatabase(path: replayPath, isReadOnly: true) { sources.append(replayed) }  // See below.
        }
        // Nothing can be read from a file that is not a database; that is not an error here.
        if let old = try? SQLiteDatabase(path: path, isReadOnly: true) { sources.append(old) }  // See above.
        let new = try SQLiteDatabase(path: rescuePath)
        try OutboxSchema.create(in: new)
        try new.transaction { () throws(SQLiteError) in
            var isWhole = false
            for source in sources where !isWhole { isWhole = try copyEntries(from: source, to: new) }
            let hasDestinations = try copyDestinations(from: sources, to: new)
            try carve(into: new, hasEntries: isWhole, hasDestinations: hasDestinations)
            if let known { try OutboxStore.advance(new, to: known) }
            try new.run("DELETE FROM note WHERE name = ?", [.text(OutboxStore.use)])
        }
        let store = try OutboxStore(new, limits: OutboxLimits(), known: known)
        // Without destinations, none of the entries count as sent.
        recovery.waitingCount = recovery.destinationCount == 0 ? recovery.entryCount : try store.waitingCount()
        if let known {
            recovery.lostCount = try OutboxStore.missingCount(of: known, in: new)
            // The numbers of lost entries are not used again.
            try store.keepLastEntryNumber()
        }
        recovery.lastEntry = UInt64(store.lastEntryNumber)
        if let earlier = try store.keptLoss() { recovery.add(earlier) }
        recovery.asidePath = asideNumber.map { OutboxSalvage.asidePath(path, number: $0) }
        // With the file in which they are missing: what comes after this may be cut off.
        try store.keepLoss(recovery)
        try store.setNote(OutboxStore.interrupted, 1)
        try Syscalls.remove(replayPath)
    }

    /// From both ends, so that damage in the middle costs only the damaged part.
    private mutating func copyEntries(from old: SQLiteDatabase, to new: SQLiteDatabase) throws(SQLiteError) -> Bool {
        for order in ["", " DESC"] {
            let copy = try OutboxSalvage.copyRows(of: "entry", order: "number\(order)", from: old, to: new)
            recovery.entryCount += copy.count
            if copy.isWhole { return true }
        }
        return false
    }

    /// The rows that SQLite does not find, because it needs the header, the schema and the trees for that.
    private mutating func carve(into new: SQLiteDatabase, hasEntries: Bool, hasDestinations: Bool) throws(SQLiteError) {
        let isMissing = try known.map { (known) throws(SQLiteError) in try OutboxStore.missingCount(of: known, in: new) > 0 } ?? true
        guard !hasEntries || !hasDestinations || isMissing else { return }
        var carving = OutboxCarving(path: path, log: log, into: new)
        let hadDestinations = try new.integer("SELECT count(*) FROM destination") ?? 0 > 0
        if !hasDestinations { try carving.copyDestinations(upTo: known?.last) }
        // When the destinations' progress is unknown, entries that all of them had are not brought back.
        let isKnown = hadDestinations || carving.destinationCount > 0
        try carving.copyEntries(after: isKnown ? 0 : known?.settled ?? 0)
        if !isKnown { try new.run("INSERT OR REPLACE INTO note(name, value) VALUES(?, 1)", [.text(OutboxStore.beginsAtOldest)]) }
        recovery.entryCount += carving.entryCount
        recovery.deadLetterCount += carving.deadLetterCount
        recovery.destinationCount += carving.destinationCount
    }

    /// A destination's progress belongs together with the stretches it has left for later: both come from the first source that has all of it.
    private mutating func copyDestinations(from sources: [SQLiteDatabase], to new: SQLiteDatabase) throws(SQLiteError) -> Bool {
        var isWhole = false
        for source in sources where !isWhole {
            let letters = try OutboxSalvage.copyRows(of: "dead_letter", order: "number", from: source, to: new)
            recovery.deadLetterCount += letters.count
            let destinations = try OutboxSalvage.copyRows(of: "destination", order: "name", from: source, to: new)
            recovery.destinationCount += destinations.count
            // Entries without destinations come from an earlier state.
            isWhole = destinations.isWhole && (destinations.count > 0 || recovery.entryCount == 0)
            isWhole = try OutboxSalvage.copyRows(of: "stretch", order: "destination", from: source, to: new).isWhole && isWhole
            isWhole = try OutboxSalvage.copyRows(of: "note", order: "name", from: source, to: new).isWhole && isWhole
            // Records without a row here are sent again.
            try OutboxSalvage.copyRows(of: "settled", order: "destination", from: source, to: new)
            try OutboxSalvage.copyRows(of: "receipt", order: "rowid", from: source, to: new)
        }
        if !isWhole { try new.run("INSERT OR REPLACE INTO note(name, value) VALUES(?, 1)", [.text(OutboxStore.beginsAtOldest)]) }
        return isWhole
    }

    /// Copies the rows of a table that are intact and possible, until one cannot be read.
    @discardableResult
    private static func copyRows(
        of table: String, order: String, from old: SQLiteDatabase, to new: SQLiteDatabase
    ) throws(SQLiteError) -> (count: Int, isWhole: Bool) {
        var count = 0
        var isWhole = true
        var failure: SQLiteError?
        // Their numbers give their order of arrival.
        let hidden = order == "rowid" ? ["rowid"] : []
        let columns = try hidden + new.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { $0.text(0) }
        let names = columns.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ",")
        let insertion = "INSERT INTO \(table)(\(names)) VALUES(\(places)) ON CONFLICT DO NOTHING"
        do throws(SQLiteError) {
            try old.each("SELECT \(names) FROM \(table) ORDER BY \(order)") { row in
                if table == "entry", !StoredEntry(row).isAsWritten(row) {
                    isWhole = false
                    return true
                }
                do throws(SQLiteError) {
                    count += try new.run(insertion, (0..<Int32(columns.count)).map(row.value))
                    return true
                } catch {
                    isWhole = false
                    // An impossible row.
                    if error.kind == .constraint { return true }
                    failure = error
                    return false
                }
            }
        } catch {
            return (count, false)
        }
        if let failure { throw failure }
        return (count, isWhole)
    }

    // MARK: - Names

    /// The path of a damaged file that was set aside.
    static func asidePath(_ path: String, number: Int64) -> String { "\(path).damaged-\(number)" }

    /// The first number that no damaged file has; nil when there is none to set aside.
    private var asideNumber: Int64? {
        guard hadFile else { return nil }
        return (1...).first { number in
            !SQLiteDatabase.suffixes.contains { Syscalls.exists(OutboxSalvage.asidePath(path, number: number) + $0) }
        }
    }

    private func setAside() throws(SystemError) {
        guard let aside = recovery.asidePath else {
            // SQLite has just created it.
            for suffix in SQLiteDatabase.suffixes { try Syscalls.remove(path + suffix) }
            return
        }
        try OutboxSalvage.rename(path, to: aside)
        // In its original state: SQLite may have emptied or removed it.
        if let log { try AtomicFile.write(log.bytes, to: aside + SQLiteDatabase.logSuffix, mode: 0o600) }
    }

    private static func rename(_ old: String, to new: String) throws(SystemError) {
        // The file itself last, so that whenever it has its name its log is beside it.
        for suffix in SQLiteDatabase.suffixes.reversed() where Syscalls.exists(old + suffix) {
            try Syscalls.rename(old + suffix, to: new + suffix)
        }
        guard let slash = new.lastIndex(of: "/") else { return }
        try Syscalls.synchronizeFolder(String(new[..<slash]))
    }
}

/// The files beside an outbox that may have what was removed from it: damaged ones that were set aside, and unfinished copies.
package enum OutboxAside {
    private static let damagedMark = ".damaged-"
    private static let marks = [damagedMark, ".rescued", ".replayed", ".copied"]

    /// Removes them; they are off the disk when this returns.
    ///
    /// - Parameter path: the path of the outbox, which must not be in use.
    /// - Returns: the paths of the damaged outboxes that were removed.
    package static func remove(ofOutbox path: String) throws(OutboxError) -> [String] {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        var removed: [String] = []
        // Without the outbox, the rescued one is all that there is of it.
        let marks = Syscalls.exists(path) ? OutboxAside.marks : [OutboxAside.damagedMark]
        do throws(SystemError) {
            for other in try Syscalls.names(inFolder: folder).sorted() where marks.contains(where: { other.hasPrefix(name + $0) }) {
                guard try Syscalls.remove("\(folder)/\(other)") else { continue }
                let end = other.dropFirst(name.count)
                if end.hasPrefix(damagedMark), end.dropFirst(damagedMark.count).allSatisfy(\.isNumber) {
                    removed.append("\(folder)/\(other)")
                }
            }
            try Syscalls.synchronizeFolder(folder)
        } catch {
            throw .cannotAccess(path: path, reason: error.description)
        }
        return removed
    }
}

extension Outbox {
    /// Removes what was set aside of damaged files, and unfinished copies: they may have what was erased from the outbox.
    ///
    /// - Returns: the paths of the damaged outboxes that were removed.
    package func removeAside() throws(OutboxError) -> [String] { try OutboxAside.remove(ofOutbox: path) }
}
