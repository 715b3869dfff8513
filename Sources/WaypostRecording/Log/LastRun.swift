import Waypost
import WaypostSystem

/// How the last run left the end of a log, from which follows what became of the numbers behind the last record.
struct LastRun {
    /// The first number that may still be given.
    var next: UInt64
    /// The first number that it did not give, as far as that is known outside of the log.
    var end: UInt64?
    /// Whether another copy of the log has certainly been written since this one was made.
    var isOlderCopy = false
    /// What it gave, as far as the log knows that.
    private let given: SequenceCounter.Given?
    /// Whether it left its last journal open: then that is the one in which the last numbers are.
    private let leftOpen: Bool
    private let folder: LogFolder

    /// Looks at a log before anything in it is finished or written.
    init(of folder: LogFolder, next: UInt64, end: UInt64? = nil, isOlderCopy: Bool = false) {
        self.folder = folder
        self.next = next
        self.end = end
        self.isOlderCopy = isOlderCopy
        given = SequenceCounter.given((try? Syscalls.contents(of: folder.sequencePath, as: .own)) ?? nil)  // Without it less is known.
        leftOpen = (try? folder.journals()).map { $0.last?.isOpen == true } ?? true  // Whoever reads the log reports it.
    }

    /// Notes what became of the numbers behind the last record, none of which is given any more; again is as good as once.
    ///
    /// - Returns: whether the log is an older copy.
    @discardableResult
    func noteNumbers() -> Bool {
        guard let journals = try? folder.journals() else { return isOlderCopy }  // Whoever reads the log reports it.
        guard let last = journals.last else {
            if given != nil { noteLost(from: 1) }
            return isOlderCopy
        }
        guard Syscalls.oddFile(last.path) == nil, let free = try? folder.firstFreeSequenceOfLastJournal() else {  // See above.
            folder.beginNoting(at: next, anew: true)
            return isOlderCopy
        }
        guard free < next else { return isOlderCopy }
        if isOlderCopy {
            noteElsewhere(from: free, to: end ?? next)
            return true
        }
        let digests = TrackDigests(folder: folder)
        let names = digests.names.union((try? digests.trackNames()) ?? [])  // See above.
        let later = names.compactMap(LogFolder.stem(ofTrack:)).filter { $0.firstSequence >= free }
        if later.isEmpty {
            // Nobody knows what a damaged end had.
            guard var reader = try? JournalReader(path: last.path), (try? reader.lastRecord()) != nil,  // See above.
                reader.decoder.damageCount == 0
            else { return false }
            let known = RemovedNumbers(in: folder).end(from: free)
            // The last run ended in order, with numbers that nothing here has.
            if let end, end > known, end <= next {
                noteElsewhere(from: known, to: end)
                return true
            }
            noteLost(from: free)
            return false
        }
        let lost = ((try? folder.lostTracks(listed: digests.names, before: next, isOwed: true)) ?? []).filter {  // See above.
            $0.stem.firstSequence >= free
        }
        folder.note(lost.map(\.numbers), as: .lost)
        return false
    }

    /// Notes that somebody removed the journal with the last numbers, if so, and that the others were not given.
    private func noteLost(from free: UInt64) {
        let removed = RemovedNumbers(in: folder)
        var known = removed.end(from: free)
        if let given, !leftOpen, known < given.certainEnd, given.possibleEnd <= next, let start = removed.notedFrom, start <= known {
            let lost = [known...given.possibleEnd - 1].subtracting(removed.ranges(.unused))
            folder.note(lost, as: .lost)
            known = given.possibleEnd
        }
        if known < next { folder.note([known...next - 1], as: .unused) }
    }

    /// Notes that the numbers up to an end are in another copy of the log, and that those behind it were not given.
    private func noteElsewhere(from free: UInt64, to end: UInt64) {
        if free < end { folder.note([free...end - 1], as: .elsewhere) }
        if max(free, end) < next { folder.note([max(free, end)...next - 1], as: .unused) }
    }
}
