import Waypost
import WaypostSystem

/// The journal that records go into.
struct OpenJournal {
    let stem: String
    let first: CarriedRecords.First
    let header: JournalHeader
    let file: AppendOnlyFile
    /// What was written and is not on the disk yet.
    var atRisk = RecordsAtRisk()
    /// When the oldest of that was written, monotonic nanoseconds.
    var oldestAtRisk: Int64?
    /// Whether its name is on the disk.
    var isNameDurable = false

    init(stem: String, first: CarriedRecords.First, header: JournalHeader, file: AppendOnlyFile) {
        self.stem = stem
        self.first = first
        self.header = header
        self.file = file
    }

    /// Says that what was carried is written here now.
    mutating func markWritten(_ carried: CarriedRecords) {
        atRisk = carried.records
        oldestAtRisk = carried.oldestAtRisk
    }
}

/// Records as they stand in a journal that was not brought to the disk since they were written.
struct RecordsAtRisk {
    var bytes: [UInt8] = []
    var first: CarriedRecords.First?

    mutating func append(_ more: ArraySlice<UInt8>, first: CarriedRecords.First) {
        if self.first == nil { self.first = first }
        bytes += more
    }
}

/// Records that a journal may have lost, to be written again, under the same numbers, into the next one.
///
/// The numbers make sure that nothing comes twice: of the journal before counts only what has smaller ones.
struct CarriedRecords {
    /// What the next journal's name and header come from.
    struct First {
        var sequence: UInt64
        var time: UTCTime
        var source: String?
    }

    let stem: String
    let first: First
    let records: RecordsAtRisk
    let oldestAtRisk: Int64
    /// When it was last tried to write them, monotonic nanoseconds; nil before the first time.
    var triedAt: Int64?
    /// Whether the journal is not where it was, rather than bad.
    let isDisplaced: Bool

    /// So much is brought to the disk before its time.
    static let maximumByteCount = 1 << 20

    init?(_ journal: OpenJournal, isDisplaced: Bool, now: Int64) {
        guard let first = journal.atRisk.first else { return nil }
        stem = journal.stem
        self.first = first
        records = journal.atRisk
        oldestAtRisk = journal.oldestAtRisk ?? now
        self.isDisplaced = isDisplaced
        // After a write that failed the disk gets some time.
        triedAt = isDisplaced ? nil : now
    }
}
