import Waypost
import WaypostSystem

/// What an erasure removed.
package struct LogErasure: Sendable, Hashable {
    /// How many fixes were erased, each of them once (``TypeCount``).
    package var positionCount = 0
    /// How many tracks they came from.
    package var trackCount = 0
    /// The names of the tracks that contained nothing else and were removed entirely.
    package var removedTracks: [String] = []

    package init(positionCount: Int = 0, trackCount: Int = 0, removedTracks: [String] = []) {
        (self.positionCount, self.trackCount, self.removedTracks) = (positionCount, trackCount, removedTracks)
    }

    /// Adds what an erasure in another log removed.
    package static func += (total: inout LogErasure, other: LogErasure) {
        total.positionCount += other.positionCount
        total.trackCount += other.trackCount
        total.removedTracks += other.removedTracks
    }
}

/// Removes a stretch of time from a log: from its journals and from the GPX files.
///
/// The stretch is written down first (`journal/.erase`), and crossed out when all of it is erased. An interrupted erasure, by a power cut at
/// any moment, is repeated from the start by the next recovery: it erases what is left, and doing it twice changes nothing. For each journal
/// with fixes in the stretch, in this order:
///
/// 1. its GPX files are removed, after their lines in `SHA256SUMS`;
/// 2. the journal is written anew as an open one, complete under its name or not at all: the same records with the same numbers, a segment
///    break in place of each erased stretch, and an entry that counts what could not be read;
/// 3. the old journal is removed;
/// 4. the track is finished like any other: its GPX file appears.
///
/// New files are as long as their contents. A program cannot reach what the disk still holds in blocks that it has not reused; on flash only
/// erasing the whole device does.
/// - Cost: reads the whole log; writes the affected journals and tracks.
struct LogEraser {
    let folder: LogFolder
    let creator: String
    /// Journals that begin with this number or a later one are left alone, because a recorder may append to them.
    var limit: UInt64 = .max
    /// Whether the stretch is listed in the log until a tracker has forgotten it elsewhere (``LogFolder/erasedStretches()``).
    var isListed = true

    private var orderPath: String { folder.erasureOrderPath }

    /// Erases the fixes from one moment up to but not including another; nothing when the second is not later.
    ///
    /// - Errors: `unsupportedVersion` when a journal is of another version, and then nothing is erased; `cannotRead`, `cannotErase`.
    func erase(from: UTCTime, to: UTCTime) throws(RecordingError) -> LogErasure {
        guard from < to else { return LogErasure() }
        // With an unreadable journal the order could be neither carried out nor crossed out.
        for journal in try folder.journals() where journal.firstSequence < limit { try JournalReader(path: journal.path).checkVersion() }
        var erasure = LogErasure()
        // One that a full disk interrupted is not given up for this one.
        if let begun = try begunStretch(), begun != from..<to { erasure += try carryOut(begun) }
        try begin(from..<to)
        erasure += try carryOut(from..<to)
        return erasure
    }

    /// Writes the stretch down; on a full disk in the room of what has to be written anew for it.
    private func begin(_ stretch: Range<UTCTime>) throws(RecordingError) {
        do throws(RecordingError) { return try write(order: stretch) } catch {
            guard case .cannotErase(_, let cause) = error, cause.isDiskFull else { throw error }
        }
        let stems = try makeRoom(for: stretch)
        do throws(RecordingError) { try write(order: stretch) } catch {
            // Unless even that was not enough, they come back when it is carried out.
            for stem in stems { _ = try? TrackFinisher(folder: folder, creator: creator).restore(stem) }  // Else: waypost log recover.
            throw error
        }
    }

    private func write(order stretch: Range<UTCTime>) throws(RecordingError) {
        do { try AtomicFile.write(Array("\(stretch.erasureLine)\n".utf8), to: orderPath, adoptsFolderOwner: true) } catch {
            throw .cannotErase(path: orderPath, cause: error)
        }
    }

    /// Removes the GPX files of journals with fixes in the stretch, and what an open one of them has reserved; returns the stems of the former.
    private func makeRoom(for stretch: Range<UTCTime>) throws(RecordingError) -> [String] {
        var stems: [String] = []
        for journal in try folder.journals() where journal.firstSequence < limit {
            let content = try content(of: journal.path, in: stretch)
            do {
                // Nobody appends to it; behind its records there are zeros.
                if journal.isOpen, !content.isDamaged {
                    try AppendOnlyFile.seal(journal.path, byteCount: content.end.offset, mode: 0o640)
                }
                guard content.isConcerned else { continue }
                for name in try trackNames(of: journal.stem) {
                    try Syscalls.remove("\(folder.path)/\(name)")
                    if stems.last != journal.stem { stems.append(journal.stem) }
                }
                try Syscalls.synchronizeFolder(folder.path)
            } catch {
                throw .cannotErase(path: journal.path, cause: error)
            }
        }
        return stems
    }

    /// Whether an open journal contains something of the stretch; one that was finished in the meantime does not matter.
    func isConcerned(by from: UTCTime, _ to: UTCTime, _ stem: String) throws(RecordingError) -> Bool {
        let path = folder.openJournalPath(stem)
        guard from < to, Syscalls.exists(path) else { return false }
        return try content(of: path, in: from..<to).isConcerned
    }

    /// Completes an interrupted erasure; nil when there is none.
    func resume() throws(RecordingError) -> LogErasure? {
        guard let stretch = try begunStretch() else { return nil }
        return try carryOut(stretch)
    }

    /// The stretch of an interrupted erasure; nil when there is none.
    private func begunStretch() throws(RecordingError) -> Range<UTCTime>? {
        do {
            return try Syscalls.contents(of: orderPath, as: .own).flatMap { Range(erasedStretch: $0[...]) }
        } catch {
            throw .cannotRead(path: orderPath, cause: error)
        }
    }

    private func carryOut(_ stretch: Range<UTCTime>) throws(RecordingError) -> LogErasure {
        var erasure = LogErasure()
        if isListed { try folder.noteErased(stretch) }
        for journal in try folder.journals() where journal.firstSequence < limit { try erase(stretch, in: journal, &erasure) }
        try TrackDigests(folder: folder).update()
        do {
            try Syscalls.remove(orderPath)
            try Syscalls.synchronizeFolder(folder.journalFolder)
        } catch {
            throw .cannotErase(path: orderPath, cause: error)
        }
        return erasure
    }

    private func erase(_ stretch: Range<UTCTime>, in journal: LogJournal, _ erasure: inout LogErasure) throws(RecordingError) {
        let stem = journal.stem
        let (open, finished) = (folder.openJournalPath(stem), folder.finishedJournalPath(stem))
        // Both files exist: interrupted between steps 2 and 3.
        let isCutOff = Syscalls.exists(open) && Syscalls.exists(finished)
        let path = Syscalls.exists(open) ? open : finished
        let content = try content(of: path, in: stretch)
        if content.isConcerned {
            erasure.positionCount += content.erased.largest
            erasure.trackCount += 1
            // Only the track knows how many records a journal had whose end is gone.
            let lostEnd = path == finished ? try lostEnd(of: journal, content) : nil
            do {
                try removeTracks(of: stem)
                if content.kept == 0 { erasure.removedTracks.append(stem) }
                if content.kept > 0 || content.isDamaged || lostEnd != nil {
                    try rewrite(path, of: journal, as: open, without: stretch, lostEnd)
                } else {
                    if let last = content.last, last >= journal.firstSequence, journal.firstSequence > 0 {
                        folder.note([journal.firstSequence...last])
                    }
                    try Syscalls.remove(open)
                }
                try Syscalls.remove(finished)
                try Syscalls.synchronizeFolder(folder.journalFolder)
            } catch let error as SystemError {
                throw .cannotErase(path: path, cause: error)
            } catch let error as RecordingError {
                throw error
            } catch {
                preconditionFailure("no other errors are thrown")
            }
        } else if isCutOff {
            do {
                try Syscalls.remove(finished)
            } catch {
                throw .cannotErase(path: finished, cause: error)
            }
        }
        if Syscalls.exists(open) { _ = try TrackFinisher(folder: folder, creator: creator).finish(stem) }
    }

    /// What a journal has of a stretch, and besides.
    private struct Content {
        /// How many fixes are in the stretch.
        var erased = TypeCount()
        /// How many events are.
        var erasedEvents = 0
        /// How many of both are not.
        var kept = 0
        /// Whether records are lost within the journal.
        var isDamaged = false
        /// The number of its last record.
        var last: UInt64?
        /// Where its records end, and whether something unreadable follows.
        var end: (offset: Int64, isUnreadable: Bool) = (0, false)

        /// Whether it has something of the stretch.
        var isConcerned: Bool { erased.largest + erasedEvents > 0 }
    }

    private func content(of path: String, in stretch: Range<UTCTime>) throws(RecordingError) -> Content {
        var journal = try JournalReader(path: path, isGrowing: false)
        var content = Content()
        while let record = try journal.next() {
            switch record.content {
            case .position(let position): if position.isIn(stretch) { content.erased.add(record.types) } else { content.kept += 1 }
            case .event(let event): if event.isIn(stretch) { content.erasedEvents += 1 } else { content.kept += 1 }
            case .lost: content.isDamaged = true
            case .segmentBreak, .other: break
            }
            content.last = record.sequence
        }
        if journal.decoder.damageCount > 0 || journal.decoder.header == nil { content.isDamaged = true }
        let end = journal.endOfRecords
        content.end = (end ?? journal.decoder.endOfLastRecord, end != nil)
        return content
    }

    /// What is lost with the end of a finished journal.
    private func lostEnd(of journal: LogJournal, _ content: Content) throws(RecordingError) -> LogLoss? {
        let gap = LogGap(journal: journal, offset: content.end.offset, extent: content.end.isUnreadable ? .end : .none)
        let last = content.last ?? 0
        guard var loss = gap.loss(after: last, before: try folder.firstSequence(after: journal.stem), in: folder) else { return nil }
        // Behind the last journal there are no numbers yet.
        if !loss.isCounted { loss.through = loss.after + 1 }
        return loss
    }

    private func rewrite(
        _ path: String, of known: LogJournal, as newPath: String, without stretch: Range<UTCTime>, _ lostEnd: LogLoss?
    ) throws {
        var journal = try JournalReader(path: path, isGrowing: false)
        let file = try AtomicFile(path: newPath, adoptsFolderOwner: true)
        var copy = JournalCopy(of: known)
        while let record = try journal.next() {
            copy.noteDamage(journal.decoder, before: record)
            copy.add(record, isErased: record.isIn(stretch))
            if copy.bytes.count > 60_000 {
                try file.write(copy.bytes)
                copy.bytes.removeAll(keepingCapacity: true)
            }
        }
        copy.end()
        if let lostEnd { copy.add(lostEnd, journal.decoder.header) }
        try file.write(copy.bytes)
        try file.commit()
    }

    private func trackNames(of stem: String) throws(SystemError) -> [String] {
        try Syscalls.names(inFolder: folder.path).filter { $0.hasPrefix(stem + ".") && $0.hasSuffix(".gpx") }
    }

    private func removeTracks(of stem: String) throws {
        let names = try trackNames(of: stem)
        // A digest left in the list would be taken for the new file's.
        try TrackDigests(folder: folder).update(removing: Set(names))
        for name in names { try Syscalls.remove("\(folder.path)/\(name)") }
        try Syscalls.synchronizeFolder(folder.path)
    }
}
