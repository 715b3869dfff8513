import Waypost
import WaypostSystem

// A descriptor follows its file when that is moved: here the recorder makes sure that its files are where people look for them.
extension TrackRecorder {
    /// Leaves a journal that is no longer at its path; records written since it was last seen there go into the next one.
    ///
    /// The recorder does this whenever it synchronizes the journal; call it before reporting the state of the log.
    /// - Errors: `cannotSynchronize` when the journal was left; ``synchronizeIfDue(now:)`` makes the next one.
    public func checkPlace(now: Int64 = MonotonicClock.nanoseconds) throws(RecordingError) {
        guard let journal, !journal.file.isInPlace else { return }
        // At its new place it may hold the only copy of its fixes.
        try? journal.file.giveRoomBack()  // Readers skip the unused room.
        try? journal.file.synchronize()  // Its disk may be gone.
        throw leave(journal, because: SystemError.isDisplaced(journal.file.path), now: now)
    }

    /// Leaves a journal, carries the records that it may lose, and returns the reason.
    func leave(_ journal: OpenJournal, because cause: SystemError, now: Int64) -> RecordingError {
        let failure = RecordingError.cannotSynchronize(path: journal.file.path, cause: cause)
        carried = CarriedRecords(journal, isDisplaced: failure.isDisplacement, now: now)
        let (first, end) = (journal.first.sequence, carried?.first.sequence ?? counter.next)
        if failure.isDisplacement, first < end {
            unnoted.append(.init(numbers: first...end - 1, fate: journal.file.hasName ? .elsewhere : .lost))
        }
        self.journal = nil
        problems.synchronizing = problems.synchronizing?.again(failure) ?? .init(error: failure, sinceMilliseconds: now / 1_000_000)
        return failure
    }

    /// Creates folders that were removed, moved away or unmounted, and takes over what is in their place now.
    ///
    /// Every new file that the recorder writes passes through here first.
    func prepareFolder() throws(RecordingError) {
        let isLocked = lock?.isNamed(folder.lockPath) == true
        if isLocked, let place, place == FileIdentity(of: folder.journalFolder) {
            folder.beginNoting(at: carried?.first.sequence ?? counter.next)
            if folder.note(unnoted) { unnoted = [] }
            return
        }
        unnoted = []
        if isLocked {
            do { try Syscalls.createFolders(folder.journalFolder) } catch { throw .cannotPrepare(folder: folder.path, cause: error) }
        } else {
            lock = try folder.lock(creates: true)
        }
        // Those who follow the numbers into this log lack what is elsewhere; what was in a folder that was removed is not counted for anybody.
        let (free, next, unused) = (try folder.firstFreeSequenceOfLastJournal(), carried?.first.sequence ?? counter.next, counter.next)
        if free < next { folder.note([free...next - 1], as: try folder.journals().isEmpty ? .removed : .elsewhere) }
        counter.goOn(behind: try SequenceCounter(folder))
        if max(free, unused) < counter.next { folder.note([max(free, unused)...counter.next - 1], as: .unused) }
        folder.beginNoting(at: next)
        place = FileIdentity(of: folder.journalFolder)
        guard let home, let place, !place.isOnSameDisk(as: home) else {
            problems.otherDiskSince = nil
            return
        }
        if problems.otherDiskSince == nil { problems.otherDiskSince = MonotonicClock.milliseconds }
    }

    /// Writes again how far the numbers are, outside of the log, where the file was removed.
    package func writeNumbersAnew() { counter.restoreCopy() }

    /// Writes the carried records into a journal of their own: the numbers in a journal follow each other, and the next one is further on.
    func writeCarriedAlone(at time: UTCTime, source: String?, now: Int64) throws(RecordingError) {
        try dropCarriedAmongOthers()
        guard carried != nil else { return }
        _ = try write([], at: time, source: source)
        statistics.journalByteCount += bytes.count
        endTrack(now: now)
    }

    /// Forgets the carried records when another log with the same numbers has replaced ours: they stay where they were written.
    func dropCarriedAmongOthers() throws(RecordingError) {
        guard let carried, carried.isDisplaced,
            ![folder.openJournalPath(carried.stem), folder.finishedJournalPath(carried.stem)].contains(where: { Syscalls.exists($0) }),
            try folder.firstFreeSequence() > carried.first.sequence
        else { return }
        self.carried = nil
        note(.gap)
    }
}
