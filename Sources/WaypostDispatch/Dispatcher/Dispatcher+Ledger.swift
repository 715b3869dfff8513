import Waypost
import WaypostSystem

// The ledger: what became of each record.
extension Dispatcher {
    /// What became of records at each destination, in their order.
    ///
    /// - Cost: one or two searches of the file for each record and destination, and the receipts of each destination once.
    public func accounts(of questions: [LedgerQuestion]) async throws(OutboxError) -> [[DeliveryAccount]] {
        var accounts = [[DeliveryAccount]](repeating: [], count: questions.count)
        let questions = try await outbox.numbered(questions)
        for worker in attached {
            // Asked before the file: what is settled meanwhile is told as settled.
            let inFlight = await worker.inFlight
            let fates = try await outbox.fates(of: questions, at: worker.settings.name)
            for (index, (question, fate)) in zip(questions, fates).enumerated() {
                var fate = fate
                if question.position != nil, !worker.settings.sendsPositions { fate = .unwanted }
                if fate == .queued, inFlight.contains(question.id) { fate = .sent }
                accounts[index].append(DeliveryAccount(destination: worker.settings.name, fate: fate))
            }
        }
        return accounts
    }

    /// An event, a track call or a health report by its name; nil when it is not in the outbox.
    ///
    /// It never was, was removed after all had it, or cannot be read (damaged, or written by a later version). Errors of the file are thrown.
    public func ledgerEntry(id: String) async throws(OutboxError) -> LedgerEntry? {
        guard let entry = try await outbox.entry(id: id) else { return nil }
        return try await ledgerEntries([entry]).first
    }

    /// Events, track calls and health reports from a moment on, in the order in which they came, at most `limit`; fewer only at the end.
    ///
    /// What cannot be read is left out, and does not make a page look like the last one.
    /// - Parameters:
    ///   - time: the first moment that is of interest.
    ///   - number: those after it: the last ``DispatchRecord/sequence`` of the page before.
    ///   - limit: the most that is given.
    public func ledgerEntries(since time: UTCTime, after number: UInt64 = 0, limit: Int) async throws(OutboxError) -> [LedgerEntry] {
        var (found, after) = ([LedgerEntry](), number)
        while found.count < limit {
            let entries = try await outbox.entries(after: after, since: time, limit: limit - found.count)
            guard let last = entries.last else { break }
            after = last.number
            found += try await ledgerEntries(entries)
        }
        return found
    }

    private func ledgerEntries(_ entries: [StoredEntry]) async throws(OutboxError) -> [LedgerEntry] {
        let accounts = try await accounts(of: entries.map { LedgerQuestion(entry: $0.number, id: $0.id) })
        return zip(entries, accounts).compactMap { entry, accounts in
            DispatchRecord(entry).map { LedgerEntry(record: $0, accounts: accounts) }
        }
    }
}

extension Outbox {
    /// What became of records at a destination, in their order.
    func fates(of questions: [LedgerQuestion], at name: String) throws(OutboxError) -> [DeliveryAccount.Fate] {
        let state = try state(of: name)
        return try use { (store) throws(SQLiteError) in try store.fates(of: questions, at: state) }
    }

    /// The questions with the numbers of the entries that are still there.
    func numbered(_ questions: [LedgerQuestion]) throws(OutboxError) -> [LedgerQuestion] {
        try use { (store) throws(SQLiteError) in
            var questions = questions
            for index in questions.indices where questions[index].position == nil && questions[index].entry == nil {
                questions[index].entry = try store.entry(id: questions[index].id)?.number
            }
            return questions
        }
    }

    /// The entry of that name; nil when there is none, errors are thrown.
    func entry(id: String) throws(OutboxError) -> StoredEntry? {
        try use { (store) throws(SQLiteError) in try store.entry(id: id) }
    }

    /// Entries after a number, not before a moment.
    func entries(after number: UInt64, since time: UTCTime, limit: Int) throws(OutboxError) -> [StoredEntry] {
        try use { (store) throws(SQLiteError) in try store.entries(after: number, since: time, limit: limit) }
    }
}
