import Waypost
import WaypostSystem

/// Finishes tracks and deletes old ones on its own thread: a long track takes seconds, and recording must not wait for it.
actor TrackArchive {
    private let folder: LogFolder
    private let creator: String
    private let types: [LogType]
    private let executor: ThreadExecutor
    /// The last records of finished journals, cached so that each is looked up once.
    private var lastRecords: [String: (sequence: UInt64?, time: UTCTime?)] = [:]
    /// What is to be noted of deleted numbers, and could not be yet.
    private var unnoted: [RemovedNumbers.Note] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(folder: LogFolder, creator: String, types: [LogType]) throws(SystemError) {
        self.folder = folder
        self.creator = creator
        self.types = types
        executor = try ThreadExecutor(name: "archive")
    }

    /// Makes the files of an open journal; nil when it has been finished in the meantime.
    func finish(_ stem: String) throws(RecordingError) -> FinishedTrack? {
        guard Syscalls.exists(folder.openJournalPath(stem)) else { return nil }
        return try TrackFinisher(folder: folder, creator: creator, types: types).finish(stem)
    }

    /// Whether one of the journals being recorded contains something of the stretch.
    func isConcerned(by from: UTCTime, _ to: UTCTime, recorded stems: [String]) throws(RecordingError) -> Bool {
        for stem in stems where try LogEraser(folder: folder, creator: creator).isConcerned(by: from, to, stem) { return true }
        return false
    }

    /// Erases a stretch from the journals that begin before that number.
    func erase(from: UTCTime, to: UTCTime, before limit: UInt64, isListed: Bool = true) throws(RecordingError) -> LogErasure {
        lastRecords = [:]
        return try LogEraser(folder: folder, creator: creator, limit: limit, isListed: isListed).erase(from: from, to: to)
    }

    /// Whether the log has any of these records.
    func has(_ erased: ErasedRecords) throws(RecordingError) -> Bool { try folder.has(erased) }

    /// Completes an interrupted erasure, if there is one.
    func resumeErasure(before limit: UInt64) throws(RecordingError) {
        if try LogEraser(folder: folder, creator: creator, limit: limit).resume() != nil { lastRecords = [:] }
    }

    /// Makes `SHA256SUMS` agree with the existing files.
    func updateDigests() throws(RecordingError) {
        // Before, because the line of a track of which nothing is noted stays in the list.
        _ = noteRest()
        try TrackDigests(folder: folder).update()
    }

    /// Deletes what the rule does not keep; returns the deleted tracks, oldest first.
    ///
    /// A journal of another version stays, and one that is not an ordinary file, because it is not known what in it was fetched or sent.
    /// Interrupted at any point, the next run deletes the rest: the list of digests first, then the files, the journal last. On a disk that has
    /// no room for that list, GPX files go before it, the oldest first, until it has: a file that is listed and missing is made good by the
    /// next update as long as its journal is there, and no record counts as lost. Only where no GPX file is left to make room, a journal
    /// goes before the list, too.
    /// - Parameters:
    ///   - rule: what is kept.
    ///   - confirmedTime: the current time, when it is certain.
    ///   - note: receives the tracks before they are deleted, and returns whether it is counted what destinations lack of them.
    func delete(
        by rule: RetentionRule, confirmedTime: UTCTime?, noting note: @Sendable ([DeletedTrack]) async -> Bool
    ) async throws(RecordingError) -> [DeletedTrack] {
        guard !rule.isIdle else { return [] }
        let (tracks, unreadableByteCount) = try finishedTracks()
        let openByteCount = try folder.journals().filter(\.isOpen).reduce(unreadableByteCount) { $0 + $1.writtenByteCount }
        let situation = RetentionRule.Situation(
            confirmedTime: confirmedTime, freeByteCount: Syscalls.freeByteCount(at: folder.path), openByteCount: openByteCount,
            pullers: rule.keepsUnpulled ? try Pullers(folder: folder).all() : [])
        let expired = rule.expiries(tracks.map(\.track), in: situation)
        guard !expired.isEmpty else { return [] }
        let stems = Set(expired.map(\.track.stem))
        let type = types.first.map(LogTypes.init) ?? .raw
        let deleted = expired.map { track, reason in
            DeletedTrack(stem: track.stem, reason: reason, journalPath: folder.finishedJournalPath(track.stem), type: type)
        }
        let isCounted = await note(deleted)
        let files = tracks.filter { stems.contains($0.track.stem) }
        let numbers = files.compactMap { file -> ClosedRange<UInt64>? in
            let first = TrackStem(file.track.stem)?.firstSequence ?? 0
            return file.track.lastSequence.flatMap { first > 0 && $0 >= first ? first...$0 : nil }
        }
        var notes = numbers.map { RemovedNumbers.Note(numbers: $0, fate: .removed) }
        for track in deleted {
            notes += track.positions.map { .init(numbers: $0, fate: isCounted ? .counted : .uncounted) }
            if !isCounted { notes += track.events.map { .init(numbers: $0, fate: .unqueued) } }
        }
        unnoted += notes
        let names = Set(files.flatMap(\.names))
        var isPrepared = try prepareDeletion(of: names)
        for file in files where !isPrepared && !file.names.isEmpty {
            for name in file.names { try remove("\(folder.path)/\(name)") }
            try synchronizeFolder(folder.path)
            isPrepared = try prepareDeletion(of: names)
        }
        for file in files {
            for name in file.names { try remove("\(folder.path)/\(name)") }
            try remove(folder.finishedJournalPath(file.track.stem))
            lastRecords[file.track.stem] = nil
            if !isPrepared { isPrepared = try prepareDeletion(of: names) }
        }
        for folder in [folder.path, folder.journalFolder] { try synchronizeFolder(folder) }
        return deleted
    }

    /// Notes the deleted numbers, and removes the lines of tracks from the list of digests; false when the disk has no room for either.
    private func prepareDeletion(of names: Set<String>) throws(RecordingError) -> Bool {
        let isNoted = noteRest()
        do throws(RecordingError) { try TrackDigests(folder: folder).update(removing: names) } catch {
            guard case .cannotFinish(_, let cause) = error, cause.isDiskFull else { throw error }
            return false
        }
        return isNoted
    }

    /// Notes what could not be noted so far; returns whether all of it is on the disk.
    private func noteRest() -> Bool {
        if folder.note(unnoted) { unnoted = [] }
        return unnoted.isEmpty
    }

    private func remove(_ path: String) throws(RecordingError) {
        do { try Syscalls.remove(path) } catch { throw .cannotDelete(path: path, cause: error) }
    }

    private func synchronizeFolder(_ path: String) throws(RecordingError) {
        do { try Syscalls.synchronizeFolder(path) } catch { throw .cannotDelete(path: path, cause: error) }
    }

    /// The finished tracks, oldest first, with the names of their GPX files; and the bytes of those with journals of another version.
    private func finishedTracks() throws(RecordingError) -> (
        tracks: [(track: RetentionRule.Track, names: [String])], unreadableByteCount: Int64
    ) {
        let journals = try folder.journals()
        let open = Set(journals.filter(\.isOpen).map(\.stem))
        var names: [TrackStem: [String]] = [:]
        for journal in journals where !journal.isOpen {
            if let stem = TrackStem(journal.stem) { names[stem] = [] }
        }
        for name in try TrackDigests(folder: folder).trackNames() {
            guard let stem = LogFolder.stem(ofTrack: name), !open.contains(stem.description) else { continue }
            names[stem, default: []].append(name)
        }
        var tracks: [(track: RetentionRule.Track, names: [String])] = []
        var unreadableByteCount: Int64 = 0
        for stem in names.keys.sorted() {
            let paths = (names[stem] ?? []).map { "\(folder.path)/\($0)" } + [folder.finishedJournalPath(stem.description)]
            let byteCount = paths.reduce(0) { $0 + (Syscalls.byteCount(of: $1) ?? 0) }
            let last: (sequence: UInt64?, time: UTCTime?)
            do throws(RecordingError) {
                last = try lastRecord(of: stem)
            } catch {
                guard error.isOfOneJournal else { throw error }
                unreadableByteCount += byteCount
                continue
            }
            tracks.append(
                (
                    .init(stem: stem.description, lastSequence: last.sequence, lastTime: last.time, byteCount: byteCount),
                    names[stem] ?? []
                ))
        }
        return (tracks, unreadableByteCount)
    }

    private func lastRecord(of stem: TrackStem) throws(RecordingError) -> (sequence: UInt64?, time: UTCTime?) {
        if let known = lastRecords[stem.description] { return known }
        let path = folder.finishedJournalPath(stem.description)
        // A track whose journal was removed: what a puller has of it is unknown.
        guard Syscalls.exists(path) else { return (nil, stem.firstTime) }
        var journal = try JournalReader(path: path)
        let last = try journal.lastRecords()
        let found = (last.sequence, last.time ?? stem.firstTime)
        lastRecords[stem.description] = found
        return found
    }
}
