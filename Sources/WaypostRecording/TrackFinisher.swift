import Waypost
import WaypostSystem

/// Makes the GPX files of a journal that is no longer written, and marks the journal as finished.
///
/// It may be interrupted at any point and run again: a GPX file appears complete or not at all; an existing one is kept unchanged (it was
/// made from this same journal, whose name no other has); `SHA256SUMS` gets the missing lines; the journal is marked only after all
/// of that is on the disk.
///
/// Each type in the journal's header becomes a file, the first one `STEM.gpx`, the others `STEM.TYPE.gpx`. Events are waypoints of the
/// first file, before its track as the schema requires, so that file takes a pass over the journal more when there are any.
/// - Cost: memory for one piece of either file, however long they are.
struct TrackFinisher {
    let folder: LogFolder
    let creator: String
    /// The types assumed for a journal whose header cannot be read.
    var types: [LogType] = [.raw]

    /// Finishes the open journal of that name.
    func finish(_ stem: String) throws(RecordingError) -> FinishedTrack {
        let track = try makeFiles(stem, of: folder.openJournalPath(stem))
        try markFinished(stem, byteCount: track.contentByteCount)
        return track
    }

    /// Makes the missing GPX files of a finished journal again; nil when none is missing, or the journal yields none.
    func restore(_ stem: String) throws(RecordingError) -> FinishedTrack? {
        let path = folder.finishedJournalPath(stem)
        var journal = try JournalReader(path: path, isGrowing: false)
        _ = try journal.next()
        let paths = trackNames(stem, journal.decoder.header).map { "\(folder.path)/\($0.name)" }
        if paths.allSatisfy({ TrackFinisher.isTrack(at: $0) && TrackFinisher.obstacle(at: $0) == nil }) { return nil }
        let track = try makeFiles(stem, of: path)
        return track.writtenByteCount > 0 ? track : nil
    }

    /// The names and types of the files for a journal with that header.
    private func trackNames(_ stem: String, _ header: JournalHeader?) -> [(name: String, type: LogType, isMain: Bool)] {
        (header?.types ?? types).enumerated().map { index, type in
            (LogFolder.trackName(stem, type: index == 0 ? nil : type), type, index == 0)
        }
    }

    /// What is in a track's place and is no track: a link, a folder or a FIFO; nil when there is a file, or nothing.
    private static func obstacle(at path: String) -> RecordingError? {
        Syscalls.oddFile(path).map { .cannotFinish(path: path, cause: $0) }
    }

    /// Whether something is there that is kept; an empty file, as the check of a file system leaves it, is made anew.
    private static func isTrack(at path: String) -> Bool {
        Syscalls.exists(path) && Syscalls.byteCount(of: path) != 0
    }

    /// Makes the missing files.
    ///
    /// - Errors: also what is in a track's place and is none, once the others are made.
    private func makeFiles(_ stem: String, of journalPath: String) throws(RecordingError) -> FinishedTrack {
        let next = try folder.firstSequence(after: stem)
        var track = FinishedTrack(stem: stem, journalPath: folder.finishedJournalPath(stem))
        let header = try survey(journalPath, before: next, into: &track)
        var digests: [String: String] = [:]
        var obstacle: RecordingError?
        for (name, type, isMain) in trackNames(stem, header) {
            let path = "\(folder.path)/\(name)"
            if let found = TrackFinisher.obstacle(at: path) {
                obstacle = obstacle ?? found
                continue
            }
            var file: TrackFile?
            let isThere = TrackFinisher.isTrack(at: path)
            if !isThere {
                file = try make(
                    path, of: journalPath, stem: stem, type: LogTypes(type), withEvents: isMain && track.eventCount > 0, before: next)
            }
            if let file {
                let (byteCount, digest) = try file.finish(lastTime: track.lastTime)
                track.writtenByteCount += byteCount
                digests[name] = digest
            } else if !isThere {
                continue
            }
            if isMain { track.trackPath = path } else { track.otherTrackPaths.append(path) }
        }
        try TrackDigests(folder: folder).update(adding: digests)
        if let obstacle { throw obstacle }
        return track
    }

    /// Counts the journal's contents for the first of its types.
    private func survey(_ path: String, before next: UInt64, into track: inout FinishedTrack) throws(RecordingError) -> JournalHeader? {
        var journal = try JournalReader(path: path, isGrowing: false)
        var filter = TrackFilter()
        var type = LogTypes(types.first ?? .raw)
        while let record = try journal.next() {
            type = journal.decoder.header.mainType(or: type)
            guard record.sequence < next else { continue }
            track.lastSequence = record.sequence
            switch record.content {
            case .position(let position):
                let isContinuing = track.positionCount == 0 && !filter.hasBreak
                guard let beginsSegment = filter.process(record, position, type, damageCount: journal.decoder.damageCount) else { continue }
                if isContinuing { track.continuesPrevious = true }
                track.count(position, beginsSegment: beginsSegment)
            case .segmentBreak(let reason): filter.note(reason, record, type)
            case .lost: filter.note(.gap, record, type)
            case .event: track.eventCount += 1
            case .other: continue
            }
        }
        track.damage = journal.decoder.damage
        track.damageCount = journal.decoder.damageCount
        track.damagedByteCount = journal.decoder.damagedByteCount
        track.contentByteCount = journal.decoder.endOfContent
        return journal.decoder.header
    }

    /// Writes a GPX file; nil when there is nothing to write.
    private func make(
        _ path: String, of journalPath: String, stem: String, type: LogTypes, withEvents: Bool, before next: UInt64
    ) throws(RecordingError) -> TrackFile? {
        var file: TrackFile?
        if withEvents {
            var journal = try JournalReader(path: journalPath, isGrowing: false)
            while let record = try journal.next() {
                guard case .event(let event) = record.content, event.position != nil, record.sequence < next else { continue }
                if file == nil { file = try TrackFile(path: path, name: stem, time: event.time, creator: creator) }
                try file?.add(event)
            }
        }
        var journal = try JournalReader(path: journalPath, isGrowing: false)
        var filter = TrackFilter()
        while let record = try journal.next() {
            guard record.sequence < next else { continue }
            switch record.content {
            case .segmentBreak(let reason): filter.note(reason, record, type)
            case .lost: filter.note(.gap, record, type)
            case .position(let position):
                guard let beginsSegment = filter.process(record, position, type, damageCount: journal.decoder.damageCount) else { continue }
                if file == nil { file = try TrackFile(path: path, name: stem, time: position.time, creator: creator) }
                try file?.add(position, beginsSegment: beginsSegment)
            case .event, .other: continue
            }
        }
        return file
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

/// Selects the positions of one type, and finds where its segments begin.
package struct TrackFilter {
    /// Whether a break was noted so far.
    package private(set) var hasBreak = false
    // Times also grow within a segment where a break was lost with a damaged stretch.
    private var segmenter = TrackSegmenter(includesNotMeasured: true)
    private var knownDamageCount = 0

    /// Creates a filter before the first record.
    package init() {}

    /// Takes note of a break; of another type's it is none.
    package mutating func note(_ reason: SegmentBreak, _ record: JournalRecord, _ type: LogTypes) {
        guard record.types.contains(type) else { return }
        hasBreak = true
        segmenter.note(reason)
    }

    /// Whether the position begins a segment; nil when it does not belong to the track.
    package mutating func process(_ record: JournalRecord, _ position: Position, _ type: LogTypes, damageCount: Int) -> Bool? {
        if damageCount > knownDamageCount {
            knownDamageCount = damageCount
            segmenter.note(.gap)
        }
        guard record.types.contains(type), case .log(let segmentBreak) = segmenter.process(position) else { return nil }
        return segmentBreak != nil
    }
}
