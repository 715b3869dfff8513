import Waypost
import WaypostSystem

/// Makes the GPX file of a journal that nobody appends to any more, and marks the journal as finished.
///
/// It may be interrupted at any point and run again: the GPX file appears whole or not at all; one that is there is kept as it is (it was
/// made from this same journal, whose name no other has); the journal is marked only after the file is on the disk.
/// - Cost: memory for one piece of either file, however long they are.
struct TrackFinisher {
    let folder: LogFolder
    let creator: String

    /// Finishes the open journal of that name.
    func finish(_ stem: String) throws(RecordingError) -> FinishedTrack {
        let openPath = folder.openJournalPath(stem)
        let trackPath = folder.trackPath(stem)
        let isTrackThere = Syscalls.exists(trackPath)
        var track = FinishedTrack(stem: stem, journalPath: folder.finishedJournalPath(stem))
        var journal = try JournalReader(path: openPath)
        // Times grow within a segment also where a break was lost with a damaged stretch.
        var segmenter = TrackSegmenter(includesNotMeasured: true)
        var knownDamageCount = 0
        var file: TrackFile?
        while let record = try journal.next() {
            if journal.decoder.damageCount > knownDamageCount {
                knownDamageCount = journal.decoder.damageCount
                segmenter.note(.loss)
            }
            switch record.content {
            case .segmentBreak(let reason):
                segmenter.note(reason)
            case .position(let position):
                guard case .log(let segmentBreak) = segmenter.process(position) else { continue }
                track.count(position, beginsSegment: segmentBreak != nil)
                if isTrackThere { continue }
                if file == nil { file = try TrackFile(path: trackPath, name: stem, time: position.time, creator: creator) }
                try file?.add(position, beginsSegment: segmentBreak != nil)
            case .other:
                continue
            }
        }
        if let file { track.writtenByteCount = try file.finish(lastTime: track.lastTime) }
        if track.positionCount > 0 { track.trackPath = trackPath }
        track.lastSequence = journal.decoder.lastSequence
        track.damage = journal.decoder.damage
        track.damageCount = journal.decoder.damageCount
        track.damagedByteCount = journal.decoder.damagedByteCount
        try markFinished(stem, byteCount: journal.decoder.endOfContent)
        return track
    }

    private func markFinished(_ stem: String, byteCount: Int64) throws(RecordingError) {
        let finishedPath = folder.finishedJournalPath(stem)
        do {
            try AppendOnlyFile.seal(folder.openJournalPath(stem), byteCount: byteCount)
            try Syscalls.rename(folder.openJournalPath(stem), to: finishedPath)
            try Syscalls.synchronizeFolder(folder.journalFolder)
        } catch {
            throw .cannotFinish(path: finishedPath, cause: error)
        }
    }
}

/// A GPX file while it is written.
private struct TrackFile: ~Copyable {
    private let path: String
    private let file: AtomicFile
    private var writer: GPXWriter
    private var text = TextBuffer(capacity: 1 << 16)
    private var byteCount = 0

    init(path: String, name: String, time: UTCTime?, creator: String) throws(RecordingError) {
        do {
            file = try AtomicFile(path: path)
        } catch {
            throw .cannotFinish(path: path, cause: error)
        }
        self.path = path
        writer = GPXWriter(creator: creator)
        writer.begin(name: name, time: time, into: &text)
    }

    mutating func add(_ position: Position, beginsSegment: Bool) throws(RecordingError) {
        if beginsSegment { writer.breakSegment(into: &text) }
        writer.point(position, into: &text)
        if text.count > 60_000 { try flush() }
    }

    /// Returns how many bytes the file has.
    consuming func finish(lastTime: UTCTime?) throws(RecordingError) -> Int {
        writer.end(into: &text)
        try flush()
        let (path, byteCount) = (path, byteCount)
        do {
            try file.commit(mode: 0o440, modifiedMilliseconds: lastTime?.millisecondsSince1970)
        } catch {
            throw .cannotFinish(path: path, cause: error)
        }
        return byteCount
    }

    private mutating func flush() throws(RecordingError) {
        do {
            try file.write(text.bytes)
        } catch {
            throw .cannotFinish(path: path, cause: error)
        }
        byteCount += text.count
        text.removeAll()
    }
}
