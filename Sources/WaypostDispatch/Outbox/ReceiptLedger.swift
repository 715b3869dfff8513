import Waypost

/// Which records of a batch an application has said it has, and which are to be published again.
///
/// A broker's acknowledgement is no receipt: a broker that is killed forgets what it acknowledged since its last save, and one whose queue for a
/// consumer is full acknowledges and drops. So the application that consumes the records says which it has, by their ids, in any order and as
/// often as it likes; only that counts. What it says of records that nobody has asked for yet is kept: after a start the broker gives us what
/// was said while we were away before anything else.
///
/// A record without a receipt is published again
/// - when somebody wants it sent now;
/// - when the broker has forgotten our session: then it has forgotten the record, too;
/// - when the application has said something since, and is silent now: it is there, and has not got it;
/// - else after a while, doubling up to an hour: an application that is away for a week finds a batch a few times, not a thousand times.
package struct ReceiptLedger: Sendable {
    /// How long a record is given before it is published for the second time, milliseconds.
    let pauseMilliseconds: Int64
    /// An application that has said nothing for so long has said all that it has, milliseconds.
    let quietMilliseconds: Int64
    private var entries: [String: Entry] = [:]
    /// Those of the batch without a receipt.
    private var missing: Set<String> = []
    private var batch: Set<String> = []
    private var lastReceipt: Int64?
    /// When the first and the last receipt of the batch came that were not told yet.
    private var untold: ClosedRange<Int64>?
    private var isHurried = false
    /// What was said of records that are not known.
    private var early: Set<String> = []

    private struct Entry {
        var isReceived = false
        var refusal: String?
        var publishedAt: Int64?
        var publishCount: Int64 = 0
    }

    /// The longest until a record is published again, milliseconds.
    private static let longestPause: Int64 = 3_600_000
    /// So many records are known, those of the batch and of batches that another lane's has overtaken; and so many that are not asked for yet.
    private static let maximumCount = 4_096
    /// The longest id that is kept of those, bytes; ours are shorter.
    private static let longestEarlyID = 256
    /// What was published before that long is published again when somebody wants it, milliseconds: what is on its way is not.
    private static let longestHurry: Int64 = 5_000
    /// Receipts are told when no other has come for so long, or so long after the first, milliseconds: each time costs a commit.
    private static let (pauseBeforeTelling, longestUntold) = (500, 2_000) as (Int64, Int64)

    package init(pauseMilliseconds: Int64, quietMilliseconds: Int64) {
        self.pauseMilliseconds = max(1, pauseMilliseconds)
        self.quietMilliseconds = max(0, quietMilliseconds)
    }

    /// Begins with a batch; what is known of its records from an earlier attempt stays known.
    ///
    /// - Parameter hasForgotten: whether the broker has lost what it had of us.
    /// - Returns: the ids that are to be published, in the order given.
    package mutating func begin(_ ids: [String], hasForgotten: Bool, now: Int64) -> [String] {
        if hasForgotten { for id in entries.keys { entries[id]?.publishedAt = nil } }
        batch = Set(ids)
        if entries.count + ids.count > ReceiptLedger.maximumCount { entries = entries.filter { batch.contains($0.key) } }
        for id in ids where entries[id] == nil { entries[id] = Entry() }
        for id in early.intersection(batch) { entries[id]?.isReceived = true }
        early.subtract(batch)
        isHurried = false
        untold = batch.contains { entries[$0]?.isReceived == true } ? now...now : nil
        missing = batch.filter { entries[$0]?.isReceived == false }
        return ids.filter { id in
            guard let entry = entries[id], !entry.isReceived else { return false }
            guard let publishedAt = entry.publishedAt else { return true }
            if let lastReceipt, lastReceipt > publishedAt, now - lastReceipt >= quietMilliseconds { return true }
            return now - publishedAt >= min(pauseMilliseconds << min(entry.publishCount - 1, 20), ReceiptLedger.longestPause)
        }
    }

    /// Notes that they are on their way.
    package mutating func notePublished(_ ids: [String], now: Int64) {
        for id in ids {
            entries[id]?.publishedAt = now
            entries[id]?.publishCount += 1
        }
    }

    /// Notes that they may not have come to the broker.
    mutating func noteLost(_ ids: some Sequence<String>) {
        for id in ids { entries[id]?.publishedAt = nil }
    }

    /// Takes that somebody wants everything sent now.
    mutating func hurry(now: Int64) {
        isHurried = true
        for (id, entry) in entries where !entry.isReceived {
            if let publishedAt = entry.publishedAt, now - publishedAt >= min(quietMilliseconds, ReceiptLedger.longestHurry) {
                entries[id]?.publishedAt = nil
            }
        }
    }

    /// Takes what an application has said: an id in each line, a JSON list of ids, or `{"received":["id"],"refused":["id"]}`.
    ///
    /// It may repeat what it said.
    package mutating func process(_ message: [UInt8], now: Int64) {
        lastReceipt = now
        let missingCount = missing.count
        defer { if missing.count < missingCount { untold = (untold?.lowerBound ?? now)...max(now, untold?.lowerBound ?? now) } }
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
        guard entries[id] != nil else {
            guard refusal == nil, id.utf8.count <= ReceiptLedger.longestEarlyID else { return }
            if early.count >= ReceiptLedger.maximumCount { early = [] }
            early.insert(id)
            return
        }
        entries[id]?.isReceived = true
        if let refusal { entries[id]?.refusal = refusal }
        missing.remove(id)
    }

    /// How many records it knows anything of.
    package var knownCount: Int { entries.count + early.count }

    /// How many of the batch are without a receipt.
    var missingCount: Int { missing.count }

    /// Whether all of the batch have one.
    var isComplete: Bool { missing.isEmpty }

    /// Whether the batch should end though some have none: there is something to tell, or somebody wants it sent again.
    func shouldEnd(now: Int64) -> Bool {
        if isHurried { return true }
        guard let untold else { return false }
        return now - untold.upperBound >= ReceiptLedger.pauseBeforeTelling || now - untold.lowerBound >= ReceiptLedger.longestUntold
    }

    /// Ends the batch: those that the application has, and those that it will never take, and why.
    ///
    /// They are forgotten: a dead letter may come again. The others stay known.
    package mutating func finish() -> (received: Set<String>, refused: [String: String]) {
        let settled = batch.filter { entries[$0]?.isReceived == true }
        let refused = entries.filter { settled.contains($0.key) }.compactMapValues(\.refusal)
        for id in settled { entries[id] = nil }
        (batch, missing, untold) = ([], [], nil)
        return (settled.subtracting(refused.keys), refused)
    }
}
