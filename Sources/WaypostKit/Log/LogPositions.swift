import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

/// Supplies a dispatcher with the positions of a log, as they were recorded: of each journal those of the type that was the first then.
///
/// - Concurrency: an actor on its own thread, which waits for the disk.
public actor LogPositions: PositionSupply {
    package let folder: LogFolder
    /// The first type now, for a journal that cannot say which was its first.
    let type: LogTypes
    /// What the names of its positions tell of the log.
    package nonisolated let origin: RecordOrigin
    /// Is told what a destination misses of the log, and whether these are positions to be sent or any records.
    private let noteLoss: @Sendable (LogLoss, LostRecords) -> Void
    private let executor: ThreadExecutor
    /// The next read mostly continues where the last one stopped.
    private var reader: LogReader
    /// Records that are erased, though the log may still have them: they are not supplied.
    private var hidden: [ErasedRecords]

    /// Its own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Reads the log in a folder.
    ///
    /// - Parameters:
    ///   - folder: the folder; it need not exist yet.
    ///   - types: the types that are logged now.
    ///   - hidden: records that are not supplied.
    ///   - noteLoss: is told what a damaged log lacks, and whether these are positions to be sent or any records.
    package init(
        folder: LogFolder, types: [LogType], hiding hidden: [ErasedRecords] = [],
        noteLoss: @escaping @Sendable (LogLoss, LostRecords) -> Void = { _, _ in }
    ) throws(SystemError) {
        self.folder = folder
        self.hidden = hidden
        origin = RecordOrigin(logFolder: folder.path)
        self.noteLoss = noteLoss
        type = types.first.map(LogTypes.init) ?? .raw
        executor = try ThreadExecutor(name: "log-positions")
        reader = LogReader(folder: folder, from: .after(0))
    }

    /// Supplies these records no more, whether they can be erased or not.
    package func hide(_ erased: ErasedRecords) { if !hidden.contains(erased) { hidden.append(erased) } }

    /// Whether a record is to be supplied.
    func isHidden(_ record: JournalRecord) -> Bool { hidden.contains { $0.contains(record) } }

    /// The positions after that number and up to `last`, in order, at most `limit`.
    ///
    /// - Errors: the log cannot be read at the moment.
    public func positions(after number: UInt64, through last: UInt64, limit: Int) throws(PositionSupplyError) -> PositionPage {
        // Between two records there may be others, which a reader's cursor does not know about; and one that is outdated shows what is erased.
        if reader.cursor != number || reader.isOutdated { reader = LogReader(folder: folder, from: .after(number)) }
        reader.missesDeleted = .positions
        var page = PositionPage(positions: [], through: number)
        do throws(RecordingError) {
            while page.positions.count < limit, let record = try reader.next() {
                page.missing += takeLosses(.positions, of: &reader, after: number, through: last)
                    .map(MissingPositions.init)
                if record.sequence > last { break }
                page.through = record.sequence
                guard case .position(let position) = record.content, record.types.contains(reader.header.mainType(or: type)),
                    !isHidden(record)
                else { continue }
                page.positions.append(NumberedPosition(number: record.sequence, position: position, origin: origin))
            }
        } catch {
            // A reader goes on behind a journal that is a link or a FIFO now; a destination waits until the journal is back.
            if case .cannotRead(_, let cause) = error, cause.isOddFile { reader = LogReader(folder: folder, from: .after(number)) }
            throw PositionSupplyError(reason: "\(error)")
        }
        return page
    }

    /// What the reader has met that is lost within these numbers; somebody hears of it.
    package func takeLosses(_ kind: LostRecords, of reader: inout LogReader, after number: UInt64, through last: UInt64) -> [LogLoss] {
        // What another folder has is sent from there.
        let losses = reader.takeLosses().compactMap { $0.part(after: number, through: last) }.filter { $0.note != .moved }
        // Of positions that limits deleted, the tracker tells when it deletes them, or at its next start.
        for loss in losses where kind == .events || loss.note != .deleted { noteLoss(loss, kind) }
        return losses
    }

    /// Positions and events after a number, of any time, or not before one and before another, and what is lost among them, about `limit`.
    package func records(
        after number: UInt64, since time: UTCTime?, until end: UTCTime? = nil, limit: Int
    ) throws(PositionSupplyError) -> [LoggedRecord] {
        var reader = LogReader(folder: folder, from: number == 0 ? time.map(LogReader.Start.from) ?? .after(0) : .after(number), until: end)
        reader.isOwed = true
        var records: [LoggedRecord] = []
        do throws(RecordingError) {
            while records.count < limit, let record = try reader.next() {
                var losses = reader.takeLosses().compactMap { $0.part(after: number, through: record.sequence) }
                if number == 0, time != nil, records.isEmpty, !losses.isEmpty {
                    losses = losses.rightBefore(record.sequence, among: try folder.journals().map(\.firstSequence))
                }
                records += losses.map(LoggedRecord.lost)
                switch record.content {
                case .position(let position):
                    guard record.types.contains(reader.header.mainType(or: type)) else { continue }
                    if let time, let moment = position.time, moment < time { continue }
                case .event(let event): if let time, let moment = event.time, moment < time { continue }
                case .segmentBreak, .lost, .other: continue
                }
                records.append(.record(record))
            }
        } catch {
            throw PositionSupplyError(reason: "\(error)")
        }
        return records
    }

    /// The event with that id, searched from its time on if that is known.
    package func event(id: String, at time: UTCTime?) throws(PositionSupplyError) -> JournalRecord? {
        var reader = LogReader(folder: folder, from: time.map(LogReader.Start.from) ?? .oldest)
        do throws(RecordingError) {
            while let record = try reader.next() {
                if case .event(let event) = record.content, event.id == id { return record }
            }
        } catch {
            throw PositionSupplyError(reason: "\(error)")
        }
        return nil
    }

    /// The ids of the events from one moment to another, both included.
    package func eventIDs(from first: UTCTime, through last: UTCTime) throws(PositionSupplyError) -> Set<String> {
        var reader = LogReader(folder: folder, from: .from(first), until: last.advanced(byMilliseconds: 1))
        var ids: Set<String> = []
        do throws(RecordingError) {
            while let record = try reader.nextPassingOver() {
                if case .event(let event) = record.content { ids.insert(event.id) }
            }
        } catch {
            throw PositionSupplyError(reason: "\(error)")
        }
        return ids
    }

    /// The number of the newest record; 0 when there is none.
    ///
    /// - Errors: the log cannot be read at the moment.
    public func newestNumber() throws(PositionSupplyError) -> UInt64 {
        do throws(RecordingError) {
            // A journal that is a link or a FIFO now may come back: its positions are waited for.
            for journal in try folder.journals() where Syscalls.oddFile(journal.path) != nil { _ = try JournalReader(path: journal.path) }
            return try folder.lastSequence()
        } catch {
            throw PositionSupplyError(reason: "\(error)")
        }
    }
}

extension MissingPositions {
    fileprivate init(_ loss: LogLoss) {
        self.init(after: loss.after, through: loss.through, count: loss.count)
        wasDeleted = loss.note == .deleted
    }
}

extension [LogLoss] {
    /// Those that follow each other up to a record: what was lost has no time, and what was lost earlier may be of an earlier time than the record.
    ///
    /// - Parameters:
    ///   - number: the record's number.
    ///   - starts: the first numbers of the journals that are there. A kill leaves numbers out, behind a whole track that is gone, too.
    fileprivate func rightBefore(_ number: UInt64, among starts: [UInt64]) -> [LogLoss] {
        var first = number
        return reversed().prefix { loss in
            defer { first = loss.after + 1 }
            if loss.through + 2 >= first { return true }
            // The first record of a track is its break.
            return (loss.isMissing || loss.note != nil) && !starts.contains { loss.through < $0 && $0 + 1 < first }
        }.reversed()
    }
}
