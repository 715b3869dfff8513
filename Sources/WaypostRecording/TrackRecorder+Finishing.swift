import Waypost
import WaypostSystem

extension TrackRecorder {
    /// The result of a recovery.
    public struct Recovery: Sendable, Equatable {
        /// The tracks that were finished, oldest name first.
        public var tracks: [FinishedTrack] = []
        /// Why other tracks could not be finished; their journals stay for the next recovery.
        public var failures: [RecordingError] = []
        /// The paths of tracks that `SHA256SUMS` named no more than that, because their journals are gone, too: their lines were removed.
        package var forgottenPaths: [String] = []

        /// Creates an empty result.
        public init() {}
    }

    /// Makes the GPX files of the remaining journals, and completes `SHA256SUMS`.
    ///
    /// Journals remain after a crash, after a failed finish, and when ``record(_:as:now:)`` ended a track.
    /// - Errors: `cannotRead` when the folder cannot be listed; the failure of a single track is in the result and in ``problems``.
    /// - Cost: reads the open journals and writes their tracks; memory for one piece of a file. Recording continues in the meantime.
    public func recover() async throws(RecordingError) -> Recovery {
        guard lock != nil else { throw .closed }
        try prepareFolder()
        try await archive.resumeErasure(before: firstRecordedSequence)
        let stems: [String]
        do {
            stems = try folder.openStems()
        } catch {
            throw .cannotRead(path: folder.journalFolder, cause: error)
        }
        var recovery = Recovery()
        // Records carried from one journal must be in the next one first.
        for stem in stems where stem != journal?.stem && stem != carried?.stem {
            do {
                if let track = try await finish(stem) { recovery.tracks.append(track) }
            } catch {
                recovery.failures.append(error)
            }
        }
        do {
            try await archive.updateDigests()
        } catch {
            recovery.failures.append(error)
        }
        problems.finishing = recovery.failures
        return recovery
    }

    /// Ends the track and makes its GPX file; the next fix begins a new track and a new segment.
    ///
    /// Nil when nothing was logged since the last time.
    /// - Errors: `cannotFinish`, `cannotRead`: the fixes stay in the journal, and ``recover()`` or the next start makes the file.
    public func finishTrack() async throws(RecordingError) -> FinishedTrack? {
        let track = try await endTrack()
        note(.restart)
        return track
    }

    /// Ends the track and makes its GPX file; the next fix continues the segment in a new track.
    ///
    /// Nil when nothing was logged since the last time.
    /// - Errors: like ``finishTrack()``; `cannotSynchronize`; `cannotAppend` when there is no room for another journal: the track continues.
    public func rotate() async throws(RecordingError) -> FinishedTrack? {
        guard lock != nil else { throw .closed }
        // A journal that was moved away cannot be continued: its missing records are carried.
        do throws(RecordingError) { try checkPlace() } catch { return try await endTrack() }
        if journal != nil { try prepareNext() }
        return try await endTrack()
    }

    private func endTrack() async throws(RecordingError) -> FinishedTrack? {
        guard lock != nil else { throw .closed }
        let now = MonotonicClock.nanoseconds
        if carried != nil { try settle(now: now) }
        guard let stem = journal?.stem else { return nil }
        endTrack(now: now)
        if carried != nil {
            // Its end did not reach the disk: write it once more, and both journals become tracks.
            try settle(now: now)
            let rest = journal?.stem
            endTrack(now: now)
            _ = try await finish(stem)
            guard let rest else { return nil }
            return try await finish(rest)
        }
        return try await finish(stem)
    }

    /// Ends the track as ``finishTrack()`` does and releases the folder; nothing can be recorded afterwards.
    ///
    /// - Errors: like ``finishTrack()``; the folder is released even then. Closing again does nothing.
    public func close() async throws(RecordingError) -> FinishedTrack? {
        guard lock != nil else { return nil }
        defer {
            releaseNumbers()
            discardNext()
            lock = nil
        }
        return try await finishTrack()
    }

    /// Deletes what the configuration does not keep; see ``RetentionRule``.
    ///
    /// - Parameters:
    ///   - confirmedTime: the current time, when it is certain; otherwise nothing is too old.
    ///   - note: receives the tracks before they are deleted, and returns whether it is counted what destinations lack of them; otherwise
    ///     each destination counts what it lacks when it comes to their numbers.
    /// - Returns: the deleted tracks.
    /// - Errors: `cannotDelete`, `cannotRead`, `damagedPullers`; they are in ``problems``, too.
    public func applyRetention(
        confirmedTime: UTCTime?, noting note: @Sendable ([DeletedTrack]) async -> Bool = { _ in false }
    ) async throws(RecordingError) -> [DeletedTrack] {
        guard lock != nil else { throw .closed }
        do {
            try prepareFolder()
            let gone = try await archive.delete(by: configuration.retention, confirmedTime: confirmedTime, noting: note)
            problems.retention = nil
            statistics.deletedTrackCount += gone.count
            return gone
        } catch {
            problems.retention = error
            throw error
        }
    }

    /// Whether the disk has less free space than the configuration leaves, so that ``applyRetention(confirmedTime:noting:)`` deletes tracks.
    package var isDiskShort: Bool {
        guard let minimum = configuration.retention.minimumFreeByteCount else { return false }
        return Syscalls.freeByteCount(at: folder.path).map { $0 < minimum } ?? false
    }

    private func finish(_ stem: String) async throws(RecordingError) -> FinishedTrack? {
        do {
            guard let track = try await archive.finish(stem) else { return nil }
            statistics.trackByteCount += track.writtenByteCount
            return track
        } catch {
            if !problems.finishing.contains(error) { problems.finishing.append(error) }
            throw error
        }
    }

    /// The number from which journals may still be recorded; all journals with smaller numbers are complete.
    var firstRecordedSequence: UInt64 { min(journal?.header.firstSequence ?? counter.next, carried?.first.sequence ?? .max) }

    /// The largest number that may have been given, as far as a file outside of the log and other logs say; 0 when they say nothing.
    package static func lastNumber(in path: String, and others: [LogFolder]) -> UInt64 {
        ([path] + others.map(\.sequencePath)).reduce(0) { max($0, (SequenceCounter.reserved(in: $1)?.bound ?? 1) - 1) }
    }

    /// Returns the unused numbers.
    func releaseNumbers() {
        try? counter.release()  // Only leaves a hole in the numbers.
    }
}
