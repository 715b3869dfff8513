import Waypost
import WaypostSystem

// The ledger: the fate of each record.
extension Dispatcher {
    /// The fates of records at each destination, in the records' order.
    ///
    /// - Cost: one or two searches of the file for each record and destination, and the receipts of each destination once.
    package func accounts(of keys: [LedgerKey]) async throws(OutboxError) -> [[DeliveryAccount]] {
        var accounts = [[DeliveryAccount]](repeating: [], count: keys.count)
        let keys = try await outbox.numbered(keys)
        for worker in attached {
            // Asked before the file, so that records settled meanwhile count as settled.
            let inFlight = await worker.inFlight
            let fates = try await outbox.fates(of: keys, at: worker.settings.name)
            for (index, (key, fate)) in zip(keys, fates).enumerated() {
                var fate = fate
                if fate == .queued, inFlight.contains(key.id) { fate = .sent }
                accounts[index].append(DeliveryAccount(destination: worker.settings.name, fate: fate))
            }
        }
        return accounts
    }

    /// An event, a track call or a health report by its name; nil when it is not in the outbox.
    ///
    /// It is missing because it never was there, was removed after all destinations had it, or cannot be read (damaged, or written by a later
    /// version). Errors of the file are thrown.
    package func ledgerEntry(id: String) async throws(OutboxError) -> LedgerEntry? {
        guard let entry = try await outbox.entry(id: id) else { return nil }
        return try await ledgerEntries([entry]).first
    }

    /// Events, track calls and health reports from a moment on, in order of arrival, at most `limit`; fewer only at the end.
    ///
    /// Unreadable entries are left out, and do not make a page look like the last one.
    /// - Parameters:
    ///   - time: the earliest moment to return.
    ///   - end: the moment before which they happened; nil for no end.
    ///   - number: the last ``DispatchRecord/sequence`` of the previous page; only later entries are returned.
    ///   - limit: the largest number of entries to return.
    package func ledgerEntries(
        since time: UTCTime, until end: UTCTime? = nil, after number: UInt64 = 0, limit: Int
    ) async throws(OutboxError) -> [LedgerEntry] {
        var (found, after) = ([LedgerEntry](), number)
        while found.count < limit {
            let entries = try await outbox.entries(after: after, since: time, until: end, limit: limit - found.count)
            guard let last = entries.last else { break }
            after = last.number
            // Of one from before the time was known, the outbox finds out later when it was.
            found += try await ledgerEntries(entries).filter { entry in
                guard entry.record.time == nil, let taken = entry.record.takenAt else { return true }
                return taken >= time && end.map { taken < $0 } ?? true
            }
        }
        return found
    }

    private func ledgerEntries(_ entries: [StoredEntry]) async throws(OutboxError) -> [LedgerEntry] {
        let accounts = try await accounts(of: entries.map { LedgerKey(entry: $0.number, id: $0.id) })
        return zip(entries, accounts).compactMap { entry, accounts in
            guard var record = DispatchRecord(entry) else { return nil }
            // From before the time was known.
            if record.time == nil { record.takenAt = outbox.time(of: entry.moment) }
            return LedgerEntry(record: record, accounts: accounts)
        }
    }
}

extension Outbox {
    /// The fates of records at a destination, in the records' order.
    func fates(of keys: [LedgerKey], at name: String) throws(OutboxError) -> [DeliveryAccount.Fate] {
        let state = try state(of: name)
        return try use { (store) throws(SQLiteError) in try store.fates(of: keys, at: state) }
    }

    /// The keys with the numbers of the entries that are still there.
    func numbered(_ keys: [LedgerKey]) throws(OutboxError) -> [LedgerKey] {
        try use { (store) throws(SQLiteError) in
            var keys = keys
            for index in keys.indices where keys[index].position == nil && keys[index].entry == nil {
                keys[index].entry = try store.entry(id: keys[index].id)?.number
            }
            return keys
        }
    }
}
