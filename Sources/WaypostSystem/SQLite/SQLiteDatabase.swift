import CSQLite
import Glibc

/// A database file that survives kill -9 and power cuts: write-ahead log, every commit synced to disk (synchronous FULL).
///
/// ```swift
/// let database = try SQLiteDatabase(path: folder + "/outbox.sqlite")
/// try database.transaction { () throws(SQLiteError) in
///     try database.run("INSERT INTO entry(id) VALUES(?)", [.text(id)])
/// }
/// ```
/// - Concurrency: one owner, on a thread that may wait for a disk (``ThreadExecutor``), never on the cooperative pool.
/// - Cost: a commit waits once for the disk; statements are prepared once per text and kept.
public final class SQLiteDatabase {
    /// Where it is.
    public let path: String
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    private let identity: FileIdentity?
    /// The identity of the log, once there is one.
    private var logIdentity: FileIdentity?

    /// How many statements have changed something since it was opened; what is rolled back counts, too.
    public private(set) var changeCount = 0

    /// Whether another program held the file at the last attempt to write: until that changes, nothing waits for it.
    private var isHeld = false {
        didSet { if isHeld != oldValue { setPatience() } }
    }

    /// How long to wait for another program that holds the file, milliseconds: longer than a quick query takes, short enough for the caller.
    private static let patienceMilliseconds: Int32 = 1_000

    /// Opens a database and creates it when it is missing; only its user may read a new one.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - isReadOnly: nothing is created or changed; for inspecting a damaged file.
    /// - Errors: `corrupt` when the file is not a database, as far as its header shows that; `cannotOpen` also when SQLite is not installed.
    public init(path: String, isReadOnly: Bool = false) throws(SQLiteError) {
        self.path = path
        try SQLiteDatabase.checkFiles(path)
        if !isReadOnly { try SQLiteDatabase.makePrivateFile(path) }
        if let problem = csqlite_load() { throw SQLiteError(code: CSQLITE_CANTOPEN, message: String(cString: problem), path: path) }
        var opened: OpaquePointer?
        let access = isReadOnly ? CSQLITE_OPEN_READONLY : CSQLITE_OPEN_READWRITE
        let flags = access | CSQLITE_OPEN_NOMUTEX | CSQLITE_OPEN_NOFOLLOW
        let code = csqlite_open_v2(SQLiteDatabase.withoutLinks(path).cName, &opened, flags, nil)
        guard code == CSQLITE_OK, let opened else {
            let message = opened.map { String(cString: csqlite_errmsg($0)) } ?? "out of memory"
            csqlite_close_v2(opened)
            throw SQLiteError(code: code, message: message, path: path)
        }
        handle = opened
        identity = FileIdentity(of: path)
        csqlite_extended_result_codes(handle, 1)
        setPatience()
        if isReadOnly { return }
        // The default page cache of 2 MB is a tenth of what the tracker may use.
        try execute("PRAGMA cache_size = -256")
        // A transaction that needs more for a moment does not write its pages twice.
        try execute("PRAGMA cache_spill = -1024")
        // What is deleted is overwritten, and what a page has moved elsewhere: switched on later, it would not reach older remains. It is
        // Debian's default.
        try execute("PRAGMA secure_delete = ON")
        // For a new file: a commit of one small row writes a third of what it does with 4 096 (7.5 kB instead of 25).
        try execute("PRAGMA page_size = 1024")
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
        // A log that need not grow again after each checkpoint takes commits in three quarters to half the time: no file system writes
        // the length of a file whose length does not change. What a large transaction added is cut off.
        let pageByteCount = try integer("PRAGMA page_size") ?? 4_096
        try execute("PRAGMA wal_autocheckpoint = \(SQLiteDatabase.logByteCount / (pageByteCount + SQLiteDatabase.frameHeadByteCount))")
        try execute("PRAGMA journal_size_limit = \(SQLiteDatabase.logByteCount)")
    }

    /// How much may wait in the log until it is moved into the database file: the most that damage to the log can affect.
    private static let logByteCount: Int64 = 1_048_576
    /// The suffix of the log's name after that of the database.
    public static let logSuffix = "-wal"
    /// What follows the path of the database in the names of its files, nothing for its own.
    public static let suffixes = ["", logSuffix, "-shm"]
    /// Source: SQLite's file format, section 4.1.
    private static let frameHeadByteCount: Int64 = 24

    deinit {
        for statement in statements.values { csqlite_finalize(statement) }
        csqlite_close_v2(handle)
    }

    /// SQLite names neither what is in the way nor the file, and writes to a file that has a second name elsewhere.
    private static func checkFiles(_ path: String) throws(SQLiteError) {
        for suffix in suffixes where !Syscalls.isAbsentOrOwn(path + suffix) {
            let reason: String
            if suffix.isEmpty, Syscalls.isLink(path) {
                // Its log would be beside the file that the link leads to, and the log that is beside the link would be lost.
                reason = """
                    is a link, which is not followed here; put the file itself here, with its \(logSuffix) beside it; to use another disk, \
                    move or mount the whole state folder
                    """
            } else if let odd = Syscalls.oddFile(path + suffix) {
                reason = odd.reason
            } else {
                reason = "has a second name elsewhere; remove that one, or put a copy of the file here"
            }
            throw SQLiteError(code: CSQLITE_CANTOPEN, message: reason, path: path + suffix)
        }
    }

    /// The same path without links in its folders: SQLite is told to follow none, and means the whole path.
    private static func withoutLinks(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        return Syscalls.resolvingLinks(String(path[...slash])) + "/" + path[path.index(after: slash)...]
    }

    /// SQLite makes its files readable for everybody; the files beside this one get its permissions.
    private static func makePrivateFile(_ path: String) throws(SQLiteError) {
        guard !Syscalls.exists(path) else { return }
        do throws(SystemError) {
            Syscalls.close(try Syscalls.openOwnForWriting(path))
        } catch {
            throw SQLiteError(code: error.isDiskFull ? CSQLITE_FULL : CSQLITE_CANTOPEN, message: error.reason, path: path)
        }
    }

    // MARK: - Statements

    /// Runs statements without values or results, separated by semicolons.
    public func execute(_ script: String) throws(SQLiteError) {
        try check(csqlite_exec(handle, script, nil, nil, nil))
    }

    /// Runs one statement that writes; returns how many rows it changed.
    @discardableResult
    public func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int {
        try each(sql, values) { _ in true }
        isHeld = false
        let count = Int(csqlite_changes(handle))
        if count > 0 { changeCount += 1 }
        return count
    }

    /// Returns the results of a query, read row by row.
    public func rows<Result>(_ sql: String, _ values: [SQLiteValue] = [], _ read: (SQLiteRow) -> Result) throws(SQLiteError) -> [Result] {
        var results: [Result] = []
        try each(sql, values) { row in
            results.append(read(row))
            return true
        }
        return results
    }

    /// The first number of the first row; nil when there is no row or no value.
    public func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64? {
        var result: Int64?
        try each(sql, values) { row in
            result = row.isNull(0) ? nil : row.integer(0)
            return false
        }
        return result
    }

    /// Iterates over the rows of a query until the closure returns false.
    ///
    /// A damaged file may deliver rows before it fails.
    public func each(_ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) -> Bool) throws(SQLiteError) {
        let statement = try prepared(sql)
        defer {
            csqlite_reset(statement)
            csqlite_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, to: Int32(index + 1), of: statement) }
        while true {
            switch csqlite_step(statement) {
            case CSQLITE_ROW: if !body(SQLiteRow(statement: statement)) { return }
            case CSQLITE_DONE: return
            case let code: throw error(code)
            }
        }
    }

    /// Checks the whole file, and whether each index has what its table has: a query may read an index alone.
    ///
    /// - Errors: `corrupt`.
    /// - Cost: reads all of it, and looks up each row in each index.
    public func checkIntegrity() throws(SQLiteError) {
        let words = try rows("PRAGMA integrity_check(1)") { $0.text(0) }
        if words != ["ok"] { throw SQLiteError(code: CSQLITE_CORRUPT, message: words.joined(separator: "; "), path: path) }
    }

    /// Moves everything from the log into the database file, and empties the log.
    public func checkpoint() throws(SQLiteError) {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Moves everything from the log into the database file, and leaves the log as it is until the next commit.
    public func merge() throws(SQLiteError) {
        try execute("PRAGMA wal_checkpoint(FULL)")
    }

    /// Whether the open files still have their names.
    public enum Place: Sendable {
        /// They have.
        case known
        /// The log was removed or replaced; ``SQLiteDatabase/checkpoint()`` saves its content.
        case withoutLog
        /// The database itself was removed or replaced; what is written is lost when the process ends.
        case gone
        /// Something else is in the place of a file, or it has a second name; the error says what to do.
        case odd(SQLiteError)
    }

    /// Checks whether the files were removed or replaced.
    ///
    /// - Cost: five calls of stat.
    public func place() -> Place {
        do throws(SQLiteError) { try SQLiteDatabase.checkFiles(path) } catch { return .odd(error) }
        if FileIdentity(of: path) != identity { return .gone }
        let log = FileIdentity(of: path + SQLiteDatabase.logSuffix)
        defer { logIdentity = log ?? logIdentity }
        return logIdentity == nil || log == logIdentity ? .known : .withoutLog
    }

    /// Writes a complete copy to a new file.
    ///
    /// - Errors: a file of that name exists.
    public func copy(to path: String) throws(SQLiteError) {
        try run("VACUUM INTO ?", [.text(path)])
    }

    /// The number of the last inserted row.
    public var lastInsertedNumber: Int64 { csqlite_last_insert_rowid(handle) }

    /// Runs the body completely or not at all: an error leaves the database as it was.
    ///
    /// - Cost: one wait for the disk, however much was written.
    public func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            TaskPool.willWait()
            try run("COMMIT")
            return result
        } catch {
            // Some failures have rolled back already; then there is nothing to roll back.
            if csqlite_get_autocommit(handle) == 0 {
                try? execute("ROLLBACK")  // The first error is what the caller must know.
            }
            throw error
        }
    }

    /// Checks whether a program that held the file still does.
    ///
    /// - Errors: `busy`.
    public func checkHold() throws(SQLiteError) {
        guard isHeld else { return }
        try run("BEGIN IMMEDIATE")
        try execute("ROLLBACK")
    }

    // MARK: - Parts

    private func setPatience() { csqlite_busy_timeout(handle, isHeld ? 0 : SQLiteDatabase.patienceMilliseconds) }

    private func prepared(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(csqlite_prepare_v3(handle, sql, -1, UInt32(CSQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { preconditionFailure("a statement has words") }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: SQLiteValue, to index: Int32, of statement: OpaquePointer) throws(SQLiteError) {
        switch value {
        case .null: try check(csqlite_bind_null(statement, index))
        case .integer(let value): try check(csqlite_bind_int64(statement, index, value))
        case .text(let text): try check(csqlite_bind_text(statement, index, text, Int32(clamping: text.utf8.count)))
        case .bytes(let bytes):
            try check(bytes.withUnsafeBytes { csqlite_bind_bytes(statement, index, $0.baseAddress, Int32(clamping: $0.count)) })
        }
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        if code != CSQLITE_OK { throw error(code) }
    }

    private func error(_ code: Int32) -> SQLiteError {
        let error = SQLiteError(code: code, message: String(cString: csqlite_errmsg(handle)), path: path)
        if error.kind == .busy { isHeld = true }
        return error.kind == .readOnly && hasImpossibleVersion
            ? .damaged("its header has a version that SQLite does not have", path: path) : error
    }

    /// Whether the file states a version of its format that forbids writing, which no SQLite gives it: 1, or 2 with a write-ahead log.
    ///
    /// Source: SQLite's file format, section 1.3.3.
    private var hasImpossibleVersion: Bool {
        let byte = try? FileReader(path: path, as: .own).read(at: 18, upTo: 1).first  // The error of SQLite stands.
        return byte.map { $0 > 2 } ?? false
    }
}
