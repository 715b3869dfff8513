import Waypost
import WaypostSystem

/// Logs positions and events: into an append-only journal as they come, and as GPX files when a track ends.
///
/// ```swift
/// let recorder = try TrackRecorder(folder: "/var/log/waypost")
/// let report = try await recorder.recover()      // tracks that a crash left unfinished
/// try await recorder.record(position)            // for each fix
/// await recorder.note(.loss)                     // the next fix begins a new segment
/// let track = try await recorder.close()         // the GPX file is on the disk
/// ```
///
/// Each fix is written at once, so that no fix is lost when the process ends. It is synchronized with the disk at most
/// ``Configuration/syncInterval`` later, so that a power cut loses no more than the fixes of that time. (Holding fixes back would not spare
/// the flash: the system's cache gathers them, and only synchronizing wears it.) For the files see ``LogFolder``; for when a track ends,
/// `RotationRule`.
///
/// When a write fails (the disk is full, the card is gone) ``record(_:as:now:)`` throws, nothing is half written, and the next call retries;
/// the first fix written begins a new segment. While there is no room for another journal, a track continues in its own, whatever the day.
/// When synchronizing fails, the system may have dropped the fixes: they are kept here and written again, into another journal, until that is
/// on the disk. The same happens to fixes in a log folder that was removed, moved or unmounted. ``problems`` shows what is wrong, and since
/// when.
/// - Concurrency: an actor with its own thread, because disks may take seconds. Finishing a track does not delay recording. Only one recorder
///   at a time uses a log folder, over all processes.
public actor TrackRecorder {
    /// What the recorder has done so far.
    public internal(set) var statistics = RecorderStatistics()
    /// What is currently wrong.
    public internal(set) var problems = RecorderProblems()

    /// What was found in the place of the log's files at the start.
    package nonisolated let oddFiles: [OddLogFile]
    /// Whether the log is an older copy, or another one, than the one to which numbers were given last; new ones go on after those.
    package nonisolated let isOlderCopy: Bool

    let folder: LogFolder
    let configuration: Configuration
    let archive: TrackArchive
    private let syncIntervalNanoseconds: Int64
    private let executor: ThreadExecutor
    var lock: FileLock?
    var counter: SequenceCounter
    /// The journal folder used last, and the one at the start.
    var place: FileIdentity?
    let home: FileIdentity?
    private var segmenters: [TypeSegmenter]
    private var rotation: RotationRule
    var journal: OpenJournal?
    /// The records that the previous journal may have lost.
    var carried: CarriedRecords?
    /// What is to be noted of numbers that no journal has, and could not be yet.
    var unnoted: [RemovedNumbers.Note]
    /// The stretch that is being erased, or was a moment ago.
    var erasures = RecentErasures()
    /// The reserved room of the next journal, taken before the previous one is left.
    private var next: AppendOnlyFile?
    /// The earliest time to retry ending a track that continued for lack of room, in monotonic nanoseconds.
    private var nextRotation: Int64 = 0
    var bytes: [UInt8] = []

    /// How soon to retry ending a track for which there was no room, in nanoseconds.
    private static let rotationRetry: Int64 = 10_000_000_000

    /// The recorder's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a log folder, and creates it if it is missing; reads and writes little, whatever is in it.
    ///
    /// - Errors: `alreadyInUse`, `cannotPrepare`, `cannotRead`, `unsupportedVersion`.
    public init(folder path: String, configuration: Configuration = Configuration()) throws(RecordingError) {
        let folder: LogFolder
        do { folder = LogFolder(path: try Syscalls.absolutePath(path)) } catch { throw .cannotPrepare(folder: path, cause: error) }
        var odd: [OddLogFile] = []
        lock = try folder.lock(creates: true) { odd = $0 }
        oddFiles = odd
        do {
            executor = try ThreadExecutor(name: "recorder", takesHelp: true)
            archive = try TrackArchive(folder: folder, creator: configuration.creator, types: configuration.types)
        } catch {
            throw .cannotPrepare(folder: path, cause: error)
        }
        counter = try SequenceCounter(folder, copyPath: configuration.numbersPath, others: configuration.others)
        counter.restoreCopy()
        let wasElsewhere = counter.isBehindOther || configuration.wasElsewhere
        let lastRun = LastRun(
            of: folder, next: counter.next, end: counter.endOfLastRun, isOlderCopy: counter.isBehindCopy, wasElsewhere: wasElsewhere)
        isOlderCopy = lastRun.isOlderCopy
        unnoted = folder.note(lastRun.notes) ? [] : lastRun.notes
        // Not before that is noted; and an older copy of the log is told of until something is logged in it.
        if wasElsewhere, unnoted.isEmpty { counter.adoptCopy() }
        home = FileIdentity(of: folder.journalFolder)
        place = home
        self.folder = folder
        self.configuration = configuration
        // A century is as good as never, and can be reckoned with.
        syncIntervalNanoseconds = min(configuration.syncInterval.milliseconds, 3_155_760_000_000) * 1_000_000
        let beginning: SegmentBreak = try folder.journals().isEmpty ? .start : .restart
        segmenters = configuration.types.map { TypeSegmenter(type: $0, beginning: beginning) }
        rotation = RotationRule(maximumByteCount: configuration.rotateByteCount)
    }

    // MARK: - Recording

    /// Logs a fix, if the rules in ``TrackSegmenter`` accept it.
    ///
    /// - Parameters:
    ///   - position: the fix.
    ///   - types: the position's types; it goes into the tracks of those that are configured.
    ///   - now: monotonic nanoseconds.
    /// - Errors: `cannotAppend` (the fix is not in the log); `cannotSynchronize` (it is, but may not survive a power cut; this is retried after
    ///   a sync interval); `closed`; `alreadyInUse` and `cannotPrepare` when the folder was removed.
    @discardableResult
    public func record(
        _ position: Position, as types: LogTypes = [.source, .raw, .current], now: Int64 = MonotonicClock.nanoseconds
    ) throws(RecordingError) -> Outcome {
        guard lock != nil else { throw .closed }
        if let time = position.time, erasures.covers(time, now: now) { return .notWanted }
        var decision = TypeDecision(position, as: types, segmenters)
        guard let time = position.time, !decision.accepted.isEmpty else {
            guard let reason = decision.reason else { return .notWanted }
            statistics.count(reason, types)
            return .leftOut(reason)
        }
        let endsTrack = endTrackIfDue(before: time, now: now)
        let sequence: UInt64
        do {
            var contents = decision.breaks
            contents.append((.position(position), decision.accepted))
            sequence = try append(contents, at: time, source: position.source, now: now)
        } catch {
            statistics.failed.add(decision.accepted)
            problems.writing?.lost.add(decision.accepted)
            for index in segmenters.indices { segmenters[index].rule.note(.gap) }
            throw error
        }
        rotation.count()
        segmenters = decision.segmentersAfter()
        statistics.logged.add(decision.accepted)
        for (_, types) in decision.breaks { statistics.segments.add(types) }
        try synchronizeIfDue(now: now)
        return .logged(sequence: sequence, endedTrack: endsTrack)
    }

    /// Logs an event, which becomes a waypoint of the track.
    ///
    /// An event that is too long is logged without its payload.
    /// - Errors: like ``record(_:as:now:)``.
    @discardableResult
    public func record(_ event: TrackerEvent, now: Int64 = MonotonicClock.nanoseconds) throws(RecordingError) -> EventOutcome {
        guard lock != nil else { throw .closed }
        guard let time = event.time, time.hasFourDigitYear else { return .untimed }
        if erasures.covers(event, now: now) { return .notWanted }
        let fitted = EventCodec.fitted(event)
        let sequence = try append([(.event(fitted), .all)], at: time, source: event.position?.source, now: now)
        statistics.eventCount += 1
        try synchronizeIfDue(now: now)
        return .logged(sequence: sequence, isWhole: fitted == event)
    }

    /// Notes that the track is interrupted: the next fix begins a new segment.
    ///
    /// Nothing is written until then.
    /// - Parameters:
    ///   - reason: why.
    ///   - types: the types whose tracks are interrupted.
    public func note(_ reason: SegmentBreak, of types: LogTypes = .all) {
        for index in segmenters.indices where types.contains(LogTypes(segmenters[index].type)) { segmenters[index].rule.note(reason) }
    }

    /// When ``synchronizeIfDue(now:)`` is next due, in monotonic nanoseconds; nil while everything is on the disk.
    public var synchronizationDeadline: Int64? {
        if let carried { return carried.triedAt.map { $0 + max(syncIntervalNanoseconds, 1_000_000_000) } ?? carried.oldestAtRisk }
        return journal?.oldestAtRisk.map { $0 + syncIntervalNanoseconds }
    }

    /// Synchronizes the journal with the disk, if its oldest unsynchronized record has waited for the sync interval.
    ///
    /// ``record(_:as:now:)`` does this, too; call it at ``synchronizationDeadline`` when no fix has come.
    /// - Errors: `cannotSynchronize`; it is retried after another interval.
    public func synchronizeIfDue(now: Int64 = MonotonicClock.nanoseconds) throws(RecordingError) {
        if carried != nil, let deadline = synchronizationDeadline, now >= deadline { try settle(now: now) }
        guard let journal, let oldest = journal.oldestAtRisk else { return }
        let isLong = journal.atRisk.bytes.count >= CarriedRecords.maximumByteCount
        if !journal.isNameDurable || isLong || now - oldest >= syncIntervalNanoseconds { try synchronize(now: now) }
    }

    // MARK: - The journal

    /// Appends records, in a new journal when there is none; returns the number of the last one.
    private func append(
        _ contents: [(JournalRecord.Content, LogTypes)], at time: UTCTime, source: String?, now: Int64
    ) throws(RecordingError) -> UInt64 {
        do {
            let sequence = try appendOrThrow(contents, at: time, source: source, now: now)
            problems.writing = nil
            return sequence
        } catch {
            if var problem = problems.writing {
                problem.error = error
                if !contents.isEmpty { problem.count += 1 }
                problems.writing = problem
            } else {
                problems.writing = .init(error: error, sinceMilliseconds: now / 1_000_000)
            }
            throw error
        }
    }

    private func appendOrThrow(
        _ contents: [(JournalRecord.Content, LogTypes)], at time: UTCTime, source: String?, now: Int64
    ) throws(RecordingError) -> UInt64 {
        if self.journal == nil {
            let expected = counter.next
            try prepareFolder()
            folder.noteNoDestinations()
            if counter.next > expected {
                try writeCarriedAlone(at: time, source: source, now: now)
                if contents.isEmpty { return counter.next - 1 }
            }
        }
        try reserve(UInt64(contents.count))
        let headByteCount = try write(contents, at: time, source: source)
        if let header = journal?.header, !contents.isEmpty {
            let first = CarriedRecords.First(sequence: counter.next, time: time, source: header.source)
            journal?.note(bytes[headByteCount...], first: first, now: now)
            counter.use(UInt64(contents.count))
        }
        statistics.journalByteCount += bytes.count
        return counter.next - 1
    }

    /// Writes records to the open journal or to a new one, leaves what was written in `bytes`, and returns how many of them are the new journal's head.
    ///
    /// Nothing of the journal is held when it returns: a second owner would make the next record copy all that are at risk.
    func write(
        _ contents: [(JournalRecord.Content, LogTypes)], at time: UTCTime, source: String?
    ) throws(RecordingError) -> Int {
        var journal: OpenJournal
        let isNew = self.journal == nil
        bytes.removeAll(keepingCapacity: true)
        if let open = self.journal {
            journal = open
        } else {
            let first = CarriedRecords.First(sequence: counter.next, time: time, source: source)
            try dropCarriedAmongOthers()
            journal = try createJournal(carried?.first ?? first)
            bytes += JournalCodec.encode(journal.header)
            bytes += carried?.records.bytes ?? []
        }
        let headByteCount = bytes.count
        var sequence = counter.next
        for (content, types) in contents {
            let record = JournalRecord(sequence: sequence, content: content, types: types)
            JournalCodec.append(record, source: journal.header.source, to: &bytes)
            sequence += 1
        }
        do {
            try journal.file.append(bytes)
        } catch {
            if isNew { _ = try? Syscalls.remove(journal.file.path) }  // Empty; if it stays, the next recovery finds no fix in it.
            // A journal that was not created has no meaningful name, and each attempt uses another one.
            throw .cannotAppend(path: isNew ? folder.journalFolder : journal.file.path, cause: error)
        }
        if isNew {
            if let carried { journal.markWritten(carried) }
            carried = nil
            rotation.begin(at: journal.first.time)
            self.journal = journal
        }
        return headByteCount
    }

    private func createJournal(_ first: CarriedRecords.First) throws(RecordingError) -> OpenJournal {
        var first = first
        func nextStem() -> String { TrackStem(time: first.time, bootIdentity: BootIdentity.bytes, sequence: first.sequence).description }
        var stem = nextStem()
        if carried == nil {
            // Only after the counter and the journals were removed, but not their tracks.
            while folder.isTaken(stem) {
                folder.note([counter.next...counter.next], as: .unused)
                counter.use(1)
                try reserve(3)
                first.sequence = counter.next
                stem = nextStem()
            }
        }
        let path = folder.openJournalPath(stem)
        do {
            // When the previous journal held nothing but the carried records, it has this name.
            if carried != nil { try Syscalls.remove(path) }
            let header = JournalHeader(
                bootIdentity: BootIdentity.bytes, firstSequence: first.sequence, source: first.source, types: configuration.types)
            return OpenJournal(stem: stem, first: first, header: header, file: try createFile(path))
        } catch {
            throw .cannotAppend(path: folder.journalFolder, cause: error)
        }
    }

    private func createFile(_ path: String) throws(SystemError) -> AppendOnlyFile {
        defer { next = nil }
        guard let next, next.isInPlace else { return try AppendOnlyFile(creating: path) }
        try next.rename(to: path)
        return next
    }

    private func reserve(_ count: UInt64) throws(RecordingError) {
        do {
            try counter.reserve(count, isInNewJournal: journal == nil)
        } catch {
            // The open journal may have been moved, too; the next synchronization detects that.
            if error.isMissing, journal != nil {
                try prepareFolder()
                return try reserve(count)
            }
            throw .cannotAppend(path: folder.sequencePath, cause: error)
        }
    }

    /// Synchronizes the journal; if that fails, leaves it and carries what it may lose into the next one.
    func synchronize(now: Int64) throws(RecordingError) {
        try checkPlace(now: now)
        guard var journal, journal.oldestAtRisk != nil else { return }
        do throws(SystemError) {
            try journal.file.synchronize()
            if !journal.isNameDurable {
                for path in [folder.journalFolder, folder.path] { try Syscalls.synchronizeFolder(path) }
                journal.isNameDurable = true
                counter.markJournal()
            }
            journal.oldestAtRisk = nil
            journal.atRisk = RecordsAtRisk()
            self.journal = journal
            problems.synchronizing = nil
            statistics.synchronizationCount += 1
        } catch {
            // After a failed fdatasync the system may drop what it could not write, and succeed the next time without it.
            throw leave(journal, because: error, now: now)
        }
    }

    /// Writes the carried records into a new journal when no fix has done so, and synchronizes it.
    func settle(now: Int64) throws(RecordingError) {
        guard let first = carried?.first else { return }
        carried?.triedAt = now
        _ = try append([], at: first.time, source: first.source, now: now)
        try synchronize(now: now)
    }

    /// Ends the track when the rule says so; returns whether it did.
    private func endTrackIfDue(before time: UTCTime, now: Int64) -> Bool {
        guard let journal, now >= nextRotation, rotation.isDue(before: time, byteCount: journal.file.byteCount) else { return false }
        do {
            try prepareNext()
        } catch {
            nextRotation = now + TrackRecorder.rotationRetry
            return false
        }
        endTrack(now: now)
        return true
    }

    /// Reserves the room of the next journal; a journal is left only once the next one has room.
    func prepareNext() throws(RecordingError) {
        guard next?.isInPlace != true else { return }
        let path = folder.nextJournalPath
        do throws(SystemError) {
            try Syscalls.remove(path)
            let file = try AppendOnlyFile(creating: path)
            do throws(SystemError) { try file.reserve() } catch {
                try Syscalls.remove(path)
                throw error
            }
            next = file
        } catch {
            throw .cannotAppend(path: folder.journalFolder, cause: error)
        }
    }

    /// Releases the room of a next journal that is not needed.
    func discardNext() {
        guard let next else { return }
        _ = try? Syscalls.remove(next.path)  // The next recorder removes it.
        self.next = nil
    }

    /// Leaves the journal to the archive; its records are on the disk or carried.
    func endTrack(now: Int64) {
        try? synchronize(now: now)  // A failure is in the problems, and the records are carried.
        try? journal?.file.giveRoomBack()  // Finishing the track does this, too.
        journal = nil
    }

    /// The number of the newest record.
    public var newestNumber: UInt64 { counter.next - 1 }
}
