import Waypost
import WaypostSystem

/// A stretch of time that an outbox is to erase, and has not erased yet.
struct UnfinishedErasure: Sendable, Hashable {
    let stretch: Range<UTCTime>
    /// The last entry and the last dead letter that are meant: what comes later stays.
    let lastEntry: Int64
    let lastLetter: Int64
}

/// What an outbox keeps of a moment.
protocol OutboxRecord {
    /// Its number among those of its kind.
    var place: Int64 { get }
    /// Whether that erases it.
    func isMeant(by erasure: UnfinishedErasure) -> Bool
}

extension StoredEntry: OutboxRecord {
    var place: Int64 { Int64(clamping: number) }

    func isMeant(by erasure: UnfinishedErasure) -> Bool {
        place <= erasure.lastEntry && moment.time.map(erasure.stretch.contains) ?? false
    }
}

extension DeadLetter: OutboxRecord {
    var place: Int64 { number }

    func isMeant(by erasure: UnfinishedErasure) -> Bool {
        place <= erasure.lastLetter && record.time.map(erasure.stretch.contains) ?? false
    }
}

// What is erased, and what is read besides.
extension Outbox {
    /// Removes entries and dead letters that happened from one moment on until before another; returns how many.
    ///
    /// From now on nobody gets them, also if the file cannot be changed now: then the next call that succeeds removes them, too.
    public func erase(from: UTCTime, to: UTCTime) throws(OutboxError) -> Int {
        guard from < to else { return 0 }
        let last = try? use { (store) throws(SQLiteError) in try store.newestDeadLetter() }  // Then all that are there are meant.
        let erasure = UnfinishedErasure(
            stretch: from..<to, lastEntry: openStore?.lastEntryNumber ?? .max, lastLetter: last ?? .max)
        unerased.removeAll { $0.stretch == erasure.stretch }
        unerased.append(erasure)
        return try finishErasing()
    }

    /// Removes what could not be erased when it was to be; returns how many records.
    @discardableResult
    package func finishErasing() throws(OutboxError) -> Int {
        var count = 0
        while let erasure = unerased.first {
            count += try use { (store) throws(SQLiteError) in try store.erase(erasure) }
            unerased.removeFirst()
        }
        return count
    }

    /// Whether nothing of what was to be erased is left.
    package var hasErasedAll: Bool { unerased.isEmpty }

    // MARK: - What is left

    /// The entries after a number, in order.
    func entries(after number: UInt64, limit: Int) throws(OutboxError) -> [StoredEntry] {
        try left(after: Int64(clamping: number), limit) { (store, number, limit) throws(SQLiteError) in
            try store.entries(after: UInt64(clamping: number), limit: limit)
        }
    }

    /// Entries after a number, from a moment on until before another.
    func entries(after number: UInt64, since time: UTCTime, until end: UTCTime?, limit: Int) throws(OutboxError) -> [StoredEntry] {
        try left(after: Int64(clamping: number), limit) { (store, number, limit) throws(SQLiteError) in
            try store.entries(after: UInt64(clamping: number), since: time, until: end, limit: limit)
        }
    }

    /// The entry with that id; nil when there is none; errors are thrown.
    func entry(id: String) throws(OutboxError) -> StoredEntry? {
        guard let entry = try use({ (store) throws(SQLiteError) in try store.entry(id: id) }), !isErased(entry) else { return nil }
        return entry
    }

    /// Dead letters of a destination or of all, oldest first: a page of them, after that number.
    public func deadLetters(of destination: String? = nil, after number: Int64 = 0, limit: Int = 1_000) throws(OutboxError) -> [DeadLetter]
    {
        try left(after: number, limit) { (store, number, limit) throws(SQLiteError) in
            try store.deadLetters(of: destination, after: number, limit: limit)
        }
    }

    func dueDeadLetters(of destination: String, limit: Int) throws(OutboxError) -> [DeadLetter] {
        try left(after: 0, limit) { (store, number, limit) throws(SQLiteError) in
            try store.deadLetters(of: destination, after: number, dueOnly: true, limit: limit)
        }
    }

    private func isErased(_ record: some OutboxRecord) -> Bool { unerased.contains { record.isMeant(by: $0) } }

    /// The records after a number, as if what is to be erased were not there: fewer than `limit` only at the end.
    private func left<Record: OutboxRecord>(
        after number: Int64, _ limit: Int, _ read: (OutboxStore, Int64, Int) throws(SQLiteError) -> [Record]
    ) throws(OutboxError) -> [Record] {
        var (found, after) = ([Record](), number)
        while true {
            let wanted = limit - found.count
            let page = try use { (store) throws(SQLiteError) in try read(store, after, wanted) }
            let left = page.filter { !isErased($0) }
            found += left
            // Only what was left out makes room for more.
            guard left.count < page.count, let last = page.last else { return found }
            after = last.place
        }
    }
}
