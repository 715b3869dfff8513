import Waypost

/// A journal while it is written anew without what is erased: the other records keep their numbers, and what was lost is still known as lost.
struct JournalCopy {
    /// What is to be written.
    var bytes: [UInt8] = []
    private let firstSequence: UInt64
    private var hasHeader = false
    private var source: String?
    /// The number of the last record that was read.
    private var last: UInt64
    private var knownDamageCount = 0
    private var isErasing = false
    /// The number of the break that was added last, while nothing follows it: the numbers behind it may be missing.
    private var endingGap: UInt64?

    /// The copy of a journal, with nothing in it yet.
    init(of journal: LogJournal) {
        firstSequence = max(1, journal.firstSequence)
        last = firstSequence - 1
    }

    /// Adds what was lost before the record that was just read.
    mutating func noteDamage(_ decoder: JournalDecoder, before record: JournalRecord) {
        let isDamaged = decoder.damageCount > knownDamageCount || !hasHeader && decoder.header == nil
        knownDamageCount = decoder.damageCount
        addHeader(decoder.header)
        var next = record.sequence
        if case .lost(let after, _) = record.content { next = after + 1 }
        guard isDamaged, next > last, next - last > 1 else { return }
        append(JournalRecord(sequence: next - 1, content: .lost(after: last, isCounted: true)))
    }

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - isErased: whether it is left out; nil for one that goes with the fix before it.
    mutating func add(_ record: JournalRecord, isErased: Bool?) {
        last = record.sequence
        switch record.content {
        case .event, .lost: if isErased == true { leaveOut(record) } else { append(record) }
        case .position, .segmentBreak, .other:
            isErasing = isErased ?? isErasing
            if isErasing { leaveOut(record) } else { append(record) }
        }
    }

    /// Leaves a record out: a break stands for it, and for those that are left out right behind it.
    private mutating func leaveOut(_ record: JournalRecord) {
        if endingGap == nil { append(JournalRecord(sequence: record.sequence, content: .segmentBreak(.gap))) }
    }

    /// Ends with the last number, when the records at the end are left out: those behind it are not missing.
    mutating func end() {
        guard let endingGap, endingGap < last else { return }
        append(JournalRecord(sequence: last, content: .segmentBreak(.gap)))
    }

    /// Adds what was lost with the end.
    mutating func add(_ loss: LogLoss, _ header: JournalHeader?) {
        addHeader(header)
        append(JournalRecord(sequence: loss.through, content: .lost(after: loss.after, isCounted: loss.isCounted)))
    }

    private mutating func addHeader(_ known: JournalHeader?) {
        guard !hasHeader else { return }
        hasHeader = true
        let header =
            known ?? JournalHeader(bootIdentity: [UInt8](repeating: 0, count: 16), firstSequence: firstSequence, source: nil)
        source = header.source
        bytes += JournalCodec.encode(header)
    }

    private mutating func append(_ record: JournalRecord) {
        endingGap = if case .segmentBreak(.gap) = record.content { record.sequence } else { nil }
        JournalCodec.append(record, source: source, to: &bytes)
    }
}
