import Waypost
import WaypostSystem

/// The tables of the outbox, and how a file of an earlier version gets them.
///
/// ```
/// entry        what waits or was sent lately: events, track calls, health   number: its place in the lane of events, never used twice
/// destination  how far each destination is, by name; kept when its settings change or it is not configured any more; behind
///              its starts nothing was meant for it
/// stretch      positions after one number of the log and up to another that were left for later
/// dead_letter  records that a server will never take, with its words
/// receipt      what was sent when: ranges of entries and of positions of the log, in the order in which they came
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
        // A checksum in each entry, and one gate for numbers: what cannot be is not written, makes a file a damaged one, and is not taken from it.
        """
        CREATE TABLE checked_entry(
            number INTEGER PRIMARY KEY CHECK(number BETWEEN 1 AND \(largest)), id TEXT NOT NULL UNIQUE, time INTEGER CHECK(\(isTime)),
            boot BLOB NOT NULL, boot_milliseconds INTEGER NOT NULL CHECK(boot_milliseconds BETWEEN 0 AND \(largest)), body BLOB NOT NULL,
            checksum INTEGER NOT NULL);
        INSERT OR IGNORE INTO checked_entry SELECT number, id, time, boot, boot_milliseconds, body, 0 FROM entry;
        DROP TABLE entry;
        ALTER TABLE checked_entry RENAME TO entry;
        CREATE TABLE checked_destination(
            name TEXT PRIMARY KEY, event_cursor INTEGER NOT NULL, position_cursor INTEGER NOT NULL, live_sequence INTEGER NOT NULL DEFAULT 0,
            history_sequence INTEGER NOT NULL DEFAULT 0, is_paused INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0, event_start INTEGER NOT NULL DEFAULT 0, position_start INTEGER NOT NULL DEFAULT 0,
            late INTEGER NOT NULL DEFAULT 0, takes_positions INTEGER NOT NULL DEFAULT 1,
            CHECK(min(event_cursor, position_cursor, live_sequence, history_sequence, sent, dropped, event_start, position_start, late) >= 0),
            CHECK(max(event_cursor, position_cursor, live_sequence, history_sequence, sent, dropped, event_start, position_start, late)
                <= \(largest))) WITHOUT ROWID;
        INSERT OR IGNORE INTO checked_destination SELECT name, event_cursor, position_cursor, live_sequence, history_sequence, is_paused, sent,
            dropped, event_start, position_start, late, takes_positions FROM destination;
        DROP TABLE destination;
        ALTER TABLE checked_destination RENAME TO destination;
        CREATE TABLE checked_stretch(
            destination TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL, PRIMARY KEY(destination, after),
            CHECK(0 <= after AND after < through AND through <= \(largest))) WITHOUT ROWID;
        INSERT OR IGNORE INTO checked_stretch SELECT destination, after, through FROM stretch;
        DROP TABLE stretch;
        ALTER TABLE checked_stretch RENAME TO stretch;
        CREATE TABLE checked_dead_letter(
            number INTEGER PRIMARY KEY AUTOINCREMENT CHECK(number BETWEEN 1 AND \(largest)), destination TEXT NOT NULL, lane TEXT NOT NULL,
            sequence INTEGER NOT NULL CHECK(sequence BETWEEN 0 AND \(largest)), id TEXT NOT NULL, time INTEGER CHECK(\(isTime)),
            body BLOB NOT NULL, reason TEXT NOT NULL, is_due INTEGER NOT NULL DEFAULT 0);
        INSERT OR IGNORE INTO checked_dead_letter SELECT number, destination, lane, sequence, id, time, body, reason, is_due FROM dead_letter;
        DROP TABLE dead_letter;
        ALTER TABLE checked_dead_letter RENAME TO dead_letter;
        CREATE INDEX dead_letter_id ON dead_letter(destination, id);
        CREATE TABLE checked_receipt(
            destination TEXT NOT NULL, lane TEXT NOT NULL, through INTEGER NOT NULL, after INTEGER NOT NULL, time INTEGER CHECK(\(isTime)),
            answer TEXT NOT NULL, PRIMARY KEY(destination, lane, through), CHECK(0 <= after AND after < through AND through <= \(largest)))
            WITHOUT ROWID;
        INSERT OR IGNORE INTO checked_receipt SELECT destination, lane, through, after, time, answer FROM receipt;
        DROP TABLE receipt;
        ALTER TABLE checked_receipt RENAME TO receipt;
        CREATE TABLE checked_note(name TEXT PRIMARY KEY, value INTEGER NOT NULL CHECK(value BETWEEN 0 AND \(largest))) WITHOUT ROWID;
        INSERT OR IGNORE INTO checked_note SELECT name, value FROM note;
        DROP TABLE note;
        ALTER TABLE checked_note RENAME TO note;
        DROP TABLE settled;
        CREATE TABLE settled(
            destination TEXT NOT NULL, lane TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL,
            PRIMARY KEY(destination, lane, after), CHECK(0 <= after AND after < through AND through <= \(largest))) WITHOUT ROWID;
        """,
        // Receipts in the order in which they came: a new one is behind all others, and a full page is followed by an empty one, where a tree by
        // their destinations writes five to seven pages to split one.
        """
        CREATE TABLE row_receipt(
            destination TEXT NOT NULL, lane TEXT NOT NULL, through INTEGER NOT NULL, after INTEGER NOT NULL, time INTEGER CHECK(\(isTime)),
            answer TEXT NOT NULL, CHECK(0 <= after AND after < through AND through <= \(largest)));
        INSERT INTO row_receipt SELECT destination, lane, through, after, time, answer FROM receipt ORDER BY through;
        DROP TABLE receipt;
        ALTER TABLE row_receipt RENAME TO receipt;
        """,
    ]

    private static var largest: Int64 { SQLiteValue.largestNumber }
    /// Years of four digits, as in ``UTCTime/hasFourDigitYear``.
    private static let isTime = "time BETWEEN -62135596800000 AND 253402300799999"

    /// Which version a file has; 0 for a new one.
    ///
    /// - Errors: `corrupt` for one that no version wrote.
    static func version(of database: SQLiteDatabase) throws(SQLiteError) -> Int {
        let version = Int(try database.integer("PRAGMA user_version") ?? 0)
        if version < 0 { throw .damaged("its version is \(version)", path: database.path) }
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
            if found < checkedVersion, target >= checkedVersion { try addChecksums(database) }
            try database.execute("PRAGMA user_version = \(target)")
            try database.execute("PRAGMA application_id = \(try checksum(of: database))")
        }
    }

    /// Looks whether the tables are those that were made: their words are in the file, too, where SQLite believes whatever stands there.
    ///
    /// - Errors: `corrupt`.
    static func check(_ database: SQLiteDatabase) throws(SQLiteError) {
        guard try database.integer("PRAGMA application_id") != checksum(of: database) else { return }
        throw .damaged("its tables are not those that were made", path: database.path)
    }

    private static func checksum(of database: SQLiteDatabase) throws(SQLiteError) -> Int64 {
        let words = try database.rows("SELECT sql FROM sqlite_master ORDER BY name") { $0.bytes(0) }
        return Int64(Int32(bitPattern: CRC32C.checksum(Array(words.joined()).span.bytes)))
    }

    /// The first version with checksums.
    private static let checkedVersion = 6

    private static func addChecksums(_ database: SQLiteDatabase) throws(SQLiteError) {
        var last: Int64 = 0
        while true {
            let entries = try database.rows(
                "SELECT \(StoredEntry.columns) FROM entry WHERE number > ? ORDER BY number LIMIT 100", [.integer(last)], StoredEntry.init)
            for entry in entries {
                try database.run("UPDATE entry SET checksum = ? WHERE number = ?", [.integer(entry.checksum), SQLiteValue(entry.number)])
            }
            guard let end = entries.last else { return }
            last = Int64(end.number)
        }
    }
}
