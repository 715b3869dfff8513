/// How much the outbox stores.
///
/// Policy: entries that all destinations have go first, then the oldest, even if some still wait for them; a destination's losses are counted.
/// Positions are in the log and are kept by the log's rules.
public struct OutboxLimits: Sendable, Hashable {
    /// The most bytes of entries, as JSON: 64 MB, some 100 000 events.
    public var maximumByteCount: Int64 = 64_000_000
    /// Older entries are dropped, once the time of day is known; nil keeps them.
    public var maximumAge: Duration?
    /// How many entries that all destinations have are kept for the ledger.
    public var keptEntryCount: Int64 = 1_000
    /// How many receipts of each destination and lane are kept for the ledger, or a few more.
    public var keptReceiptCount: Int64 = 10_000
    /// How many dead letters are kept, the newest.
    public var maximumDeadLetterCount: Int64 = 10_000

    /// The limits of a small device.
    public init() {}
}
