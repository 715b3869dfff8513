import Waypost
import WaypostSystem

/// Recovers and erases in a log that is not being recorded.
///
/// ```swift
/// let maintenance = try LogMaintenance(folder: LogFolder(path: "/var/log/waypost"))
/// let recovery = try maintenance.recover()
/// ```
/// - Concurrency: holds the log's lock while it exists; a recorder cannot start in that time.
package struct LogMaintenance: ~Copyable {
    private let folder: LogFolder
    private let creator: String
    private let lock: FileLock

    /// Locks the log; creates nothing but the lock.
    ///
    /// - Parameters:
    ///   - folder: the log's folder.
    ///   - creator: the program named in GPX files.
    /// - Errors: `alreadyInUse` while a recorder runs; `cannotPrepare`, also when there is no log.
    package init(folder: LogFolder, creator: String = "waypost") throws(RecordingError) {
        lock = try folder.lock(creates: false)
        self.folder = folder
        self.creator = creator
    }

    /// Completes an interrupted erasure and makes the missing GPX files, both of journals left by a crash and of those whose files were removed.
    ///
    /// A recorder's own recovery does not restore removed files: they were fetched.
    package func recover() throws(RecordingError) -> TrackRecorder.Recovery {
        let bound = folder.numberBound
        let lastRun = bound.map { LastRun(of: folder, next: $0) }
        _ = try LogEraser(folder: folder, creator: creator).resume()
        var recovery = TrackRecorder.Recovery()
        let stems: [String]
        do {
            stems = try folder.openStems()
        } catch {
            throw .cannotRead(path: folder.journalFolder, cause: error)
        }
        for stem in stems {
            do {
                recovery.tracks.append(try TrackFinisher(folder: folder, creator: creator).finish(stem))
            } catch {
                recovery.failures.append(error)
            }
        }
        for journal in try folder.journals() where !journal.isOpen {
            do {
                if let track = try TrackFinisher(folder: folder, creator: creator).restore(journal.stem) { recovery.tracks.append(track) }
            } catch {
                recovery.failures.append(error)
            }
        }
        do {
            if let lastRun { _ = folder.note(lastRun.notes) }  // Without room for it, readers are told less.
            let lost = try folder.lostTracks(listed: TrackDigests(folder: folder).names, before: bound)
            // What no list names any more is still missing for readers.
            let owed = try folder.lostTracks(listed: TrackDigests(folder: folder).names, before: bound, isOwed: true)
            folder.note(owed.map(\.numbers), as: .lost)
            try TrackDigests(folder: folder).update(forgetsLost: true)
            recovery.forgottenPaths = lost.map { folder.trackPath($0.stem.description) }
        } catch {
            recovery.failures.append(error)
        }
        return recovery
    }

    /// Erases the fixes from one moment up to but not including another; journals without a track get theirs.
    package func erase(from: UTCTime, to: UTCTime) throws(RecordingError) -> LogErasure {
        try LogEraser(folder: folder, creator: creator).erase(from: from, to: to)
    }

    /// Erases records from a log, for a tracker that forgets them elsewhere itself; where it has none of them, nothing is written.
    package static func erase(_ erased: ErasedRecords, in folder: LogFolder) throws(RecordingError) -> LogErasure {
        try folder.has(erased) ? LogMaintenance(folder: folder).erase(erased) : LogErasure()
    }

    private func erase(_ erased: ErasedRecords) throws(RecordingError) -> LogErasure {
        try LogEraser(folder: folder, creator: creator, limit: erased.through + 1, isListed: false)
            .erase(from: erased.stretch.lowerBound, to: erased.stretch.upperBound)
    }

    /// Notes that these stretches, if the log lists any of them, are forgotten everywhere.
    package static func settleErased(_ stretches: [Range<UTCTime>], in folder: LogFolder) throws(RecordingError) {
        guard try folder.erasedStretches().contains(where: stretches.contains) else { return }
        try LogMaintenance(folder: folder).settleErased(stretches)
    }

    private func settleErased(_ stretches: [Range<UTCTime>]) throws(RecordingError) { try folder.settleErased(stretches) }
}

extension TrackRecorder {
    /// Erases the fixes from one moment up to but not including another; the current track, if it contains any, is finished first.
    ///
    /// - Errors: `cannotErase`: the rest is erased by the next ``recover()``, here or after a restart.
    /// - Cost: reads the whole log. Fixes of the stretch that come in the meantime, or within two seconds of the end, are not
    ///   recorded: they were measured before. Later ones are.
    package func erase(from: UTCTime, to: UTCTime) async throws(RecordingError) -> LogErasure {
        guard from < to else { return LogErasure() }
        erasures.begin(from..<to)
        defer { erasures.end(from..<to, now: MonotonicClock.nanoseconds) }
        if try await archive.isConcerned(by: from, to, recorded: [journal?.stem, carried?.stem].compactMap(\.self)) {
            _ = try await finishTrack()
        }
        return try await archive.erase(from: from, to: to, before: firstRecordedSequence)
    }

    /// Erases records that could not be erased before, or were in the log of another folder; later ones are recorded as ever.
    package func erase(_ erased: ErasedRecords) async throws(RecordingError) -> LogErasure {
        let (from, to) = (erased.stretch.lowerBound, erased.stretch.upperBound)
        guard try await archive.has(erased) else { return LogErasure() }
        if try await archive.isConcerned(by: from, to, recorded: [journal?.stem, carried?.stem].compactMap(\.self)) {
            _ = try await finishTrack()
        }
        return try await archive.erase(from: from, to: to, before: min(firstRecordedSequence, erased.through + 1), isListed: false)
    }
}
