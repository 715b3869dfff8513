import Waypost
import WaypostSystem

/// The journal that is being written.
struct OpenJournal {
    let stem: String
    let first: CarriedRecords.First
    let header: JournalHeader
    let file: AppendOnlyFile
    /// The records written but not yet on the disk.
    var atRisk = RecordsAtRisk()
    /// When the oldest of them was written, in monotonic nanoseconds.
    var oldestAtRisk: Int64?
    /// Whether its name is on the disk.
    var isNameDurable = false

    init(stem: String, first: CarriedRecords.First, header: JournalHeader, file: AppendOnlyFile) {
        self.stem = stem
        self.first = first
        self.header = header
        self.file = file
    }

    /// Notes records that were written, as they are stored, until they are on the disk.
    mutating func note(_ bytes: ArraySlice<UInt8>, first: CarriedRecords.First, now: Int64) {
        atRisk.append(bytes, first: first)
        if oldestAtRisk == nil { oldestAtRisk = now }
    }

    /// Notes that the carried records have been written here.
    mutating func markWritten(_ carried: CarriedRecords) {
        atRisk = carried.records
        oldestAtRisk = carried.oldestAtRisk
    }
}

/// Records as stored in a journal that has not been synchronized since they were written.
struct RecordsAtRisk {
    var bytes: [UInt8] = []
    var first: CarriedRecords.First?

    mutating func append(_ more: ArraySlice<UInt8>, first: CarriedRecords.First) {
        if self.first == nil { self.first = first }
        bytes += more
    }
}

/// Records that a journal may have lost, to be written again under the same numbers into the next one.
///
/// The numbers make sure that nothing comes twice: in the previous journal only smaller numbers count.
struct CarriedRecords {
    /// The data for the next journal's name and header.
    struct First {
        var sequence: UInt64
        var time: UTCTime
        var source: String?
    }

    let stem: String
    let first: First
    let records: RecordsAtRisk
    let oldestAtRisk: Int64
    /// When writing them was last tried, in monotonic nanoseconds; nil before the first time.
    var triedAt: Int64?
    /// Whether the journal was moved away, as opposed to having failed.
    let isDisplaced: Bool

    /// The number of unsynchronized bytes that are synchronized at once, before the interval is over.
    static let maximumByteCount = 1 << 20

    init?(_ journal: OpenJournal, isDisplaced: Bool, now: Int64) {
        guard let first = journal.atRisk.first else { return nil }
        stem = journal.stem
        self.first = first
        records = journal.atRisk
        oldestAtRisk = journal.oldestAtRisk ?? now
        self.isDisplaced = isDisplaced
        // After a failed write the disk gets some time.
        triedAt = isDisplaced ? nil : now
    }
}
