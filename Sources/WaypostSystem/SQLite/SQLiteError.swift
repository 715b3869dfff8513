import CSQLite

/// A failed database operation.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What the failure means for the caller.
    public enum Kind: Sendable, Hashable {
        /// There is no room on the disk; nothing was changed.
        case full
        /// The file is not a database, or a damaged one.
        case corrupt
        /// Another process holds it; nothing was changed.
        case busy
        /// It may only be read.
        case readOnly
        /// There is no such file, or it may not be opened.
        case cannotOpen
        /// The disk failed.
        case inputOutput
        /// A rule of a table forbids it, or a value has an impossible type or size for its column.
        case constraint
        /// Anything else, mistakes in SQL included.
        case other
    }

    /// The extended result code of SQLite.
    public var code: Int32
    /// SQLite's message; it contains no bound values.
    public var message: String
    /// The file.
    public var path: String

    /// A failure with that result code.
    public init(code: Int32, message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// A failure that SQLite does not notice itself: rows with impossible values.
    public static func damaged(_ message: String, path: String) -> SQLiteError {
        SQLiteError(code: CSQLITE_CORRUPT, message: message, path: path)
    }

    /// What the failure means for the caller.
    ///
    /// - Source: https://www.sqlite.org/rescode.html; the low eight bits are the primary code.
    public var kind: Kind {
        switch code & 0xFF {
        // SQLITE_IOERR_SHORT_READ: a file that ends before its pages do was cut off.
        case CSQLITE_IOERR where code == CSQLITE_IOERR | 2 << 8: .corrupt
        case CSQLITE_FULL: .full
        case CSQLITE_CORRUPT, CSQLITE_NOTADB: .corrupt
        case CSQLITE_BUSY, CSQLITE_LOCKED: .busy
        case CSQLITE_READONLY, CSQLITE_PERM: .readOnly
        case CSQLITE_CANTOPEN: .cannotOpen
        case CSQLITE_IOERR: .inputOutput
        case CSQLITE_CONSTRAINT, CSQLITE_MISMATCH, CSQLITE_TOOBIG: .constraint
        default: .other
        }
    }

    /// Whether the same may succeed later without a change to the set-up.
    public var isTemporary: Bool { [.full, .busy, .inputOutput].contains(kind) }

    /// The reason without the file: `database or disk is full`.
    public var reason: String { message }

    /// One line: `/var/lib/waypost/outbox.sqlite: database or disk is full`.
    public var description: String { "\(path): \(message)" }
}
