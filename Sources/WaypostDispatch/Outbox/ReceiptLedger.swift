import Waypost

/// Which records of a batch an application has confirmed, and which have to be published again.
///
/// A broker's acknowledgement is not a receipt: a broker that is killed forgets what it acknowledged since its last save, and one whose queue
/// for a consumer is full acknowledges and drops. So the application that consumes the records reports which ones it has, by their ids, in any
/// order and as often as it likes; only that counts. Receipts for records that have not been requested yet are kept: after a start the broker
/// first delivers the receipts that were sent while we were away.
///
/// A record without a receipt is published again
/// - when a person wants it sent now;
/// - when the broker has forgotten our session: then it has forgotten the record, too;
/// - when the application has confirmed others since, and is silent now: it is there, but has not received the record;
/// - else after a while, doubling up to an hour: an application that is away for a week finds a batch a few times, not a thousand times.
package struct ReceiptLedger: Sendable {
    /// The time before a record is published for the second time, milliseconds.
    let pauseMilliseconds: Int64
    /// An application that has been silent this long has sent all its receipts, milliseconds.
    let quietMilliseconds: Int64
    private var entries: [String: Entry] = [:]
    /// The records of the batch without a receipt.
    private var missing: Set<String> = []
    private var batch: Set<String> = []
    /// When a record was last confirmed that had no receipt yet; what else is said on the topic may come from anybody.
    private var lastReceipt: Int64?
    /// The times of the first and the last receipt of the batch that have not been passed on yet.
    private var untold: ClosedRange<Int64>?
    /// The same for records of other batches, where somebody takes them: they do not wait for this one.
    private var lateUntold: ClosedRange<Int64>?
    private var passesLate = false
    private var isHurried = false
    /// Receipts for unknown records.
    private var early: Set<String> = []

    private struct Entry {
        var isReceived = false
        var refusal: String?
        var publishedAt: Int64?
        var publishCount: Int64 = 0
    }

    /// The longest until a record is published again, milliseconds.
    private static let longestPause: Int64 = 3_600_000
    /// How many records are known, those of the batch and of batches that another lane's has overtaken; and how many that are not requested yet.
    private static let maximumCount = 4_096
    /// The longest id of an unknown record, bytes; ours are shorter.
    private static let longestEarlyID = 256
    /// A record published longer ago than this is published again on demand, milliseconds; a newer one is still on its way.
    private static let longestHurry: Int64 = 5_000
    /// Receipts are passed on when no other has come for the pause, or this long after the first, milliseconds: each time costs a commit.
    private static let (pauseBeforeTelling, longestUntold) = (500, 2_000) as (Int64, Int64)

    package init(pauseMilliseconds: Int64, quietMilliseconds: Int64) {
        self.pauseMilliseconds = max(1, pauseMilliseconds)
        self.quietMilliseconds = max(0, quietMilliseconds)
    }

    /// Begins with a batch; facts about its records from an earlier attempt are kept.
    ///
    /// - Parameter hasForgotten: whether the broker has lost our session.
    /// - Returns: the ids to publish, in the order given.
    package mutating func begin(_ ids: [String], hasForgotten: Bool, now: Int64) -> [String] {
        if hasForgotten { for id in entries.keys { entries[id]?.publishedAt = nil } }
        batch = Set(ids)
        if entries.count + ids.count > ReceiptLedger.maximumCount { entries = entries.filter { batch.contains($0.key) } }
        for id in ids where entries[id] == nil { entries[id] = Entry() }
        for id in early.intersection(batch) { entries[id]?.isReceived = true }
        early.subtract(batch)
        if lateUntold != nil, !entries.contains(where: { $0.value.isReceived && !batch.contains($0.key) }) { lateUntold = nil }
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

    /// Notes that records are on their way.
    package mutating func notePublished(_ ids: [String], now: Int64) {
        for id in ids {
            entries[id]?.publishedAt = now
            entries[id]?.publishCount += 1
        }
    }

    /// Notes that records may not have reached the broker.
    mutating func noteLost(_ ids: some Sequence<String>) {
        for id in ids { entries[id]?.publishedAt = nil }
    }

    /// Publishes everything now, because a person wants it.
    mutating func hurry(now: Int64) {
        isHurried = true
        for (id, entry) in entries where !entry.isReceived {
            if let publishedAt = entry.publishedAt, now - publishedAt >= min(quietMilliseconds, ReceiptLedger.longestHurry) {
                entries[id]?.publishedAt = nil
            }
        }
    }

    /// Processes an application's message: an id in each line, a JSON list of ids, or `{"received":["id"],"refused":["id"]}`.
    ///
    /// The application may repeat itself, and others may write to its topic: only the first receipt of a record that was published is news.
    package mutating func process(_ message: [UInt8], now: Int64) {
        let missingCount = missing.count
        defer { if missing.count < missingCount { untold = ReceiptLedger.span(untold, through: now) } }
        guard let first = message.first(where: { $0 > 0x20 }) else { return }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            guard let value = try? JSONParser(maximumDepth: 16).parse(message) else { return }  // It is not a receipt, then.
            for id in (value.array ?? value["received"]?.array ?? []).compactMap(\.string) { note(id, now: now) }
            for id in (value["refused"]?.array ?? []).compactMap(\.string) {
                note(id, refusal: "refused by the application", now: now)
            }
        } else {
            for line in message.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
                note(String(decoding: line, as: UTF8.self), now: now)
            }
        }
    }

    private mutating func note(_ id: String, refusal: String? = nil, now: Int64) {
        guard let entry = entries[id] else {
            guard refusal == nil, id.utf8.count <= ReceiptLedger.longestEarlyID else { return }
            if early.count >= ReceiptLedger.maximumCount { early = [] }
            early.insert(id)
            return
        }
        if !entry.isReceived {
            lastReceipt = now
            if !batch.contains(id) { lateUntold = ReceiptLedger.span(lateUntold, through: now) }
        }
        entries[id]?.isReceived = true
        if let refusal { entries[id]?.refusal = refusal }
        missing.remove(id)
    }

    /// How many records it knows.
    package var knownCount: Int { entries.count + early.count }

    /// How many records of the batch have no receipt.
    var missingCount: Int { missing.count }

    /// Whether all records of the batch have a receipt.
    var isComplete: Bool { missing.isEmpty }

    /// Whether to end the batch although some have no receipt: there are receipts to pass on, or a person wants it sent again.
    func shouldEnd(now: Int64) -> Bool {
        isHurried || isDue(untold, now: now) || hasLate && isDue(lateUntold, now: now)
    }

    private func isDue(_ untold: ClosedRange<Int64>?, now: Int64) -> Bool {
        guard let untold else { return false }
        return now - untold.upperBound >= ReceiptLedger.pauseBeforeTelling || now - untold.lowerBound >= ReceiptLedger.longestUntold
    }

    private static func span(_ known: ClosedRange<Int64>?, through now: Int64) -> ClosedRange<Int64> {
        let start = known?.lowerBound ?? now
        return start...max(now, start)
    }

    /// Whether records of other batches have had a receipt since the last time that somebody took these.
    var hasLate: Bool { passesLate && lateUntold != nil }

    /// Returns those of these records, of no batch under way, that have a receipt, and the reasons for those that are refused.
    ///
    /// They are forgotten. From the first time on a batch ends for such receipts, too.
    mutating func takeLate(of ids: Set<String>) -> (received: Set<String>, refused: [String: String]) {
        (passesLate, lateUntold) = (true, nil)
        let late = entries.filter { $0.value.isReceived && !batch.contains($0.key) && ids.contains($0.key) }
        for id in late.keys { entries[id] = nil }
        let refused = late.compactMapValues(\.refusal)
        return (Set(late.keys).subtracting(refused.keys), refused)
    }

    /// Ends the batch; returns the records that the application has, and those that it will never accept, with the reasons.
    ///
    /// These are forgotten: a dead letter may come again. The others stay known.
    package mutating func finish() -> (received: Set<String>, refused: [String: String]) {
        let settled = batch.filter { entries[$0]?.isReceived == true }
        let refused = entries.filter { settled.contains($0.key) }.compactMapValues(\.refusal)
        for id in settled { entries[id] = nil }
        (batch, missing, untold) = ([], [], nil)
        return (settled.subtracting(refused.keys), refused)
    }
}
