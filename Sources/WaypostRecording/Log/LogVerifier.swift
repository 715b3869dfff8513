import Waypost
import WaypostSystem

/// Something in a log that differs from what was written.
package struct LogFault: Sendable, Hashable {
    /// The file.
    package var path: String
    /// The problem and its place, in words for people.
    package var words: String
}

/// Checks a log against what was written: its journals' checksums, its GPX files against its journals, and `SHA256SUMS`.
///
/// A missing file is not a fault when a puller has acknowledged its whole track.
/// It needs no lock and changes nothing; a growing journal is checked up to its current end.
/// - Cost: reads the whole log; memory for a piece of two files.
package struct LogVerifier: Sendable {
    private let folder: LogFolder

    /// Creates a verifier of a log.
    package init(folder: LogFolder) {
        self.folder = folder
    }

    /// The tracks whose journal is missing; empty when there are none.
    package func journalFaults() throws(RecordingError) -> [LogFault] {
        let stems = Set(try folder.journals().map(\.stem))
        let losses = folder.missingJournals(after: 0, before: JournalCodec.sequences.upperBound)
        return try TrackDigests(folder: folder).trackNames().compactMap { name in
            guard let stem = LogFolder.stem(ofTrack: name)?.description, !stems.contains(stem), name == LogFolder.trackName(stem),
                // Finished, or deleted with its journal, since the listing.
                !Syscalls.exists(folder.finishedJournalPath(stem)), !Syscalls.exists(folder.openJournalPath(stem)),
                Syscalls.exists(folder.trackPath(stem))
            else { return nil }
            let path = folder.finishedJournalPath(stem)
            let loss = losses.first { $0.path == path && $0.isCounted }
            let lost = loss.map { ", and numbers \($0.after + 1) to \($0.through) are lost" } ?? ""
            return LogFault(path: path, words: "is missing: its track \(name) is there\(lost)")
        }
    }

    /// The fault of the list of pullers; empty when it is as it was written.
    package func pullerFaults() throws(RecordingError) -> [LogFault] {
        do {
            _ = try Pullers(folder: folder).all()
            return []
        } catch {
            guard case .damagedPullers(let path) = error else { throw error }
            return [LogFault(path: path, words: RecordingError.damagedPullersWords)]
        }
    }

    /// The faults in `SHA256SUMS`, and in the GPX files compared with it; empty when there are none.
    package func digestFaults() throws(RecordingError) -> [LogFault] {
        try TrackDigests(folder: folder).faults()
    }

    /// The faults in a journal and its track; empty when there are none.
    package func faults(of journal: LogJournal) throws(RecordingError) -> [LogFault] {
        var reader = try JournalReader(path: journal.path)
        let next = try folder.firstSequence(after: journal.stem)
        let trackPath = folder.trackPath(journal.stem)
        var track = journal.isOpen ? nil : try TrackPoints.open(trackPath)
        var faults: [LogFault] = []
        var segmenter = TrackSegmenter(includesNotMeasured: true)
        var knownDamageCount = 0
        var number = 0
        var expected = TextBuffer()
        var writer = GPXWriter(creator: "")
        var difference: String?
        var content = TrackContent()
        while let record = try reader.next() {
            if reader.decoder.damageCount > knownDamageCount {
                knownDamageCount = reader.decoder.damageCount
                segmenter.note(.gap)
            }
            content.process(record, before: next)
            // The main file contains the positions of the journal's first type.
            guard record.types.contains(reader.decoder.header.mainType(or: .raw)), record.sequence < next else { continue }
            if case .segmentBreak(let reason) = record.content { segmenter.note(reason) }
            if case .lost(let after, let isCounted) = record.content {
                segmenter.note(.gap)
                let count = Int(clamping: record.sequence - after)
                let what = isCounted ? "\(counted(count, "record")) \(count == 1 ? "is" : "are") lost" : "records are lost"
                faults.append(LogFault(path: journal.path, words: "\(what) after number \(after), from before a stretch was erased"))
            }
            guard track != nil, difference == nil, case .position(let position) = record.content, case .log = segmenter.process(position)
            else {
                continue
            }
            number += 1
            expected.removeAll()
            writer.point(position, into: &expected)
            let found = try track?.next()
            if found == nil || !TrackPoints.isSamePoint(found ?? [], expected.bytes) {
                difference = found == nil ? "ends before point \(number)" : "point \(number) is not the journal's"
            }
        }
        var isLonger = false
        if difference == nil { isLonger = try track?.next() != nil }
        if isLonger { difference = "has more points than its journal's \(number)" }
        // Which of the two has changed since they were written.
        let isJournalWhole = reader.decoder.damage.isEmpty && (journal.isOpen || reader.decoder.unfinishedByteCount == 0)
        let isTrackWhole = difference == nil ? nil : try TrackDigests(folder: folder).isAsWritten(LogFolder.trackName(journal.stem))
        if let difference, isJournalWhole || isTrackWhole != true {
            let advice = LogVerifier.advice(isJournalWhole: isJournalWhole, isTrackWhole: isTrackWhole, isLonger: isLonger)
            faults.append(LogFault(path: trackPath, words: difference + advice))
        }
        if !journal.isOpen, try !content.isFetched(folder) {
            for name in content.names(journal.stem, reader.decoder.header) where !Syscalls.exists("\(folder.path)/\(name)") {
                faults.append(
                    LogFault(
                        path: "\(folder.path)/\(name)",
                        words: "is missing; waypost log recover, while no tracker records here, makes it again from its journal"))
            }
        }
        let kept = isTrackWhole == true ? "; its track \(LogFolder.trackName(journal.stem)) is as it was written: keep that" : ""
        // In an open journal the last record may still be being written; a finished one was cut after its last record.
        if !journal.isOpen, reader.decoder.unfinishedByteCount > 0 {
            faults.append(
                LogFault(
                    path: journal.path,
                    words: "ends within a record: \(counted(reader.decoder.unfinishedByteCount, "byte")) of it there" + kept))
        }
        for stretch in reader.decoder.damage {
            let what =
                stretch.missingCount > 0
                ? "\(counted(stretch.missingCount, "record")) \(stretch.missingCount == 1 ? "is" : "are") missing before byte \(stretch.offset)"
                : "not readable: \(counted(stretch.byteCount, "byte")) from byte \(stretch.offset) on"
            faults.append(LogFault(path: journal.path, words: what + kept))
        }
        return faults
    }

    /// What to do about a track that differs from its journal, by which of them passes its own checksums.
    ///
    /// - Parameters:
    ///   - isTrackWhole: nil where `SHA256SUMS` does not say.
    ///   - isLonger: whether the track goes on where the journal ends.
    private static func advice(isJournalWhole: Bool, isTrackWhole: Bool?, isLonger: Bool) -> String {
        switch (isJournalWhole, isTrackWhole) {
        case (true, false?):
            return "; the journal passes its checksums and this file does not: move it away, and waypost log recover makes it again"
        case (true, nil): return "; the journal passes its checksums: move this file away, and waypost log recover makes it again"
        case (true, true?) where isLonger:
            return "; this file is as it was written, and the journal was cut between two records: keep this file"
        case (true, true?): return ", although both pass their checksums: one was changed with its checksum"
        case (false, false?): return "; the journal is damaged, too: take both from a copy"
        case (false, _): return "; the journal is damaged, and SHA256SUMS does not say whether this file is: keep it"
        }
    }
}

/// The content of a journal for its GPX files.
private struct TrackContent {
    private var types: LogTypes = []
    private var hasEvents = false
    private var lastSequence: UInt64 = 0

    mutating func process(_ record: JournalRecord, before next: UInt64) {
        guard record.sequence < next else { return }
        lastSequence = record.sequence
        switch record.content {
        case .position(let position): if position.time?.hasFourDigitYear == true { types.formUnion(record.types) }
        case .event(let event): if event.position != nil { hasEvents = true }
        case .segmentBreak, .lost, .other: break
        }
    }

    /// The files that the finisher makes from it.
    func names(_ stem: String, _ header: JournalHeader?) -> [String] {
        (header?.types ?? [.raw]).enumerated().compactMap { index, type in
            guard types.contains(LogTypes(type)) || index == 0 && hasEvents else { return nil }
            return LogFolder.trackName(stem, type: index == 0 ? nil : type)
        }
    }

    /// Whether a puller has all of it.
    func isFetched(_ folder: LogFolder) throws(RecordingError) -> Bool {
        do {
            return try Pullers(folder: folder).all().contains { $0.cursor >= lastSequence }
        } catch {
            // Nothing counts as pulled then.
            if case .damagedPullers = error { return false }
            throw error
        }
    }
}

/// The points of one of our GPX files, one line each.
private struct TrackPoints: ~Copyable {
    private let file: FileReader
    private var pending: [UInt8] = []
    private var head = 0
    private var isEnded = false

    /// Opens a track; nil when there is none (it was fetched and deleted, or the journal contained no fix).
    static func open(_ path: String) throws(RecordingError) -> TrackPoints? {
        do {
            return TrackPoints(try FileReader(path: path, as: .own))
        } catch {
            if error.isMissing { return nil }
            throw .cannotRead(path: path, cause: error)
        }
    }

    private init(_ file: consuming FileReader) { self.file = file }

    /// The next point's line; nil at the end.
    mutating func next() throws(RecordingError) -> [UInt8]? {
        while true {
            if let end = pending[head...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[head..<end]
                head = end + 1
                // A segment may begin on the same line.
                if let start = TrackPoints.start(of: "<trkpt", in: line) { return Array(line[start...]) }
                continue
            }
            if isEnded { return nil }
            pending.removeFirst(head)
            head = 0
            do {
                let bytes = try file.read()
                isEnded = bytes.isEmpty
                pending += bytes
            } catch {
                throw .cannotRead(path: file.path, cause: error)
            }
        }
    }

    /// Whether two points have the same place and time; versions of waypost may write different details.
    static func isSamePoint(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        key(first) != nil && key(first) == key(second)
    }

    private static func key(_ line: [UInt8]) -> [UInt8]? {
        // The writer opens the track before the first point.
        guard let point = start(of: "<trkpt", in: line[...]), let end = line[point...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
        guard let time = start(of: "<time>", in: line[...]), let timeEnd = start(of: "</time>", in: line[...]) else { return nil }
        return Array(line[point...end]) + Array(line[time..<timeEnd])
    }

    private static func start(of word: StaticString, in line: ArraySlice<UInt8>) -> Int? {
        let word = word.withUTF8Buffer { Array($0) }
        guard line.count >= word.count else { return nil }
        return (line.startIndex...line.endIndex - word.count).first { line[$0..<$0 + word.count].elementsEqual(word) }
    }
}
