import WaypostSystem

/// The tables of the outbox, and how a file of an earlier version gets them.
///
/// ```
/// entry        what waits or was sent lately: events, track calls, health   number: its place in the lane of events, never used twice
/// destination  how far each destination is, by name; kept when its settings change or it is not configured any more; behind
///              its starts nothing was meant for it
/// stretch      positions after one number of the log and up to another that were left for later
/// dead_letter  records that a server will never take, with its words
/// receipt      what was sent when: ranges of entries and of positions of the log
/// settled      what a destination has behind the first record that it has not: after one number and up to another; lane: events or
///              positions
/// note         numbers by name
/// ```
enum OutboxSchema {
    /// The version of this program's tables.
    static var version: Int { steps.count }

    /// What makes version n + 1 of version n; a step that was released never changes.
    static let steps = [
        """
        CREATE TABLE entry(
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, time INTEGER, boot BLOB NOT NULL,
            boot_milliseconds INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE INDEX entry_time ON entry(time);
        CREATE TABLE destination(
            name TEXT PRIMARY KEY, event_cursor INTEGER NOT NULL, position_cursor INTEGER NOT NULL,
            live_sequence INTEGER NOT NULL DEFAULT 0, history_sequence INTEGER NOT NULL DEFAULT 0,
            is_paused INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
        CREATE TABLE stretch(
            destination TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL, PRIMARY KEY(destination, after)) WITHOUT ROWID;
        CREATE TABLE dead_letter(
            number INTEGER PRIMARY KEY AUTOINCREMENT, destination TEXT NOT NULL, lane TEXT NOT NULL, sequence INTEGER NOT NULL,
            id TEXT NOT NULL, time INTEGER, body BLOB NOT NULL, reason TEXT NOT NULL, is_due INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE note(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        CREATE TABLE receipt(
            number INTEGER PRIMARY KEY AUTOINCREMENT, destination TEXT NOT NULL, lane TEXT NOT NULL, after INTEGER NOT NULL,
            through INTEGER NOT NULL, time INTEGER, answer TEXT NOT NULL);
        """,
        """
        ALTER TABLE destination ADD COLUMN event_start INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE destination ADD COLUMN position_start INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE destination ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX receipt_through ON receipt(destination, through);
        CREATE INDEX dead_letter_id ON dead_letter(destination, id);
        """,
        // Two pages a new entry and two a receipt instead of four: one tree each besides, no index of times, which are asked for seldom, and no
        // table of last numbers.
        """
        INSERT OR REPLACE INTO note(name, value) SELECT 'last_entry', seq FROM sqlite_sequence WHERE name = 'entry';
        CREATE TABLE lean_entry(
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time INTEGER, boot BLOB NOT NULL, boot_milliseconds INTEGER NOT NULL,
            body BLOB NOT NULL);
        INSERT INTO lean_entry SELECT number, id, time, boot, boot_milliseconds, body FROM entry;
        DROP TABLE entry;
        ALTER TABLE lean_entry RENAME TO entry;
        CREATE TABLE lean_receipt(
            destination TEXT NOT NULL, lane TEXT NOT NULL, through INTEGER NOT NULL, after INTEGER NOT NULL, time INTEGER, answer TEXT NOT NULL,
            PRIMARY KEY(destination, lane, through)) WITHOUT ROWID;
        INSERT OR REPLACE INTO lean_receipt SELECT destination, lane, through, after, time, answer FROM receipt ORDER BY number;
        DROP TABLE receipt;
        ALTER TABLE lean_receipt RENAME TO receipt;
        ALTER TABLE destination ADD COLUMN takes_positions INTEGER NOT NULL DEFAULT 1;
        """,
        """
        CREATE TABLE settled(
            destination TEXT NOT NULL, lane TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL,
            PRIMARY KEY(destination, lane, after)) WITHOUT ROWID;
        """,
    ]

    /// SQLite's own code for a damaged file (SQLITE_CORRUPT).
    private static let corruptCode: Int32 = 11

    /// Which version a file has; 0 for a new one.
    ///
    /// - Errors: `corrupt` for one that no version wrote.
    static func version(of database: SQLiteDatabase) throws(SQLiteError) -> Int {
        let version = Int(try database.integer("PRAGMA user_version") ?? 0)
        if version < 0 { throw SQLiteError(code: corruptCode, message: "its version is \(version)", path: database.path) }
        return version
    }

    /// Brings a file of this version or an earlier one to this version, whole or not at all.
    ///
    /// - Parameter target: the version to stop at, for tests of the steps behind it.
    static func upgrade(_ database: SQLiteDatabase, to target: Int = version) throws(SQLiteError) {
        let found = try version(of: database)
        guard found < target else { return }
        try database.transaction { () throws(SQLiteError) in
            for step in steps[found..<target] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(target)")
        }
    }
}
