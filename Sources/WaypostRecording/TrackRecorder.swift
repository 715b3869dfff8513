import Waypost
import WaypostSystem

/// Logs positions: into an append-only journal as they come, and as a GPX file when a track ends.
///
/// ```swift
/// let recorder = try TrackRecorder(folder: "/var/log/waypost")
/// let report = try await recorder.recover()      // tracks that a crash left unfinished
/// try await recorder.record(position)            // for each fix
/// await recorder.note(.loss)                     // the next fix begins a new segment
/// let track = try await recorder.close()         // the GPX file is on the disk
/// ```
///
/// Each fix is written at once, so that the end of the process loses none; it is brought to the disk at most ``Configuration/syncInterval``
/// later, so that a power cut loses no more than the fixes of that span. (Holding fixes back would spare no flash: the system's cache
/// gathers them, and only what is brought to the disk wears it.) Tracks are `LOG/STEM.gpx`, journals
/// `LOG/journal/STEM.open.journal` and, once their track is made, `LOG/journal/STEM.journal`; `STEM` is the UTC time of the first fix, the
/// boot and a number that grows for ever.
///
/// When a write fails (the disk is full, the card is gone) ``record(_:now:)`` throws, nothing is half written, and the next call tries
/// again; the first fix that goes in begins a new segment. A log folder that is removed is noticed within a sync interval and made anew.
/// - Concurrency: an actor with a thread of its own, as disks may take seconds. One recorder has a log folder at a time, over all processes.
public actor TrackRecorder {
    /// What can be set.
    public struct Configuration: Sendable, Hashable {
        /// The longest time that a fix is only in the system's cache.
        public var syncInterval: Duration = .seconds(10)
        /// Whether dead-reckoned, simulated and manual fixes are logged.
        public var includesNotMeasured = false
        /// The program named in GPX files, `waypost VERSION`.
        public var creator = "waypost"

        /// The defaults.
        public init() {}
    }

    /// What became of a fix.
    public enum Outcome: Sendable, Hashable {
        /// It is in the journal, under that number.
        case logged(sequence: UInt64)
        /// It is not, on purpose.
        case leftOut(TrackSegmenter.Reason)
    }

    /// What a recovery did.
    public struct Recovery: Sendable, Equatable {
        /// The tracks that are finished now, oldest name first.
        public var tracks: [FinishedTrack] = []
        /// Why others could not be finished; their journals stay for the next recovery.
        public var failures: [RecordingError] = []
    }

    /// The journal that fixes go into.
    private struct OpenJournal {
        let stem: String
        let file: AppendOnlyFile
        let source: String?
        /// When the oldest fix that is not on the disk was written, monotonic nanoseconds.
        var oldestAtRisk: Int64?
        /// Whether its name is on the disk.
        var isNameDurable = false
    }

    /// What was done so far.
    public private(set) var statistics = RecorderStatistics()

    let folder: LogFolder
    let configuration: Configuration
    private let syncIntervalNanoseconds: Int64
    private let executor: ThreadExecutor
    private var lock: FileLock?
    private var counter: SequenceCounter
    private var segmenter: TrackSegmenter
    private var journal: OpenJournal?
    private var bytes: [UInt8] = []

    /// The recorder's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Takes a log folder, creating it when it is missing; reads and writes little, whatever lies in it.
    ///
    /// - Errors: `alreadyInUse`, `cannotPrepare`, `cannotRead`, `unsupportedVersion`.
    public init(folder path: String, configuration: Configuration = Configuration()) throws(RecordingError) {
        let folder = LogFolder(path: path)
        lock = try folder.take()
        do {
            executor = try ThreadExecutor(name: "recorder")
        } catch {
            throw .cannotPrepare(folder: path, cause: error)
        }
        counter = try SequenceCounter(path: folder.sequencePath) { () throws(RecordingError) in try folder.firstFreeSequence() }
        self.folder = folder
        self.configuration = configuration
        let (seconds, attoseconds) = configuration.syncInterval.components
        syncIntervalNanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        segmenter = TrackSegmenter(includesNotMeasured: configuration.includesNotMeasured)
    }

    // MARK: - Recording

    /// Logs a fix, if it is one that is logged; see ``TrackSegmenter`` for the rule.
    ///
    /// - Parameter now: monotonic nanoseconds.
    /// - Errors: `cannotAppend` (the fix is not in the log); `cannotSynchronize` (it is, and may not survive a power cut; it is tried
    ///   again after a sync interval); `closed`; `alreadyInUse` and `cannotPrepare` when the folder was removed.
    @discardableResult
    public func record(_ position: Position, now: Int64 = MonotonicClock.nanoseconds) throws(RecordingError) -> Outcome {
        guard lock != nil else { throw .closed }
        var nextSegmenter = segmenter
        switch nextSegmenter.process(position) {
        case .leaveOut(let reason):
            statistics.count(reason)
            return .leftOut(reason)
        case .log(let segmentBreak):
            let sequence: UInt64
            do {
                sequence = try append(position, after: segmentBreak, now: now)
            } catch {
                statistics.failedCount += 1
                segmenter.note(.loss)
                throw error
            }
            segmenter = nextSegmenter
            statistics.loggedCount += 1
            if segmentBreak != nil { statistics.segmentCount += 1 }
            try synchronizeIfDue(now: now)
            return .logged(sequence: sequence)
        }
    }

    /// Says that the track is interrupted: the next fix begins a new segment.
    ///
    /// Costs nothing until then.
    public func note(_ reason: SegmentBreak) {
        segmenter.note(reason)
    }

    /// When ``synchronizeIfDue(now:)`` has something to do, in monotonic nanoseconds; nil while everything is on the disk.
    public var synchronizationDeadline: Int64? {
        journal?.oldestAtRisk.map { $0 + syncIntervalNanoseconds }
    }

    /// Brings what was logged to the disk when the oldest of it has waited for the sync interval.
    ///
    /// ``record(_:now:)`` does it, too; call it when ``synchronizationDeadline`` has come and no fix does.
    /// - Errors: `cannotSynchronize`; it is tried again after another interval.
    public func synchronizeIfDue(now: Int64 = MonotonicClock.nanoseconds) throws(RecordingError) {
        guard let journal, let oldest = journal.oldestAtRisk else { return }
        if !journal.isNameDurable || now - oldest >= syncIntervalNanoseconds { try synchronize(now: now) }
    }

    private func append(_ position: Position, after segmentBreak: SegmentBreak?, now: Int64) throws(RecordingError) -> UInt64 {
        try reserve(2)  // A position, and at most a break.
        if var journal {
            let sequence = try append(position, after: segmentBreak, to: journal.file, source: journal.source, startingWith: [])
            if journal.oldestAtRisk == nil { journal.oldestAtRisk = now }
            self.journal = journal
            return sequence
        }
        let (stem, file) = try createJournal(for: position)
        let header = JournalHeader(bootIdentity: BootIdentity.bytes, firstSequence: counter.next, source: position.source)
        do {
            let sequence = try append(
                position, after: segmentBreak, to: file, source: header.source, startingWith: JournalCodec.encode(header))
            journal = OpenJournal(stem: stem, file: file, source: header.source, oldestAtRisk: now)
            return sequence
        } catch {
            _ = try? Syscalls.remove(file.path)  // Empty; if it stays, the next recovery finds no fix in it.
            throw error
        }
    }

    private func append(
        _ position: Position, after segmentBreak: SegmentBreak?, to file: AppendOnlyFile, source: String?, startingWith head: [UInt8]
    ) throws(RecordingError) -> UInt64 {
        bytes.removeAll(keepingCapacity: true)
        bytes += head
        var sequence = counter.next
        if let segmentBreak {
            JournalCodec.append(JournalRecord(sequence: sequence, content: .segmentBreak(segmentBreak)), source: source, to: &bytes)
            sequence += 1
        }
        JournalCodec.append(JournalRecord(sequence: sequence, content: .position(position)), source: source, to: &bytes)
        do {
            try file.append(bytes)
        } catch {
            throw .cannotAppend(path: file.path, cause: error)
        }
        counter.use(sequence + 1 - counter.next)
        statistics.journalByteCount += bytes.count
        return sequence
    }

    private func createJournal(for position: Position) throws(RecordingError) -> (stem: String, file: AppendOnlyFile) {
        let time = position.time ?? UTCTime(millisecondsSince1970: 0)
        func nextStem() -> String {
            TrackStem(time: time, bootIdentity: BootIdentity.bytes, sequence: counter.next).description
        }
        var stem = nextStem()
        // Only when somebody removed the counter and the journals, but not their tracks.
        while folder.isTaken(stem) {
            counter.use(1)
            try reserve(2)
            stem = nextStem()
        }
        // Somebody removed the folder, and with it the lock.
        if !Syscalls.exists(folder.lockPath) { lock = try folder.take() }
        do {
            try Syscalls.createFolders(folder.journalFolder)
            return (stem, try AppendOnlyFile(creating: folder.openJournalPath(stem)))
        } catch {
            throw .cannotAppend(path: folder.openJournalPath(stem), cause: error)
        }
    }

    private func reserve(_ count: UInt64) throws(RecordingError) {
        do {
            try counter.reserve(count)
        } catch {
            throw .cannotAppend(path: folder.sequencePath, cause: error)
        }
    }

    private func synchronize(now: Int64) throws(RecordingError) {
        guard var journal else { return }
        guard journal.file.hasName else {
            // Somebody removed it, or the folder: what goes in would be lost. The next fix begins another one.
            self.journal = nil
            segmenter.note(.loss)
            throw .cannotSynchronize(path: journal.file.path, cause: .isMissing(journal.file.path))
        }
        defer { self.journal = journal }
        do {
            try journal.file.synchronize()
            if !journal.isNameDurable {
                for path in [folder.journalFolder, folder.path] { try Syscalls.synchronizeFolder(path) }
                journal.isNameDurable = true
            }
            journal.oldestAtRisk = nil
            statistics.synchronizationCount += 1
        } catch {
            journal.oldestAtRisk = now
            throw .cannotSynchronize(path: journal.file.path, cause: error)
        }
    }

    // MARK: - Finishing

    /// Makes the GPX files of the journals that were left open: by a crash, or by a finish that failed.
    ///
    /// - Errors: `cannotRead` when the folder cannot be listed; what fails for one track is in the result.
    /// - Cost: reads the open journals and writes their tracks; memory for one piece of a file.
    public func recover() throws(RecordingError) -> Recovery {
        guard lock != nil else { throw .closed }
        _ = try LogEraser(folder: folder, creator: configuration.creator, recorded: journal?.stem).resume()
        let stems: [String]
        do {
            stems = try folder.openStems()
        } catch {
            throw .cannotRead(path: folder.journalFolder, cause: error)
        }
        var recovery = Recovery()
        for stem in stems where stem != journal?.stem {
            do {
                recovery.tracks.append(try finish(stem))
            } catch {
                recovery.failures.append(error)
            }
        }
        return recovery
    }

    /// Ends the track and makes its GPX file; the next fix begins another one.
    ///
    /// Nil when nothing was logged since the last time.
    /// - Errors: `cannotFinish`, `cannotRead`: the fixes stay in the journal, and ``recover()`` or the next start makes the file.
    public func finishTrack() throws(RecordingError) -> FinishedTrack? {
        guard lock != nil else { throw .closed }
        guard let stem = journal?.stem else { return nil }
        // From here on recover() takes care of it. The finisher brings the journal to the disk.
        journal = nil
        segmenter.note(.start)
        return try finish(stem)
    }

    /// Ends the track as ``finishTrack()`` does and gives the folder back; nothing can be recorded any more.
    ///
    /// - Errors: as of ``finishTrack()``; the folder is given back all the same. Closing again does nothing.
    public func close() throws(RecordingError) -> FinishedTrack? {
        guard lock != nil else { return nil }
        defer {
            try? counter.release()  // Only leaves a hole in the numbers.
            lock = nil
        }
        return try finishTrack()
    }

    private func finish(_ stem: String) throws(RecordingError) -> FinishedTrack {
        let track = try TrackFinisher(folder: folder, creator: configuration.creator).finish(stem)
        statistics.trackByteCount += track.writtenByteCount
        return track
    }
}
