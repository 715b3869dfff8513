import Waypost
import WaypostSystem

// A descriptor follows its file wherever that goes: here the recorder sees to it that its files are where people look for them.
extension TrackRecorder {
    /// Leaves a journal that its path does not lead to any more; what was written since it was last seen there goes into the next one.
    ///
    /// The recorder does it whenever it brings the journal to the disk; call it when somebody wants to know how the log is.
    /// - Errors: `cannotSynchronize` when it was left; ``synchronizeIfDue(now:)`` makes the next one.
    public func checkPlace(now: Int64 = MonotonicClock.nanoseconds) throws(RecordingError) {
        guard let journal, !journal.file.isInPlace else { return }
        // Where it is now it may be all there is of its fixes.
        try? journal.file.giveRoomBack()  // Readers pass over the room.
        try? journal.file.synchronize()  // Its disk may be gone.
        throw leave(journal, because: SystemError.isDisplaced(journal.file.path), now: now)
    }

    /// Leaves a journal, carries what it may lose and says why.
    func leave(_ journal: OpenJournal, because cause: SystemError, now: Int64) -> RecordingError {
        let failure = RecordingError.cannotSynchronize(path: journal.file.path, cause: cause)
        carried = CarriedRecords(journal, isDisplaced: failure.isDisplacement, now: now)
        self.journal = nil
        problems.synchronizing = problems.synchronizing?.again(failure) ?? .init(error: failure, sinceMilliseconds: now / 1_000_000)
        return failure
    }

    /// Makes the folders that somebody removed, moved away or unmounted, and takes over what lies in their place now.
    ///
    /// Everything new that the recorder writes comes by here first.
    func prepareFolder() throws(RecordingError) {
        let isLocked = lock?.isNamed(folder.lockPath) == true
        if isLocked, let place, place == FileIdentity(of: folder.journalFolder) { return }
        if isLocked {
            do { try Syscalls.createFolders(folder.journalFolder) } catch { throw .cannotPrepare(folder: folder.path, cause: error) }
        } else {
            lock = try folder.lock(creates: true)
        }
        counter.goOn(
            behind: try SequenceCounter(path: folder.sequencePath) { () throws(RecordingError) in try folder.firstFreeSequence() })
        place = FileIdentity(of: folder.journalFolder)
        guard let home, let place, !place.isOnSameDisk(as: home) else {
            problems.otherDiskSince = nil
            return
        }
        if problems.otherDiskSince == nil { problems.otherDiskSince = MonotonicClock.milliseconds }
    }

    /// Forgets what is carried when another log lies in the place of ours, whose records have these numbers: it stays where it was written.
    func dropCarriedAmongOthers() throws(RecordingError) {
        guard let carried, carried.isDisplaced,
            ![folder.openJournalPath(carried.stem), folder.finishedJournalPath(carried.stem)].contains(where: { Syscalls.exists($0) }),
            try folder.firstFreeSequence() > carried.first.sequence
        else { return }
        self.carried = nil
        note(.loss)
    }
}
