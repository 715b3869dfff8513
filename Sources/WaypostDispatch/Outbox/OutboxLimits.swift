/// How much the outbox keeps.
///
/// Policy: what all destinations have goes first, then the oldest, whoever still waits for it; what a destination never got is counted for it.
/// Positions are in the log and are kept by the log's rules.
public struct OutboxLimits: Sendable, Hashable {
    /// The most that entries may have, bytes of their JSON: 64 MB, some 100 000 events.
    public var maximumByteCount: Int64 = 64_000_000
    /// Entries that are older are dropped, once it is known what time it is; nil keeps them.
    public var maximumAge: Duration?
    /// So many entries that all destinations have are kept for the ledger.
    public var keptEntryCount: Int64 = 1_000
    /// So many receipts of each destination and lane are kept for the ledger, or a few more.
    public var keptReceiptCount: Int64 = 10_000
    /// So many dead letters are kept, the newest.
    public var maximumDeadLetterCount: Int64 = 10_000

    /// The limits of a small device.
    public init() {}
}
