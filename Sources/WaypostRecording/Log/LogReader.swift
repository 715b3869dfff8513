import Waypost
import WaypostSystem

/// Reads the records of a log through all its journals, in the order in which they were written.
///
/// ```swift
/// var reader = LogReader(folder: LogFolder(path: "/var/log/waypost"), from: .after(4_711))
/// while let record = try reader.next() { ... }
/// store(reader.cursor)                  // the next reader continues after it
/// ```
///
/// It may read beside a recorder, whose lock it does not need: it stops at the last complete record, and ``next()`` may be called again for
/// later ones. Numbers grow from record to record; records that a journal repeats from the previous one are returned once. A journal that
/// begins without a ``SegmentBreak`` continues the previous journal's segment.
/// - Cost: memory for one piece of a journal and one record. A cursor is found by the journals' names and by bisecting one file; a time
///   by the journals' names and by reading its day.
/// - Concurrency: one owner; any number of readers, in any process, beside one recorder.
public struct LogReader: ~Copyable {
    /// Where reading starts.
    public enum Start: Sendable, Hashable {
        /// At the oldest record; what is gone before it is not missed.
        case oldest
        /// At the first record after that number; what is gone after it is missed, also before the oldest record.
        case after(UInt64)
        /// Everything that is not before that moment: positions and events by their own times, whatever their order, and the
        /// breaks between them.
        case from(UTCTime)
    }

    /// The number of the last record that ``next()`` returned; before the first, the number after which reading starts.
    ///
    /// A reader from `.after(cursor)` continues where this one is.
    public private(set) var cursor: UInt64
    /// The journal that was read last; nil before the first.
    public private(set) var journal: LogJournal?

    /// The most stretches of damage that are kept individually, and the most losses until they are taken.
    public static let maximumDamageCount = 64

    /// What was lost with damaged parts of the journals, since it was taken last; known once what follows was read, or the end of the log.
    public private(set) var losses: [LogLoss] = []

    /// How many there were, of which no more than about ``maximumDamageCount`` are kept, and the last number of these.
    public private(set) var lossExtent: (count: Int, last: UInt64) = (0, 0)
    /// The first ``maximumDamageCount`` stretches of numbers, behind the first record that was read, that were deleted or erased with journals.
    public private(set) var removed: [ClosedRange<UInt64>] = []
    /// How many such stretches there are, and the last number of these.
    public private(set) var removedExtent: (count: Int, last: UInt64) = (0, 0)

    /// Whether even what is gone before the oldest record is missed, because the reader is to get everything after a number.
    package var isOwed: Bool
    /// Which records are missed, too, of those that the limits of the log deleted.
    package var missesDeleted: Deleted?

    private var closedDamage: (stretches: [LogDamage], count: Int, byteCount: Int64) = ([], 0, 0)
    private let folder: LogFolder
    private let earliest: UTCTime?
    private let end: UTCTime?
    private var file: JournalReader?
    /// The last journal from which nothing more is needed.
    private var readThrough: LogJournal?
    /// The number of the last record read, whether it was returned, held back or too early.
    private var position: UInt64
    /// What was not readable since the last record read.
    private var gap: LogGap?
    /// Whether no record of this journal was read yet.
    private var isEntering = false
    /// How many stretches of damage the open file had up to that record.
    private var knownDamageCount = 0
    /// A break held back until a record not before ``earliest`` follows, and that record.
    private var heldBreak: JournalRecord?
    private var heldRecord: JournalRecord?
    /// The number up to which everything was read when the end of the log was last looked at for losses.
    private var lookedAtEndAfter: UInt64?
    /// The record that was read behind a loss, while the break that stands for the loss is returned.
    private var recordBehindLoss: JournalRecord?

    /// Creates a reader of the log in that folder; nothing is read yet.
    ///
    /// - Parameters:
    ///   - folder: the folder of the log.
    ///   - start: where reading starts.
    ///   - end: the moment before which everything happened that is returned, by its own time; nil for no end. Journals of later days are
    ///     not opened.
    public init(folder: LogFolder, from start: Start = .oldest, until end: UTCTime? = nil) {
        (self.folder, self.end) = (folder, end)
        switch start {
        case .oldest: (cursor, earliest, isOwed) = (0, nil, false)
        case .after(let sequence): (cursor, earliest, isOwed) = (sequence, nil, true)
        case .from(let time): (cursor, earliest, isOwed) = (0, time, false)
        }
        position = min(cursor, JournalCodec.sequences.upperBound)
    }

    /// The header of ``journal``; nil before the first record, and when the header is damaged.
    public var header: JournalHeader? { decoder?.header }

    /// The next record; nil at the end for now.
    ///
    /// A break stands for what is lost: with a part of a journal that cannot be read, with a journal that was removed, deleted or erased, or by what
    /// a journal that was written anew says.
    /// - Errors: `cannotRead`: calling again retries. `unsupportedVersion`, and `cannotRead` of a journal that is not an ordinary file:
    ///   calling again continues after that journal.
    public mutating func next() throws(RecordingError) -> JournalRecord? {
        if let record = heldRecord {
            heldRecord = nil
            cursor = record.sequence
            return record
        }
        while let record = try nextOfAnyTime() {
            if let end, record.isNot(before: end) { continue }
            if let earliest {
                switch record.content {
                case .segmentBreak:
                    heldBreak = record
                    continue
                case .position(let position):
                    guard let time = position.time, time >= earliest else { continue }
                case .event(let event):
                    guard let time = event.time, time >= earliest else { continue }
                    cursor = record.sequence
                    return record
                case .lost, .other:
                    continue
                }
                if let heldBreak {
                    self.heldBreak = nil
                    heldRecord = record
                    cursor = heldBreak.sequence
                    return heldBreak
                }
            }
            cursor = record.sequence
            return record
        }
        return nil
    }

    /// The next record, also behind journals that are not ordinary files; nil at the end for now.
    ///
    /// - Parameter note: gets the errors of these, which ``next()`` throws.
    public mutating func nextPassingOver(_ note: (RecordingError) -> Void = { _ in }) throws(RecordingError) -> JournalRecord? {
        while true {
            do throws(RecordingError) { return try next() } catch {
                guard case .cannotRead(_, let cause) = error, cause.isOddFile else { throw error }
                note(error)
            }
        }
    }

    private mutating func nextOfAnyTime() throws(RecordingError) -> JournalRecord? {
        if let record = recordBehindLoss {
            recordBehindLoss = nil
            position = record.sequence
            return record
        }
        while true {
            if file == nil {
                guard try openNext() else { return breakAtEnd() }
            }
            do {
                while let record = try file?.next() {
                    noteDamage()
                    defer { gap = nil }
                    if record.sequence <= position { continue }
                    guard case .lost(let after, let isCounted) = record.content else {
                        guard let lastLost = noteLoss(before: record.sequence, thatIs: record.content) else {
                            position = record.sequence
                            return record
                        }
                        recordBehindLoss = record
                        position = lastLost
                        return JournalRecord(sequence: position, content: .segmentBreak(.gap))
                    }
                    _ = noteLoss(before: min(record.sequence, max(after, position) + 1))  // The entry is a break already.
                    note(after, isCounted, through: record.sequence)
                    position = record.sequence
                    return JournalRecord(sequence: record.sequence, content: .segmentBreak(.gap))
                }
            } catch {
                if case .unsupportedVersion = error {
                    noteGap(at: 0, .end)
                    close()
                }
                throw error
            }
            if file?.isGrowing == true {
                // It gets no more records when there is a later journal, or it was finished or replaced by another file.
                let isLast = try folder.journals().last.map { $0.stem == journal?.stem && $0.isOpen } == true
                if isLast, isNamed { return nil }
                file?.endGrowth()
            } else {
                close()
            }
        }
    }

    /// Opens the first journal that may contain records after those read; false when there is none.
    private mutating func openNext() throws(RecordingError) -> Bool {
        // A journal may be finished, or fetched and deleted, between the listing and here.
        for _ in 0..<100 {
            let journals = try folder.journals()
            guard let index = journals.indices.first(where: { isWanted(journals, $0) }) else { return false }
            let next = journals[index]
            do {
                var reader = try JournalReader(path: next.path, isGrowing: next.isOpen && index == journals.indices.last)
                if next.firstSequence <= position { try reader.seek(after: position) }
                file = consume reader
                (journal, knownDamageCount, isEntering) = (next, 0, true)
                return true
            } catch {
                if case .cannotRead(_, let cause) = error, cause.isMissing { continue }
                if error.isOfOneJournal {
                    (journal, readThrough) = (next, next)
                    // One that is not a file may come back; the error names it.
                    if case .unsupportedVersion = error { noteGap(at: 0, .end) }
                }
                throw error
            }
        }
        return false
    }

    /// The time of the last positions in a journal.
    private static func lastTime(in path: String) throws(RecordingError) -> UTCTime? {
        var reader = try JournalReader(path: path)
        return try reader.lastRecords().time
    }

    private func isWanted(_ journals: [LogJournal], _ index: Int) -> Bool {
        if let readThrough, (journals[index].firstSequence, journals[index].stem) <= (readThrough.firstSequence, readThrough.stem) {
            return false
        }
        // A journal contains the fixes of its first day, or later ones.
        if let end, let first = journals[index].firstTime, first.day > end.day { return false }
        guard index + 1 < journals.count else { return true }
        if journals[index + 1].firstSequence <= position + 1 { return false }
        guard let earliest, let first = journals[index].firstTime, first.day < earliest.day else { return true }
        // A journal contains the fixes of one UTC day, except one that continued because the next day had no room for its own.
        guard let next = journals[index + 1].firstTime, next.day >= earliest.day else { return false }
        guard let last = try? LogReader.lastTime(in: journals[index].path) else { return true }  // Opening it reports the error.
        return last.day >= earliest.day
    }

    /// Whether the open file is still the journal with that name.
    private var isNamed: Bool {
        guard let journal else { return false }
        let paths = [folder.openJournalPath(journal.stem), folder.finishedJournalPath(journal.stem)]
        return paths.contains { file?.isNamed($0) == true }
    }

    /// Whether the journal that is being read was removed, or written anew without what was erased.
    ///
    /// What this reader still holds of it must not be shown then: another one continues after ``cursor``.
    public var isOutdated: Bool {
        guard let journal else { return false }
        switch file {
        case .none: return false
        case .some(let reader):
            if !reader.hasName { return true }
            let paths = [folder.openJournalPath(journal.stem), folder.finishedJournalPath(journal.stem)].filter { Syscalls.exists($0) }
            return !paths.isEmpty && !paths.contains { reader.isNamed($0) }
        }
    }

    // MARK: - Damage

    /// The losses that were found since they were taken last, in order.
    public mutating func takeLosses() -> [LogLoss] {
        defer { (losses, lossExtent) = ([], (0, 0)) }
        return losses
    }

    /// Notes what was not readable before the record that was just read.
    private mutating func noteDamage() {
        guard let decoder else { return }
        if decoder.damageCount > knownDamageCount {
            let stretch = knownDamageCount < decoder.damage.count ? decoder.damage[knownDamageCount] : decoder.damage.last
            noteGap(at: stretch?.offset ?? 0)
        } else if decoder.header == nil {
            // Records before it may be gone with the header.
            noteGap(at: 0)
        }
        knownDamageCount = decoder.damageCount
    }

    private mutating func noteGap(at offset: Int64, _ extent: LogGap.Extent = .record, isUnreadable: Bool = false) {
        guard let journal else { return }
        // What is only possible says less than what was met behind it.
        if let gap, gap.extent != .none { return }
        gap = LogGap(journal: journal, offset: offset, extent: extent, isUnreadable: isUnreadable)
    }

    /// Notes what an entry says is lost.
    private mutating func note(_ after: UInt64, _ isCounted: Bool, through last: UInt64) {
        guard let journal, let decoder else { return }
        keep([
            LogLoss(
                path: journal.path, offset: decoder.startOfLastRecord, after: max(after, position), through: last, isCounted: isCounted)
        ])
    }

    /// Notes what is lost between the last record that was read and the next one.
    ///
    /// - Returns: the last number that is lost; nil when nothing is.
    private mutating func noteLoss(before next: UInt64, thatIs content: JournalRecord.Content? = nil) -> UInt64? {
        if gap == nil, !isEntering { return nil }
        var found = [gap?.loss(after: position, before: next, in: folder)].compactMap(\.self)
        var through: [UInt64] = []
        if isEntering {
            found += folder.missingJournals(after: position, before: next, in: period, isOwed: isOwed)
            found += [lostBeginning(before: next, thatIs: content)].compactMap(\.self)
            // A reader of the oldest records lacks nothing.
            if next - position > 1, position > 0 || isOwed {
                let numbers = RemovedNumbers(in: folder)
                if isInPeriod { found += numbers.losses(after: position, before: next, besides: found, in: folder, behind: gap) }
                if isInPeriod, let missesDeleted { found += numbers.losses(missesDeleted, after: position, before: next, in: folder) }
                let parts = position > 0 ? numbers.parts(.removed, after: position, before: next) : []
                removed += parts.prefix(max(0, LogReader.maximumDamageCount - removed.count))
                if let last = parts.last { removedExtent = (removedExtent.count + parts.count, last.upperBound) }
                through += parts.map(\.upperBound)
            }
        }
        isEntering = false
        keep(found.sorted { $0.after < $1.after })
        return (through + found.map(\.through)).max()
    }

    /// Keeps losses until they are taken, with all that were found at one place: whoever takes them after each record gets every one.
    private mutating func keep(_ found: [LogLoss]) {
        if let last = found.last { lossExtent = (lossExtent.count + found.count, last.through) }
        if losses.count < LogReader.maximumDamageCount { losses += found }
    }

    /// Whether the open journal begins in the period that is asked for: what is gone before it has no time of its own.
    private var isInPeriod: Bool {
        guard let first = journal?.firstTime else { return true }
        return (earliest.map { $0 <= first } ?? true) && (end.map { first < $0 } ?? true)
    }

    /// What a journal lacks that does not begin with the number in its name, as another one's in its place; an erasure leaves a break there.
    private func lostBeginning(before next: UInt64, thatIs content: JournalRecord.Content?) -> LogLoss? {
        guard let journal, journal.firstSequence > position, next > journal.firstSequence, gap?.journal.stem != journal.stem else {
            return nil
        }
        if case .segmentBreak(.gap) = content { return nil }
        return LogLoss(path: journal.path, offset: 0, after: journal.firstSequence - 1, through: next - 1, isCounted: true)
    }

    private var period: LogPeriod { LogPeriod(start: earliest, end: end) }

    /// The break that stands for what is lost behind the last record, which is looked for once; nil when nothing is.
    private mutating func breakAtEnd() -> JournalRecord? {
        if lookedAtEndAfter == position { return nil }
        let found = folder.lossesAtEnd(after: position, gap, in: period, isOwed: isOwed)
        keep(found)
        position = max(position, found.map(\.through).max() ?? 0)
        lookedAtEndAfter = position
        return found.isEmpty ? nil : JournalRecord(sequence: position, content: .segmentBreak(.gap))
    }

    private mutating func close() {
        if let journal, file?.isNamed(folder.finishedJournalPath(journal.stem)) == true {
            let isUnreadable = decoder.map { $0.damageCount > knownDamageCount } ?? false
            if let end = file?.endOfRecords {
                noteGap(at: end, .end, isUnreadable: isUnreadable)
            } else {
                noteGap(at: decoder?.endOfLastRecord ?? 0, .none)
            }
        }
        // A journal written in its place, when its end was not certain to have reached the disk, continues where it ended.
        if isNamed { readThrough = journal }
        closedDamage = (damage, damageCount, damagedByteCount)
        file = nil
    }
}

extension LogReader {
    /// The decoder of the journal being read.
    private var decoder: JournalDecoder? {
        switch file {
        case .some(let reader): reader.decoder
        case .none: nil
        }
    }

    /// The first stretches that could not be read, at most about ``maximumDamageCount``.
    public var damage: [LogDamage] {
        guard let decoder, let journal, closedDamage.stretches.count < LogReader.maximumDamageCount else {
            return closedDamage.stretches
        }
        return closedDamage.stretches + decoder.damage.map { LogDamage(path: journal.path, stretch: $0) }
    }

    /// How many stretches could not be read.
    public var damageCount: Int { closedDamage.count + (decoder?.damageCount ?? 0) }

    /// How many bytes could not be read.
    public var damagedByteCount: Int64 { closedDamage.byteCount + (decoder?.damagedByteCount ?? 0) }
}
