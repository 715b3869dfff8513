import Waypost
import WaypostSystem

/// What an erasure removed.
public struct LogErasure: Sendable, Hashable {
    /// How many fixes were erased.
    public var positionCount = 0
    /// How many tracks they came from.
    public var trackCount = 0
    /// The names of the tracks that contained nothing else and were removed entirely.
    public var removedTracks: [String] = []
}

/// Removes a stretch of time from a log: from its journals and from the GPX files.
///
/// The stretch is written down first (`journal/.erase`), and crossed out when all of it is erased. An interrupted erasure, by a power cut at
/// any moment, is repeated from the start by the next recovery: it erases what is left, and doing it twice changes nothing. For each journal
/// with fixes in the stretch, in this order:
///
/// 1. its GPX files are removed, after their lines in `SHA256SUMS`;
/// 2. the journal is written anew as an open one, complete under its name or not at all: the same records with the same numbers, a segment
///    break in place of each erased stretch, and nothing of what could not be read;
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

    private var orderPath: String { folder.journalFolder + "/.erase" }

    /// Erases the fixes from one moment up to but not including another; nothing when the second is not later.
    ///
    /// - Errors: `unsupportedVersion` when a journal is of another version, and then nothing is erased; `cannotRead`, `cannotErase`.
    func erase(from: UTCTime, to: UTCTime) throws(RecordingError) -> LogErasure {
        guard from < to else { return LogErasure() }
        // With an unreadable journal the order could be neither carried out nor crossed out.
        for journal in try folder.journals() where journal.firstSequence < limit { try JournalReader(path: journal.path).checkVersion() }
        do {
            try AtomicFile.write(Array("\((from..<to).erasureLine)\n".utf8), to: orderPath, adoptsFolderOwner: true)
        } catch {
            throw .cannotErase(path: orderPath, cause: error)
        }
        return try carryOut(from..<to)
    }

    /// Whether an open journal contains something of the stretch; one that was finished in the meantime does not matter.
    func isConcerned(by from: UTCTime, _ to: UTCTime, _ stem: String) throws(RecordingError) -> Bool {
        let path = folder.openJournalPath(stem)
        guard from < to, Syscalls.exists(path) else { return false }
        let content = try content(of: path, in: from..<to)
        return content.erased + content.erasedEvents > 0
    }

    /// Completes an interrupted erasure; nil when there is none.
    func resume() throws(RecordingError) -> LogErasure? {
        let order: [UInt8]?
        do {
            order = try Syscalls.contents(of: orderPath, as: .own)
        } catch {
            throw .cannotRead(path: orderPath, cause: error)
        }
        guard let stretch = order.flatMap({ Range(erasedStretch: $0[...]) }) else { return nil }
        return try carryOut(stretch)
    }

    private func carryOut(_ stretch: Range<UTCTime>) throws(RecordingError) -> LogErasure {
        var erasure = LogErasure()
        try folder.noteErased(stretch)
        for journal in try folder.journals() where journal.firstSequence < limit { try erase(stretch, in: journal.stem, &erasure) }
        try TrackDigests(folder: folder).update()
        do {
            try Syscalls.remove(orderPath)
            try Syscalls.synchronizeFolder(folder.journalFolder)
        } catch {
            throw .cannotErase(path: orderPath, cause: error)
        }
        return erasure
    }

    private func erase(_ stretch: Range<UTCTime>, in stem: String, _ erasure: inout LogErasure) throws(RecordingError) {
        let (open, finished) = (folder.openJournalPath(stem), folder.finishedJournalPath(stem))
        // Both files exist: interrupted between steps 2 and 3.
        let isCutOff = Syscalls.exists(open) && Syscalls.exists(finished)
        let path = Syscalls.exists(open) ? open : finished
        let content = try content(of: path, in: stretch)
        if content.erased + content.erasedEvents > 0 {
            erasure.positionCount += content.erased
            erasure.trackCount += 1
            do {
                try removeTracks(of: stem)
                if content.kept > 0 {
                    try rewrite(path, as: open, without: stretch)
                } else {
                    erasure.removedTracks.append(stem)
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

    /// How many fixes and events of a journal are in the stretch, and how many records are not.
    private func content(
        of path: String, in stretch: Range<UTCTime>
    ) throws(RecordingError) -> (erased: Int, erasedEvents: Int, kept: Int) {
        var journal = try JournalReader(path: path, isGrowing: false)
        var (erased, erasedEvents, kept) = (0, 0, 0)
        while let record = try journal.next() {
            switch record.content {
            case .position(let position): if position.isIn(stretch) { erased += 1 } else { kept += 1 }
            case .event(let event): if event.isIn(stretch) { erasedEvents += 1 } else { kept += 1 }
            case .segmentBreak, .other: break
            }
        }
        return (erased, erasedEvents, kept)
    }

    private func rewrite(_ path: String, as newPath: String, without stretch: Range<UTCTime>) throws {
        var journal = try JournalReader(path: path, isGrowing: false)
        let file = try AtomicFile(path: newPath, adoptsFolderOwner: true)
        var bytes: [UInt8] = []
        var source: String?
        var isFirst = true
        // Records of other kinds have no known time: they go with the fix before them.
        var isErasing = false
        while let record = try journal.next() {
            if isFirst {
                isFirst = false
                let header =
                    journal.decoder.header
                    ?? JournalHeader(bootIdentity: [UInt8](repeating: 0, count: 16), firstSequence: record.sequence, source: nil)
                source = header.source
                bytes += JournalCodec.encode(header)
            }
            if case .event(let event) = record.content {
                if !event.isIn(stretch) { JournalCodec.append(record, source: source, to: &bytes) }
                continue
            }
            let wasErasing = isErasing
            if case .position(let position) = record.content { isErasing = position.isIn(stretch) }
            if !isErasing {
                JournalCodec.append(record, source: source, to: &bytes)
            } else if !wasErasing {
                JournalCodec.append(JournalRecord(sequence: record.sequence, content: .segmentBreak(.loss)), source: source, to: &bytes)
            }
            if bytes.count > 60_000 {
                try file.write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try file.write(bytes)
        try file.commit()
    }

    private func removeTracks(of stem: String) throws {
        let names = try Syscalls.names(inFolder: folder.path).filter { $0.hasPrefix(stem + ".") && $0.hasSuffix(".gpx") }
        // A digest left in the list would be taken for the new file's.
        try TrackDigests(folder: folder).update(removing: Set(names))
        for name in names { try Syscalls.remove("\(folder.path)/\(name)") }
        try Syscalls.synchronizeFolder(folder.path)
    }
}

extension TrackerEvent {
    /// Whether its own time or its position's is in the stretch.
    fileprivate func isIn(_ stretch: Range<UTCTime>) -> Bool {
        time.map(stretch.contains) ?? false || position?.isIn(stretch) ?? false
    }
}

extension Position {
    fileprivate func isIn(_ stretch: Range<UTCTime>) -> Bool { time.map(stretch.contains) ?? false }
}
