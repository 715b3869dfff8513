import Waypost
import WaypostSystem

/// How the last run left the end of a log: what became of the numbers behind the last record, none of which is given any more.
struct LastRun {
    /// What is to be noted in the log.
    private(set) var notes: [RemovedNumbers.Note] = []
    /// Whether another copy of the log has been written since this one was made.
    private(set) var isOlderCopy: Bool
    private let wasElsewhere: Bool
    private let next: UInt64
    private let folder: LogFolder

    /// Looks at a log before anything in it is finished or written.
    ///
    /// - Parameters:
    ///   - next: the first number that may still be given.
    ///   - end: the first number that the last run did not give, as far as that is known outside of the log.
    ///   - isOlderCopy: whether another copy of the log has certainly been written since this one was made.
    ///   - wasElsewhere: whether it logged in another folder, which has the numbers that this log lacks.
    init(of folder: LogFolder, next: UInt64, end: UInt64? = nil, isOlderCopy isBehind: Bool = false, wasElsewhere: Bool = false) {
        (self.folder, self.next, self.wasElsewhere) = (folder, next, wasElsewhere)
        isOlderCopy = isBehind && !wasElsewhere
        let given = SequenceCounter.given((try? Syscalls.contents(of: folder.sequencePath, as: .own)) ?? nil)  // Without it less is known.
        guard let journals = try? folder.journals() else { return }  // Whoever reads the log reports it.
        guard let last = journals.last else {
            if let given { noteLost(from: 1, given) }
            return
        }
        guard Syscalls.oddFile(last.path) == nil, var free = try? folder.firstFreeSequenceOfLastJournal() else {  // See above.
            folder.beginNoting(at: next, anew: true)
            return
        }
        // All before its first number were given, or were noted when the tracker before had left them out. One that was on the disk had records.
        let isBlank = given.map { $0.certainEnd <= last.firstSequence } == true && (try? last.isBlank()) == true  // See above.
        if isBlank { free = max(free, last.firstSequence) }
        guard free < next else { return }
        if isBehind {
            noteElsewhere(from: free, to: end ?? next)
            return
        }
        let digests = TrackDigests(folder: folder)
        let names = digests.names.union((try? digests.trackNames()) ?? [])  // See above.
        let later = names.compactMap(LogFolder.stem(ofTrack:)).filter { $0.firstSequence >= free }
        guard later.isEmpty else {
            let lost = (try? folder.lostTracks(listed: digests.names, before: next, isOwed: true)) ?? []  // See above.
            for track in lost where track.stem.firstSequence >= free { notes.append(.init(numbers: track.numbers, fate: .lost)) }
            return
        }
        // Nobody knows what a damaged end had; what is gone before a record is known by the numbers around it.
        guard isBlank || LastRun.hasWholeEnd(last) else { return }
        let known = RemovedNumbers(in: folder).end(from: free)
        // The last run ended in order, with numbers that nothing here has.
        if let end, end > known, end <= next {
            isOlderCopy = !wasElsewhere
            noteElsewhere(from: known, to: end)
            return
        }
        // An open journal is the one in which the last numbers are.
        noteLost(from: free, last.isOpen ? nil : given)
    }

    /// Whether the last record of a journal is at its end, whatever is damaged before it.
    private static func hasWholeEnd(_ journal: LogJournal) -> Bool {
        guard var reader = try? JournalReader(path: journal.path), (try? reader.lastRecord()) != nil else { return false }  // See above.
        return reader.decoder.endOfContent == reader.decoder.endOfLastRecord
    }

    /// Notes that somebody removed the journal with the last numbers, if so, and that the others were not given.
    private mutating func noteLost(from free: UInt64, _ given: SequenceCounter.Given?) {
        let removed = RemovedNumbers(in: folder)
        var known = removed.end(from: free)
        if let given, known < given.certainEnd, given.possibleEnd <= next, let start = removed.notedFrom, start <= known {
            let lost = [known...given.possibleEnd - 1].subtracting(removed.ranges(.unused))
            notes += lost.map { .init(numbers: $0, fate: .lost) }
            known = given.possibleEnd
        }
        if known < next { notes.append(.init(numbers: known...next - 1, fate: .unused)) }
    }

    /// Notes that the numbers up to an end are in another copy of the log, or in another folder, and that those behind it were not given.
    private mutating func noteElsewhere(from free: UInt64, to end: UInt64) {
        if free < end { notes.append(.init(numbers: free...end - 1, fate: wasElsewhere ? .moved : .elsewhere)) }
        if max(free, end) < next { notes.append(.init(numbers: max(free, end)...next - 1, fate: .unused)) }
    }
}
