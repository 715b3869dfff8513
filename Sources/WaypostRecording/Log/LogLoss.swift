import Waypost
import WaypostSystem

/// Numbers of a log whose records are gone: the journal that had them is damaged or was removed, or is in another copy of the log.
public struct LogLoss: Sendable, Hashable {
    /// The journal; the folder of the log where nobody knows it.
    public var path: String
    /// Where in it the damage begins, in bytes from its start.
    public var offset: Int64
    /// The records after this number are gone.
    public var after: UInt64
    /// The last number that is gone.
    public var through: UInt64
    /// Whether every number in between had a record.
    ///
    /// Without its track, nobody knows how many records a journal had whose end is gone: a tracker that was killed leaves numbers out.
    public var isCounted: Bool
    /// Whether the whole journal was removed.
    public var isMissing = false
    /// Why the log has only a note of them; nil while its files tell of them.
    public var note: Note?

    /// Why a log has only a note of what is gone.
    public enum Note: Sendable, Hashable {
        /// Their track is gone with its journal: it was when the log was repaired or recording began, or nothing but the hole tells of it.
        case forgotten
        /// The log is an older copy: they were written to the one in whose place it is.
        case elsewhere
        /// They were logged in another folder, which was that of the log meanwhile.
        case moved
        /// The limits of the log deleted them.
        case deleted
    }

    /// The part of it after one number and up to another; nil when it has none there.
    public func part(after number: UInt64, through last: UInt64) -> LogLoss? {
        var part = self
        (part.after, part.through) = (max(after, number), min(through, last))
        return part.after < part.through ? part : nil
    }

    /// Whether ``count`` is the most that can be gone, and not the least: whole journals had no other numbers.
    public var isBounded: Bool { isCounted || isMissing || note != nil }

    /// How many records are gone; at least that many when they are not ``isBounded``.
    public var count: Int { isBounded ? Int(clamping: through - after) : 1 }
}

extension LogReader {
    /// Records that limits of the log deleted, and that a reader may lack.
    package enum Deleted: Sendable {
        /// Those of the log's main type.
        case positions
        /// Those that may not have been queued.
        case events
    }
}

/// What was not readable since the last record of a log.
struct LogGap {
    /// The journal.
    let journal: LogJournal
    /// Where the damage begins in it.
    let offset: Int64
    /// How far it reaches.
    let extent: Extent
    /// Whether there are bytes that cannot be read, and are no record that a power cut left unfinished.
    var isUnreadable = false

    /// How far damage reaches.
    enum Extent {
        /// Up to the next record.
        case record
        /// To the end of the journal.
        case end
        /// There is none; a finished journal may have been cut between two records.
        case none
    }

    /// What is gone with it, between a record that was read and the next one; nil for nothing.
    func loss(after number: UInt64, before next: UInt64, in folder: LogFolder) -> LogLoss? {
        let after = max(number, max(1, journal.firstSequence) - 1)
        guard after < next, next - after > 1 else { return nil }
        var loss = LogLoss(path: journal.path, offset: offset, after: after, through: next - 1, isCounted: true)
        switch extent {
        case .record: return loss
        case .end:
            // An empty one that the tracker was killed before it could write to: the next one noted that none of these was given.
            guard (try? journal.isBlank()) == true else { break }  // One that cannot be read is damaged.
            if [after + 1...next - 1].subtracting(RemovedNumbers(in: folder).ranges(.unused)).isEmpty { return nil }
        case .none: guard folder.trackEndsLater(than: journal) else { return nil }
        }
        guard let count = folder.recordCount(of: journal) else {
            loss.isCounted = false
            return loss
        }
        // Its track has what the journal had when it was finished.
        if let counted = loss.part(after: after, through: max(1, journal.firstSequence) - 1 + count) { return counted }
        // It was damaged already then, as by a crash: at least one record is gone.
        loss.isCounted = false
        return isUnreadable ? loss : nil
    }
}

/// The time that a reader of a log asks for.
struct LogPeriod {
    /// What is earlier is not wanted.
    var start: UTCTime?
    /// What is not earlier is not wanted.
    var end: UTCTime?

    /// Whether a track may have fixes in it: those of one UTC day, the day of its first one.
    fileprivate func mayContain(_ stem: TrackStem) -> Bool {
        if let start, stem.firstTime.day < start.day { return false }
        if let end, stem.firstTime >= end { return false }
        return true
    }
}

extension LogFolder {
    /// What is gone behind the last record of the log: with its last journal's end, or with journals that were removed.
    ///
    /// Only as far as the tracks count it, or it is noted. Otherwise nobody knows whether there was more.
    /// - Parameters:
    ///   - gap: what the end of the last journal lacks.
    ///   - isOwed: whether the reader is to get everything.
    func lossesAtEnd(after number: UInt64, _ gap: LogGap?, in period: LogPeriod, isOwed: Bool) -> [LogLoss] {
        var losses: [LogLoss] = []
        // From the bound on no number has been used yet; without it, later records might have the numbers that seem to be lost.
        if let bound = numberBound {
            let atEnd = gap?.extent == .record ? nil : gap?.loss(after: number, before: bound, in: self)
            losses += [atEnd].compactMap(\.self) + missingJournals(after: number, before: bound, in: period, isOwed: isOwed)
            losses.removeAll { !$0.isCounted }
        }
        guard number > 0 || isOwed, period.end == nil else { return losses }
        return losses + RemovedNumbers(in: self).losses(after: number, before: .max, besides: losses, in: self)
    }

    /// The first number that was certainly not used yet; nil when the file that has it cannot be read.
    var numberBound: UInt64? {
        SequenceCounter.bound((try? Syscalls.contents(of: sequencePath, as: .own)) ?? nil)  // See above.
    }

    /// What is gone with journals that were removed, between a record that was read and the next one.
    ///
    /// - Parameter isOwed: whether the reader is to get everything, and not only what follows the oldest record.
    /// - Cost: lists the folders; reads the tracks of missing journals.
    func missingJournals(
        after number: UInt64, before next: UInt64, in period: LogPeriod = LogPeriod(), isOwed: Bool = false
    ) -> [LogLoss] {
        guard number < next, next - number > 1, let known = try? journals(),  // It is reported by those who read them.
            let names = try? TrackDigests(folder: self).trackNames()  // See above.
        else { return [] }
        let there = Set(known.map(\.stem))
        let tracks = names.compactMap { name in
            LogFolder.stem(ofTrack: name).flatMap { LogFolder.trackName($0.description) == name ? $0 : nil }
        }
        // A reader of the oldest records lacks nothing of what even the tracks are gone of.
        let isAll = number > 0 || isOwed
        let listed = isAll ? TrackDigests(folder: self).names : []
        let lost = ((try? lostTracks(listed: listed, isOwed: true)) ?? []).map(\.stem)  // See above.
        let missing = (tracks.filter { !there.contains($0.description) } + lost).filter { $0.firstSequence < next }.sorted()
        let starts = (known.map(\.firstSequence) + missing.map(\.firstSequence)).sorted()
        let removed = RemovedNumbers(in: self)
        return missing.compactMap { stem in
            guard period.mayContain(stem) else { return nil }
            let end = removed.end(ofTrackFrom: stem.firstSequence, before: starts.first(after: stem.firstSequence) ?? next)
            let journal = LogJournal(
                stem: stem.description, path: finishedJournalPath(stem.description), isOpen: false, firstSequence: stem.firstSequence,
                firstTime: stem.firstTime)
            var loss = LogGap(journal: journal, offset: 0, extent: .end).loss(after: number, before: min(end, next), in: self)
            loss?.isMissing = true
            return loss
        }
    }

    /// The tracks of which `SHA256SUMS` alone is left, in order: their journals are gone, too, though no limit and no erasure deleted them.
    ///
    /// - Parameters:
    ///   - names: the names in the list.
    ///   - bound: the end of the numbers of the last track, when none follow it any more.
    ///   - isOwed: whether with those that a puller has acknowledged: others may not have them.
    /// - Returns: the tracks, with the numbers that they may have had; of the last one of a log only the first is known without a bound.
    func lostTracks(
        listed names: Set<String>, before bound: UInt64? = nil, isOwed: Bool = false
    ) throws(RecordingError) -> [(stem: TrackStem, numbers: ClosedRange<UInt64>)] {
        let present = try TrackDigests(folder: self).trackNames()
        let listed = names.subtracting(present).compactMap { name in
            LogFolder.stem(ofTrack: name).flatMap { LogFolder.trackName($0.description) == name ? $0 : nil }
        }
        if listed.isEmpty { return [] }
        let journals = try journals()
        let stems = Set(journals.map(\.stem))
        let known = journals.map(\.firstSequence) + (listed + present.compactMap(LogFolder.stem(ofTrack:))).map(\.firstSequence)
        let starts = known.sorted()
        let removed = RemovedNumbers(in: self)
        let pullers = isOwed ? [] : (try? Pullers(folder: self).all()) ?? []  // Of a damaged list nothing counts as pulled.
        let pulled = pullers.map(\.cursor).max() ?? 0
        return listed.sorted().compactMap { track in
            let first = track.firstSequence
            let end = removed.end(ofTrackFrom: first, before: starts.first(after: first) ?? bound ?? first + 1)
            guard !stems.contains(track.description), pulled + 1 < end, !removed.has(first, .removed) else { return nil }
            return (track, first...end - 1)
        }
    }

    /// How many records went into the GPX file of a journal, with the breaks before its segments; nil when there is no such file.
    fileprivate func recordCount(of journal: LogJournal) -> UInt64? {
        let tags = ["<trkpt ", "<trkseg>", "<wpt "].map { Array($0.utf8) }
        guard let file = try? FileReader(path: trackPath(journal.stem), as: .own) else { return nil }  // Without it nothing can be counted.
        var (count, pending): (UInt64, [UInt8]) = (0, [])
        let continued: UInt64 = continuesSegment(journal) ? 1 : 0
        while true {
            guard let bytes = try? file.read() else { return nil }  // See above.
            pending += bytes
            // A tag may continue in the next piece.
            let end = bytes.isEmpty ? pending.count : max(0, pending.count - 8)
            for place in 0..<end where pending[place] == UInt8(ascii: "<") {
                if tags.contains(where: { pending[place...].starts(with: $0) }) { count += 1 }
            }
            pending.removeFirst(end)
            if bytes.isEmpty { return max(count, continued) - continued }
        }
    }

    /// Whether a journal begins without a break, so that the first segment of its track has none either.
    private func continuesSegment(_ journal: LogJournal) -> Bool {
        guard var reader = try? JournalReader(path: journal.path, isGrowing: false) else { return false }  // It cannot be read now.
        guard let first = try? reader.next(), first.sequence == journal.firstSequence else { return false }  // See above.
        if case .segmentBreak = first.content { return false }
        return true
    }

    /// Whether the GPX file of a finished journal has a point after the journal's last one.
    ///
    /// - Cost: reads the ends of both files.
    fileprivate func trackEndsLater(than journal: LogJournal) -> Bool {
        guard let last = lastTime(ofTrack: journal.stem),
            var reader = try? JournalReader(path: journal.path, isGrowing: false),  // Without it there is nothing to compare.
            let time = try? reader.lastRecords().time  // See above.
        else { return false }
        return last > time
    }

    /// The time of the last point of a GPX file; nil when there is none.
    private func lastTime(ofTrack stem: String) -> UTCTime? {
        guard let file = try? FileReader(path: trackPath(stem), as: .own), let end = file.byteCount,  // See above.
            let bytes = try? file.read(at: max(0, end - 4_096), upTo: 4_096)  // See above.
        else { return nil }
        let tag = Array("<time>".utf8)
        guard let place = bytes.indices.last(where: { bytes[$0...].starts(with: tag) }) else { return nil }
        return UTCTime(rfc3339: Array(bytes[(place + tag.count)...].prefix { $0 != UInt8(ascii: "<") }).span)
    }
}

extension [UInt64] {
    /// The first one after a number; they are in order.
    fileprivate func first(after number: UInt64) -> UInt64? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > number { high = middle } else { low = middle + 1 }
        }
        return low < endIndex ? self[low] : nil
    }
}
