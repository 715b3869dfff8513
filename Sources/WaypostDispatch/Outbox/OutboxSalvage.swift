import WaypostSystem

/// What was done about a damaged outbox.
public struct OutboxRecovery: Sendable, Hashable {
    /// Where the damaged file is now, which nobody removes; nil when there is none.
    public var asidePath: String?
    /// What was wrong with it.
    public var reason: String
    /// Whether there was no file of that name: it was removed, and is not damaged.
    public var wasRemoved = false
    /// How many entries could be read and are in the outbox again.
    public var entryCount = 0
    /// How many of them wait.
    public var waitingCount = 0
    /// How many entries that waited could not be read; nil when nobody knows how many there were.
    public var lostCount: Int?
    /// Whether ``lostCount`` are lost, and not at most so many.
    public var isLostCountExact = true
    /// Everything that waited is up to here, entries of the outbox.
    var lastEntry: UInt64 = 0
    /// And up to here, positions of the log.
    var newestPosition: UInt64 = 0
    /// How many dead letters.
    public var deadLetterCount = 0
    /// How many destinations; those that could not be read begin with the oldest there is, and send again under the same ids.
    public var destinationCount = 0
}

/// Makes a new outbox of what can be read of a damaged one.
///
/// ```
/// outbox.sqlite             damaged, until the new one is whole
/// outbox.sqlite.rescued     the new one while it is made; then it gets the name
/// outbox.sqlite.replayed    what the whole frames of its log give, while the new one is made
/// outbox.sqlite.damaged-1   the damaged one, set aside; its log is outbox.sqlite.damaged-1-wal
/// ```
/// A crash at any moment leaves the damaged file or the new one, never none.
struct OutboxSalvage {
    private let path: String
    private let log: SQLiteLog?
    private let known: OutboxTally?
    private let hadFile: Bool
    private var recovery: OutboxRecovery

    private var replayPath: String { path + ".replayed" }

    /// The files that belong to a database.
    static let suffixes = ["", SQLiteDatabase.logSuffix, "-shm"]

    /// Ends what a crash left: the damaged file was set aside and the new one had not got its name.
    static func finishRenaming(_ path: String) throws(SystemError) {
        guard !Syscalls.exists(path), Syscalls.exists(rescuePath(path)) else { return }
        // What is there of the log of a file that was removed is in the new one, or set aside; SQLite would take it for the new one's.
        for suffix in suffixes.dropFirst() { try Syscalls.remove(path + suffix) }
        try rename(rescuePath(path), to: path)
    }

    /// Where a new one is made.
    static func rescuePath(_ path: String) -> String { path + ".rescued" }

    /// Makes a new outbox of a damaged one, which nobody has open, and sets that aside.
    ///
    /// - Parameters:
    ///   - log: its log, as it was before SQLite looked at it.
    ///   - known: what was counted when it was well.
    ///   - hadFile: whether there was any file of it.
    static func run(
        _ path: String, because reason: String, log: SQLiteLog?, known: OutboxTally?, hadFile: Bool = true
    ) throws(OutboxError) -> OutboxRecovery {
        var salvage = OutboxSalvage(path: path, log: log, known: known, hadFile: hadFile, recovery: OutboxRecovery(reason: reason))
        do {
            try salvage.rescue()
            try salvage.setAside()
            try finishRenaming(path)
            return salvage.recovery
        } catch let error as SQLiteError {
            throw OutboxError(error)
        } catch let error as SystemError {
            throw error.isDiskFull ? .full(path: path) : .cannotAccess(path: path, reason: error.reason)
        } catch {
            preconditionFailure("no other errors are thrown")
        }
    }

    private mutating func rescue() throws {
        let rescuePath = OutboxSalvage.rescuePath(path)
        for suffix in OutboxSalvage.suffixes {
            try Syscalls.remove(rescuePath + suffix)
            try Syscalls.remove(replayPath + suffix)
        }
        // What the log says last, and behind it what SQLite itself reads, which ends at the first damage.
        var sources: [SQLiteDatabase] = []
        if let log, try log.replay(over: path, into: replayPath) {
            if let replayed = try? SQLiteDatabase(path: replayPath, isReadOnly: true) { sources.append(replayed) }  // See below.
        }
        // Nothing can be read of what is no database at all; that is no error here.
        if let old = try? SQLiteDatabase(path: path, isReadOnly: true) { sources.append(old) }  // See above.
        let new = try SQLiteDatabase(path: rescuePath)
        try OutboxSchema.create(in: new)
        try new.transaction { () throws(SQLiteError) in
            var isWhole = false
            for source in sources where !isWhole { isWhole = try copyEntries(from: source, to: new) }
            let hasDestinations = try copyDestinations(from: sources, to: new)
            try carve(into: new, hasEntries: isWhole, hasDestinations: hasDestinations)
        }
        let store = try OutboxStore(new, limits: OutboxLimits(), known: known)
        // Without destinations nobody has any of them.
        recovery.waitingCount = recovery.destinationCount == 0 ? recovery.entryCount : try store.waitingCount()
        if let known {
            recovery.lostCount = try OutboxStore.missingCount(of: known, in: new)
            // The numbers of what is lost are not given again.
            try store.keepLastEntryNumber()
        }
        try Syscalls.remove(replayPath)
    }

    /// From both ends: damage in the middle costs no more than what is damaged.
    private mutating func copyEntries(from old: SQLiteDatabase, to new: SQLiteDatabase) throws(SQLiteError) -> Bool {
        for order in ["", " DESC"] {
            let copy = try OutboxSalvage.copyRows(of: "entry", order: "number\(order)", from: old, to: new)
            recovery.entryCount += copy.count
            if copy.isWhole { return true }
        }
        return false
    }

    /// What SQLite does not find, as it needs the head, the schema and the trees for it.
    private mutating func carve(into new: SQLiteDatabase, hasEntries: Bool, hasDestinations: Bool) throws(SQLiteError) {
        let isMissing = try known.map { (known) throws(SQLiteError) in try OutboxStore.missingCount(of: known, in: new) > 0 } ?? true
        guard !hasEntries || !hasDestinations || isMissing else { return }
        var carving = OutboxCarving(path: path, log: log, into: new)
        let hadDestinations = try new.integer("SELECT count(*) FROM destination") ?? 0 > 0
        if !hasDestinations { try carving.copyDestinations(upTo: known?.last) }
        // Where nobody knows how far the destinations are, what all of them had stays where it is.
        let isKnown = hadDestinations || carving.destinationCount > 0
        try carving.copyEntries(after: isKnown ? 0 : known?.settled ?? 0)
        if !isKnown { try new.run("INSERT OR REPLACE INTO note(name, value) VALUES(?, 1)", [.text(OutboxStore.beginsAtOldest)]) }
        recovery.entryCount += carving.entryCount
        recovery.deadLetterCount += carving.deadLetterCount
        recovery.destinationCount += carving.destinationCount
    }

    /// How far destinations are goes with what each has left for later: both from the first source that has all of it.
    private mutating func copyDestinations(from sources: [SQLiteDatabase], to new: SQLiteDatabase) throws(SQLiteError) -> Bool {
        var isWhole = false
        for source in sources where !isWhole {
            let letters = try OutboxSalvage.copyRows(of: "dead_letter", order: "number", from: source, to: new)
            recovery.deadLetterCount += letters.count
            let destinations = try OutboxSalvage.copyRows(of: "destination", order: "name", from: source, to: new)
            recovery.destinationCount += destinations.count
            // Entries without anybody who gets them are from a time before.
            isWhole = destinations.isWhole && (destinations.count > 0 || recovery.entryCount == 0)
            isWhole = try OutboxSalvage.copyRows(of: "stretch", order: "destination", from: source, to: new).isWhole && isWhole
            isWhole = try OutboxSalvage.copyRows(of: "note", order: "name", from: source, to: new).isWhole && isWhole
            // What is not in them is sent again.
            try OutboxSalvage.copyRows(of: "settled", order: "destination", from: source, to: new)
            try OutboxSalvage.copyRows(of: "receipt", order: "rowid", from: source, to: new)
        }
        if !isWhole { try new.run("INSERT OR REPLACE INTO note(name, value) VALUES(?, 1)", [.text(OutboxStore.beginsAtOldest)]) }
        return isWhole
    }

    /// Copies the rows of a table that are as they were written and can be, until one cannot be read.
    @discardableResult
    private static func copyRows(
        of table: String, order: String, from old: SQLiteDatabase, to new: SQLiteDatabase
    ) throws(SQLiteError) -> (count: Int, isWhole: Bool) {
        var count = 0
        var isWhole = true
        var failure: SQLiteError?
        // Their numbers are the order in which they came.
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
                    // A row that cannot be.
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

    private mutating func setAside() throws(SystemError) {
        guard hadFile else {
            // SQLite has just made it.
            for suffix in OutboxSalvage.suffixes { try Syscalls.remove(path + suffix) }
            return
        }
        var number = 1
        while OutboxSalvage.suffixes.contains(where: { Syscalls.exists("\(path).damaged-\(number)\($0)") }) { number += 1 }
        let aside = "\(path).damaged-\(number)"
        recovery.asidePath = aside
        try OutboxSalvage.rename(path, to: aside)
        // As it was: SQLite may have emptied or removed it.
        if let log { try AtomicFile.write(log.bytes, to: aside + SQLiteDatabase.logSuffix, mode: 0o600) }
    }

    private static func rename(_ old: String, to new: String) throws(SystemError) {
        // The file itself last: what is under its name then has its log beside it.
        for suffix in suffixes.reversed() where Syscalls.exists(old + suffix) { try Syscalls.rename(old + suffix, to: new + suffix) }
        guard let slash = new.lastIndex(of: "/") else { return }
        try Syscalls.synchronizeFolder(String(new[..<slash]))
    }
}
