import CSQLite

/// A value that is bound to a parameter of a statement.
public enum SQLiteValue: Sendable, Hashable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// NULL.
    case null
    /// A whole number.
    case integer(Int64)
    /// Text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// NULL.
    public init(nilLiteral: ()) { self = .null }

    /// A whole number, or NULL.
    public init(_ value: Int64?) { self = value.map(SQLiteValue.integer) ?? .null }

    /// A number that only grows; it never gets as far as ``largestNumber``.
    public init(_ value: UInt64) { self = .integer(min(Int64(clamping: value), SQLiteValue.largestNumber)) }

    /// The largest of the numbers that only grow: one more, or the difference of two, still fits.
    public static let largestNumber: Int64 = 1 << 62
}

/// The current row of a query.
public struct SQLiteRow {
    let statement: OpaquePointer

    /// A column's whole number, 0 when it has none; columns are counted from 0.
    public func integer(_ column: Int32) -> Int64 { csqlite_column_int64(statement, column) }

    /// A column's number that only grows, or is a count, from 0 to ``SQLiteValue/largestNumber``; 0 when it has none.
    public func number(_ column: Int32) -> UInt64 { UInt64(min(max(integer(column), 0), SQLiteValue.largestNumber)) }

    /// A column's count; 0 when it has none.
    public func count(_ column: Int32) -> Int { Int(number(column)) }

    /// Whether a column has no value.
    public func isNull(_ column: Int32) -> Bool { csqlite_column_type(statement, column) == CSQLITE_NULL }

    /// A column's text, empty when it has none.
    public func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// A column's bytes, none when it has none.
    public func bytes(_ column: Int32) -> [UInt8] {
        guard let start = csqlite_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(csqlite_column_bytes(statement, column))))
    }

    /// A column's value, for copying it; numbers with a fraction are dropped.
    public func value(_ column: Int32) -> SQLiteValue {
        switch csqlite_column_type(statement, column) {
        case CSQLITE_INTEGER: .integer(integer(column))
        case CSQLITE_TEXT: .text(text(column))
        case CSQLITE_BLOB: .bytes(bytes(column))
        default: .null
        }
    }
}
