import Waypost
import WaypostSystem

/// The tables of the outbox.
///
/// There is only one version of them; a file of another one is left as it is. Versions 1 to 8 were written before the first release.
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
    /// The version of these tables, in `user_version`; 0 means a new file.
    static let version = 9

    /// Impossible values are not written; they mark a file as damaged, and are not copied from it.
    ///
    /// A new entry writes two pages, and so does a receipt: one tree each, no index of times, which are rarely queried, and no table of last
    /// numbers. Receipts are stored in their order of arrival: a new one comes after all others, and a full page is followed by an empty one,
    /// whereas a tree by destination writes five to seven pages to split one.
    private static let tables = """
        CREATE TABLE entry(
            number INTEGER PRIMARY KEY CHECK(number BETWEEN 1 AND \(largest)), id TEXT NOT NULL UNIQUE, time INTEGER CHECK(\(isTime)),
            boot BLOB NOT NULL, boot_milliseconds INTEGER NOT NULL CHECK(boot_milliseconds BETWEEN 0 AND \(largest)), body BLOB NOT NULL,
            checksum INTEGER NOT NULL);
        CREATE TABLE destination(
            name TEXT PRIMARY KEY, event_cursor INTEGER NOT NULL, position_cursor INTEGER NOT NULL, live_sequence INTEGER NOT NULL DEFAULT 0,
            history_sequence INTEGER NOT NULL DEFAULT 0, is_paused INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0, event_start INTEGER NOT NULL DEFAULT 0, position_start INTEGER NOT NULL DEFAULT 0,
            late INTEGER NOT NULL DEFAULT 0, takes_positions INTEGER NOT NULL DEFAULT 1,
            CHECK(min(event_cursor, position_cursor, live_sequence, history_sequence, sent, dropped, event_start, position_start, late) >= 0),
            CHECK(max(event_cursor, position_cursor, live_sequence, history_sequence, sent, dropped, event_start, position_start, late)
                <= \(largest))) WITHOUT ROWID;
        CREATE TABLE stretch(
            destination TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL, PRIMARY KEY(destination, after),
            CHECK(0 <= after AND after < through AND through <= \(largest))) WITHOUT ROWID;
        CREATE TABLE dead_letter(
            number INTEGER PRIMARY KEY AUTOINCREMENT CHECK(number BETWEEN 1 AND \(largest)), destination TEXT NOT NULL, lane TEXT NOT NULL,
            sequence INTEGER NOT NULL CHECK(sequence BETWEEN 0 AND \(largest)), id TEXT NOT NULL, time INTEGER CHECK(\(isTime)),
            body BLOB NOT NULL, reason TEXT NOT NULL, is_due INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX dead_letter_id ON dead_letter(destination, id);
        CREATE TABLE receipt(
            destination TEXT NOT NULL, lane TEXT NOT NULL, through INTEGER NOT NULL, after INTEGER NOT NULL, time INTEGER CHECK(\(isTime)),
            answer TEXT NOT NULL, CHECK(0 <= after AND after < through AND through <= \(largest)));
        CREATE TABLE settled(
            destination TEXT NOT NULL, lane TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL,
            PRIMARY KEY(destination, lane, after), CHECK(0 <= after AND after < through AND through <= \(largest))) WITHOUT ROWID;
        CREATE TABLE note(name TEXT PRIMARY KEY, value INTEGER NOT NULL CHECK(value BETWEEN 0 AND \(largest))) WITHOUT ROWID;
        """

    private static var largest: Int64 { SQLiteValue.largestNumber }
    /// Years of four digits, as in ``UTCTime/hasFourDigitYear``.
    private static let isTime = "time BETWEEN -62135596800000 AND 253402300799999"

    /// The version of a file; 0 for a new one.
    ///
    /// - Errors: `corrupt` for a file that no version wrote.
    static func version(of database: SQLiteDatabase) throws(SQLiteError) -> Int {
        let version = Int(try database.integer("PRAGMA user_version") ?? 0)
        if version < 0 { throw .damaged("its version is \(version)", path: database.path) }
        return version
    }

    /// Creates the tables in a new file, all of them or none; does nothing in a file that has them.
    static func create(in database: SQLiteDatabase) throws(SQLiteError) {
        guard try version(of: database) == 0 else { return }
        try database.transaction { () throws(SQLiteError) in
            try database.execute(tables)
            try database.run("INSERT INTO note(name, value) VALUES(?, random() & \(largest - 1))", [.text(series)])
            try database.execute("PRAGMA user_version = \(version)")
            try database.execute("PRAGMA application_id = \(try checksum(of: database))")
        }
    }

    /// The note with a random number that a new file gets, and its copies keep: what tells them from the file of another tracker.
    static let series = "series"

    /// The number of a file's ``series``; nil when it has none.
    static func series(of database: SQLiteDatabase) throws(SQLiteError) -> Int64? {
        try database.integer("SELECT value FROM note WHERE name = ?", [.text(series)])
    }

    /// Checks whether the tables are the ones we created: their definitions are in the file, too, where SQLite believes whatever it finds.
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
}
