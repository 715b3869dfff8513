/// Where a page of the ledger begins: first comes what is in the outbox alone, then the log.
public enum LedgerCursor: Sendable, Hashable {
    /// After that entry of the outbox; 0 for the first page.
    case outbox(UInt64)
    /// After that number of the log.
    case log(UInt64)

    /// The beginning of the first page.
    public static let first = LedgerCursor.outbox(0)

    /// As it stands in `next` of an answer and `page` of a request: `outbox:17`, `log:4711`.
    public var text: String {
        switch self {
        case .outbox(let number): "outbox:\(number)"
        case .log(let number): "log:\(number)"
        }
    }

    /// The cursor of that text; nil for anything else.
    ///
    /// - Parameter text: as it stands in `next` of an answer.
    public init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = RecordNumber.read(parts[1]) else { return nil }
        switch parts[0] {
        case "outbox": self = .outbox(number)
        case "log": self = .log(number)
        default: return nil
        }
    }
}

/// Numbers of records in cursors.
enum RecordNumber {
    /// The number that a text names: whole, and no larger than the log and the outbox can count; nil for anything else.
    static func read(_ text: Substring) -> UInt64? { UInt64(text).flatMap { $0 <= UInt64(Int64.max) ? $0 : nil } }
}
