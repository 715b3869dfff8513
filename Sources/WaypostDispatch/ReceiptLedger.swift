import Waypost

/// Which records of a batch an application has said it has, and which are to be published again.
///
/// A broker's acknowledgement is no receipt: a broker that is killed forgets what it acknowledged since its last save, and one whose queue for a
/// consumer is full acknowledges and drops. So the application that consumes the records says which it has, by their ids, in any order and as
/// often as it likes; only that counts.
///
/// A record without a receipt is published again
/// - when the broker has forgotten our session: then it has forgotten the record, too;
/// - when the application has said something since, and is silent now: it is there, and has not got it;
/// - else after a while, doubling up to an hour: an application that is away for a week finds a batch a few times, not a thousand times.
struct ReceiptLedger: Sendable {
    /// How long a record is given before it is published for the second time, milliseconds.
    let pauseMilliseconds: Int64
    /// An application that has said nothing for so long has said all that it has, milliseconds.
    let quietMilliseconds: Int64
    private var entries: [String: Entry] = [:]
    /// Those of the batch without a receipt.
    private var missing: Set<String> = []
    private var batch: Set<String> = []
    private var lastReceipt: Int64?

    private struct Entry {
        var isReceived = false
        var refusal: String?
        var publishedAt: Int64?
        var publishCount: Int64 = 0
    }

    /// The longest until a record is published again, milliseconds.
    private static let longestPause: Int64 = 3_600_000
    /// So many records are known, those of the batch and of batches that another lane's has overtaken.
    private static let maximumCount = 4_096

    init(pauseMilliseconds: Int64, quietMilliseconds: Int64) {
        self.pauseMilliseconds = max(1, pauseMilliseconds)
        self.quietMilliseconds = max(0, quietMilliseconds)
    }

    /// Begins with a batch; what is known of its records from an earlier attempt stays known.
    ///
    /// - Parameter hasForgotten: whether the broker has lost what it had of us.
    /// - Returns: the ids that are to be published, in the order given.
    mutating func begin(_ ids: [String], hasForgotten: Bool, now: Int64) -> [String] {
        if hasForgotten { for id in entries.keys { entries[id]?.publishedAt = nil } }
        batch = Set(ids)
        if entries.count + ids.count > ReceiptLedger.maximumCount { entries = entries.filter { batch.contains($0.key) } }
        for id in ids where entries[id] == nil { entries[id] = Entry() }
        missing = batch.filter { entries[$0]?.isReceived == false }
        return ids.filter { id in
            guard let entry = entries[id], !entry.isReceived else { return false }
            guard let publishedAt = entry.publishedAt else { return true }
            if let lastReceipt, lastReceipt > publishedAt, now - lastReceipt >= quietMilliseconds { return true }
            return now - publishedAt >= min(pauseMilliseconds << min(entry.publishCount - 1, 20), ReceiptLedger.longestPause)
        }
    }

    /// Notes that they are on their way.
    mutating func notePublished(_ ids: [String], now: Int64) {
        for id in ids {
            entries[id]?.publishedAt = now
            entries[id]?.publishCount += 1
        }
    }

    /// Notes that they may not have come to the broker.
    mutating func noteLost(_ ids: some Sequence<String>) {
        for id in ids { entries[id]?.publishedAt = nil }
    }

    /// Takes what an application has said: an id in each line, a JSON list of ids, or `{"received":["id"],"refused":["id"]}`.
    ///
    /// Ids that are not of this batch say nothing but that the application is there: it may repeat what it said.
    mutating func take(_ message: [UInt8], now: Int64) {
        lastReceipt = now
        guard let first = message.first(where: { $0 > 0x20 }) else { return }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            guard let value = try? JSONParser(maximumDepth: 16).parse(message) else { return }  // It is no receipt, then.
            for id in (value.array ?? value["received"]?.array ?? []).compactMap(\.string) { note(id) }
            for id in (value["refused"]?.array ?? []).compactMap(\.string) { note(id, refusal: "refused by the application") }
        } else {
            for line in message.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
                note(String(decoding: line, as: UTF8.self))
            }
        }
    }

    private mutating func note(_ id: String, refusal: String? = nil) {
        guard entries[id] != nil else { return }
        entries[id]?.isReceived = true
        if let refusal { entries[id]?.refusal = refusal }
        missing.remove(id)
    }

    /// How many records it knows anything of.
    var knownCount: Int { entries.count }

    /// How many of the batch are without a receipt.
    var missingCount: Int { missing.count }

    /// Whether all of the batch have one.
    var isComplete: Bool { missing.isEmpty }

    /// Ends the batch: those that the application will never take, and why.
    ///
    /// Its records are forgotten: a dead letter may come again.
    mutating func finish() -> [String: String] {
        defer {
            for id in batch { entries[id] = nil }
            batch = []
        }
        return entries.filter { batch.contains($0.key) }.compactMapValues(\.refusal)
    }
}
