import WaypostSystem

/// What was done about a damaged outbox.
public struct OutboxRecovery: Sendable, Hashable {
    /// Where the damaged file is now; nobody removes it.
    public var asidePath: String
    /// What was wrong with it, in SQLite's words.
    public var reason: String
    /// How many entries could be read and are in the outbox again.
    public var entryCount: Int
    /// How many dead letters.
    public var deadLetterCount: Int
    /// How many destinations; those that could not be read begin with the oldest there is, and send again under the same ids.
    public var destinationCount: Int
}

/// Makes a new outbox of what can be read of a damaged one.
///
/// ```
/// outbox.sqlite             damaged, until the new one is whole
/// outbox.sqlite.rescued     the new one while it is made; then it gets the name
/// outbox.sqlite.damaged-1   the damaged one, set aside
/// ```
/// A crash at any moment leaves the damaged file or the new one, never none.
enum OutboxSalvage {
    /// The files that belong to a database.
    private static let suffixes = ["", "-wal", "-shm"]

    /// Ends what a crash left: the damaged file was set aside and the new one had not got its name.
    static func finishRenaming(_ path: String) throws(SystemError) {
        if !Syscalls.exists(path), Syscalls.exists(rescuePath(path)) { try rename(rescuePath(path), to: path) }
    }

    /// Makes a new outbox of a damaged one, which nobody has open, and sets that aside.
    static func run(_ path: String, because error: SQLiteError) throws(OutboxError) -> OutboxRecovery {
        do {
            var recovery = try rescue(path, because: error)
            recovery.asidePath = freePath(beside: path)
            try rename(path, to: recovery.asidePath)
            try finishRenaming(path)
            return recovery
        } catch let error as SQLiteError {
            throw OutboxError(error)
        } catch let error as SystemError {
            throw error.isDiskFull ? .full(path: path) : .cannotAccess(path: path, reason: error.reason)
        } catch {
            preconditionFailure("no other errors are thrown")
        }
    }

    private static func rescue(_ path: String, because error: SQLiteError) throws -> OutboxRecovery {
        for suffix in suffixes { try Syscalls.remove(rescuePath(path) + suffix) }
        var recovery = OutboxRecovery(asidePath: path, reason: error.reason, entryCount: 0, deadLetterCount: 0, destinationCount: 0)
        let new = try SQLiteDatabase(path: rescuePath(path))
        try OutboxSchema.upgrade(new)
        // Nothing can be read of what is no database at all; that is no error here.
        let old = try? SQLiteDatabase(path: path, isReadOnly: true)  // See above.
        try new.transaction { () throws(SQLiteError) in
            // From both ends: damage in the middle costs no more than what is damaged.
            var isWhole = true
            for order in ["", " DESC"] {
                let copy = try copyRows(of: "entry", order: "number\(order)", from: old, to: new)
                recovery.entryCount += copy.count
                if copy.isWhole { break }
            }
            recovery.deadLetterCount = try copyRows(of: "dead_letter", order: "number", from: old, to: new).count
            let destinations = try copyRows(of: "destination", order: "name", from: old, to: new)
            recovery.destinationCount = destinations.count
            isWhole = destinations.isWhole
            isWhole = try copyRows(of: "stretch", order: "destination", from: old, to: new).isWhole && isWhole
            isWhole = try copyRows(of: "note", order: "name", from: old, to: new).isWhole && isWhole
            // What is not in them is sent again.
            try copyRows(of: "settled", order: "destination", from: old, to: new)
            try copyRows(of: "receipt", order: "through", from: old, to: new)
            if !isWhole { try new.run("INSERT OR REPLACE INTO note(name, value) VALUES(?, 1)", [.text(OutboxStore.beginsAtOldest)]) }
        }
        return recovery
    }

    /// Copies the rows of a table until one cannot be read.
    @discardableResult
    private static func copyRows(
        of table: String, order: String, from old: SQLiteDatabase?, to new: SQLiteDatabase
    ) throws(SQLiteError) -> (count: Int, isWhole: Bool) {
        guard let old else { return (0, false) }
        var count = 0
        var failure: SQLiteError?
        let columns = "SELECT name FROM pragma_table_info(?)"
        let wanted = try new.rows(columns, [.text(table)]) { $0.text(0) }
        do throws(SQLiteError) {
            // A file of an earlier version lacks some columns, or has others.
            let known = try old.rows(columns, [.text(table)]) { $0.text(0) }.filter(wanted.contains)
            guard !known.isEmpty else { return (0, false) }
            let names = known.joined(separator: ",")
            let places = known.map { _ in "?" }.joined(separator: ",")
            try old.each("SELECT \(names) FROM \(table) ORDER BY \(order)") { row in
                do throws(SQLiteError) {
                    count += try new.run(
                        "INSERT OR IGNORE INTO \(table)(\(names)) VALUES(\(places))", (0..<Int32(known.count)).map(row.value))
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            return (count, false)
        }
        if let failure { throw failure }
        return (count, true)
    }

    // MARK: - Names

    private static func rescuePath(_ path: String) -> String { path + ".rescued" }

    private static func freePath(beside path: String) -> String {
        var number = 1
        while Syscalls.exists("\(path).damaged-\(number)") { number += 1 }
        return "\(path).damaged-\(number)"
    }

    private static func rename(_ old: String, to new: String) throws(SystemError) {
        // The file itself last: what is under its name then has its log beside it.
        for suffix in suffixes.reversed() where Syscalls.exists(old + suffix) { try Syscalls.rename(old + suffix, to: new + suffix) }
        guard let slash = new.lastIndex(of: "/") else { return }
        try Syscalls.synchronizeFolder(String(new[..<slash]))
    }
}
