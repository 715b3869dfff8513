import Synchronization
import Waypost
import WaypostSystem

/// Numbers that the log does not have, although nothing in its journals says so, and what became of them.
///
/// Numbers that no journal has need not have been used: a tracker that was killed leaves numbers out. With these a reader knows whether
/// something was there.
///
/// ```
/// 1- noted          from this number on, each number that no journal has is noted here
/// 1-4710            the first and the last number, in order
/// 5012-5630 lost    with what became of them, when they were not deleted or erased
/// 5631-5700 moved   in the log of another folder, from which destinations get them
/// 17-2500 counted   positions among those that limits deleted, which the outbox has counted; if that is lost, destinations count them again
/// 2502-4709 uncounted  those that it could not count: the next start does, or a destination that comes to them
/// 4712-4712 unqueued events among the deleted ones, which perhaps were not queued
/// 0b1c2d3e          SealedText
/// ```
struct RemovedNumbers: Equatable {
    /// What became of numbers.
    enum Fate: String, CaseIterable {
        /// The limits of the log deleted their journals, or they were erased.
        case removed
        /// Their track and its journal were gone, and are not looked for any more.
        case lost
        /// They are in another copy of the log, which this one has replaced.
        case elsewhere
        /// They are in another folder, which was that of the log meanwhile.
        case moved
        /// They were reserved, and no record got them: the tracker was killed.
        case unused
        /// The limits of the log deleted these positions, which are also ``removed``, and the outbox has counted what destinations lacked of them.
        case counted
        /// As ``counted``, but the outbox could not count them.
        case uncounted
        /// As ``uncounted``, of events.
        case unqueued
    }

    /// From this number on, those that no journal has and that are not noted here are lost: somebody removed their journals; nil when that
    /// is not certain.
    private(set) var notedFrom: UInt64?
    /// Numbers with one fate.
    struct Note {
        var numbers: ClosedRange<UInt64>
        var fate: Fate
    }

    /// The numbers, in order, with something between any two of a fate.
    private var stretches: [Fate: [ClosedRange<UInt64>]] = [:]

    /// More journals than anybody erases one by one; those that the limits delete follow each other.
    private static let most = 1_000
    private static let longestByteCount = 512_000

    /// Held from reading the file to writing it: the recorder and the thread that deletes tracks note at the same time.
    ///
    /// Of two processes only the one that has locked the log changes it.
    private static let changing = Mutex(())

    init() {}

    /// Reads the file of a log; a missing or damaged one says nothing.
    init(in folder: LogFolder) {
        let bytes = try? Syscalls.contents(of: folder.removedPath, limit: RemovedNumbers.longestByteCount, as: .own)  // See above.
        guard let text = (bytes ?? nil).flatMap(SealedText.text(of:)) else { return }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            if words.count == 2, words[1].elementsEqual("noted".utf8), words[0].last == UInt8(ascii: "-") {
                notedFrom = UInt64(String(decoding: words[0].dropLast(), as: UTF8.self)) ?? notedFrom
                continue
            }
            let numbers = (words.first ?? []).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map {
                UInt64(String(decoding: $0, as: UTF8.self))
            }
            let fate = words.count == 1 ? Fate.removed : Fate(rawValue: String(decoding: words.last ?? [], as: UTF8.self))
            guard words.count <= 2, let fate, numbers.count == 2, let first = numbers[0], let last = numbers[1], first <= last,
                JournalCodec.sequences.contains(first), JournalCodec.sequences.contains(last)
            else { continue }
            add(first...last, as: fate)
        }
    }

    /// The numbers of a fate, in order.
    func ranges(_ fate: Fate = .removed) -> [ClosedRange<UInt64>] { stretches[fate] ?? [] }

    /// Adds numbers.
    mutating func add(_ new: ClosedRange<UInt64>, as fate: Fate = .removed) {
        // Another copy of the log has used what this one only reserved.
        if fate == .elsewhere || fate == .moved { stretches[.unused] = ranges(.unused).subtracting([new]) }
        var (new, known) = (new, ranges(fate))
        known.removeAll { range in
            guard range.lowerBound <= new.upperBound + 1, new.lowerBound <= range.upperBound + 1 else { return false }
            new = min(range.lowerBound, new.lowerBound)...max(range.upperBound, new.upperBound)
            return true
        }
        known.insert(new, at: known.firstIndex { $0.lowerBound > new.lowerBound } ?? known.endIndex)
        while known.count > RemovedNumbers.most {
            let first = known.removeFirst()
            switch fate {
            // The journals between the oldest ones are most likely gone, too.
            case .removed: known[0] = first.lowerBound...known[0].upperBound
            // What is between these is not lost: better too little is told than too much.
            case .lost, .elsewhere, .moved: add(first)
            case .unused: notedFrom = notedFrom.map { max($0, first.upperBound + 1) }
            // What is between them went with the same tracks, or others.
            case .counted, .uncounted, .unqueued: known[0] = first.lowerBound...known[0].upperBound
            }
        }
        stretches[fate] = known
    }

    /// Whether a number has a fate.
    func has(_ number: UInt64, _ fate: Fate) -> Bool { ranges(fate).contains { $0.contains(number) } }

    /// The first number, not before that one, behind all that had records.
    func end(from number: UInt64) -> UInt64 {
        [Fate.removed, .lost, .elsewhere, .moved].reduce(number) { max($0, (ranges($1).last?.upperBound ?? 0) + 1) }
    }

    /// The numbers of a fate between two others, in order.
    func parts(_ fate: Fate, after number: UInt64, before next: UInt64) -> [ClosedRange<UInt64>] {
        guard next > 0, number < next - 1 else { return [] }
        let between = number + 1...next - 1
        return ranges(fate).filter { $0.overlaps(between) }.map { $0.clamped(to: between) }
    }

    /// The numbers between two others whose records are gone though nobody deleted or erased them, without those that are known to be lost.
    ///
    /// - Parameters:
    ///   - next: the first number of the next record; with none, nobody knows which numbers behind the last one were given.
    ///   - gap: what the journal before them lacks: behind an end that cannot be read, the numbers that a kill left out are not noted.
    func losses(
        after number: UInt64, before next: UInt64, besides known: [LogLoss], in folder: LogFolder, behind gap: LogGap? = nil
    ) -> [LogLoss] {
        // Of the end of a journal that nobody can count, at least one is lost, but not all of what is behind it.
        var others = known.filter(\.isBounded).map { $0.after + 1...$0.through }
        for fate in [Fate.removed, .unused] { others += parts(fate, after: number, before: next) }
        var losses: [LogLoss] = []
        for (fate, note) in [(Fate.lost, LogLoss.Note.forgotten), (.elsewhere, .elsewhere), (.moved, .moved)] {
            let parts = parts(fate, after: number, before: next).subtracting(others)
            others += parts
            losses += parts.map {
                LogLoss(path: folder.path, offset: 0, after: $0.lowerBound - 1, through: $0.upperBound, isCounted: false, note: note)
            }
        }
        if next < .max, gap?.isUnreadable != true, known.allSatisfy(\.isBounded), let notedFrom, max(number + 1, notedFrom) < next {
            let firsts = (try? folder.journals())?.map(\.firstSequence)  // Without the names, all of it counts.
            // Within a journal nothing was removed: what is missing there was erased, or is damaged.
            if let firsts, !firsts.contains(where: { number < $0 && $0 <= next }) { return losses }
            // A journal that is there and cannot be read, as one that is a link now, is reported as such.
            let starts = (firsts ?? []).filter { number < $0 && $0 < next }
            others += zip(starts, starts.dropFirst() + [next]).filter { $0 < $1 }.map { $0...$1 - 1 }
            // Those behind a journal that is cut were in it, or in one that is gone: that one is there to be looked at.
            let cut = gap.flatMap { $0.extent == .end ? $0 : nil }
            losses += [max(number + 1, notedFrom)...next - 1].subtracting(others).map {
                LogLoss(
                    path: cut?.journal.path ?? folder.path, offset: cut?.offset ?? 0, after: $0.lowerBound - 1, through: $0.upperBound,
                    isCounted: cut != nil, note: cut == nil ? .forgotten : nil)
            }
        }
        return losses
    }

    /// The numbers between two others that limits deleted.
    func losses(_ deleted: LogReader.Deleted, after number: UInt64, before next: UInt64, in folder: LogFolder) -> [LogLoss] {
        let fates: [Fate] = deleted == .positions ? [.counted, .uncounted] : [.unqueued]
        return fates.flatMap { parts($0, after: number, before: next) }.map {
            LogLoss(path: folder.path, offset: 0, after: $0.lowerBound - 1, through: $0.upperBound, isCounted: true, note: .deleted)
        }
    }

    /// Begins to note from that number on, unless it does so already.
    mutating func begin(at number: UInt64, anew isAnew: Bool = false) {
        guard isAnew ? number > notedFrom ?? 0 : notedFrom == nil, JournalCodec.sequences.contains(number) else { return }
        notedFrom = number
    }

    /// The end of the numbers of a track that begins with one, before the first number that it cannot have.
    func end(ofTrackFrom first: UInt64, before next: UInt64) -> UInt64 {
        var end = next
        for fate in [Fate.removed, .unused] {
            if let other = ranges(fate).first(where: { $0.lowerBound > first }) { end = min(end, other.lowerBound) }
        }
        if let lost = ranges(.lost).first(where: { $0.contains(first) }) { end = min(end, lost.upperBound + 1) }
        return max(end, first + 1)
    }

    /// Changes what is noted in a log, so that nothing that others note at the same time gets lost.
    ///
    /// - Returns: whether it is on the disk.
    static func change(in folder: LogFolder, _ change: (inout RemovedNumbers) -> Void) -> Bool {
        changing.withLock { _ in
            let known = RemovedNumbers(in: folder)
            var changed = known
            change(&changed)
            return changed == known || (try? changed.write(in: folder)) != nil  // Without a place for it, readers are told less.
        }
    }

    private func write(in folder: LogFolder) throws(SystemError) {
        var lines = notedFrom.map { "\($0)- noted\n" } ?? ""
        for fate in Fate.allCases {
            let word = fate == .removed ? "" : " \(fate.rawValue)"
            for range in ranges(fate) { lines += "\(range.lowerBound)-\(range.upperBound)\(word)\n" }
        }
        try AtomicFile.write(SealedText.seal(Array(lines.utf8)), to: folder.removedPath, adoptsFolderOwner: true)
    }
}

extension LogFolder {
    /// The numbers of the positions that limits deleted: an outbox that could not count them does so at the next start, and so does one that
    /// was lost after it had.
    package var deletedPositions: [ClosedRange<UInt64>] {
        let removed = RemovedNumbers(in: self)
        return removed.ranges(.uncounted) + removed.ranges(.counted)
    }

    /// Notes what becomes of numbers, for readers that have not read them: before their journals are removed.
    ///
    /// - Returns: whether it is noted. A full disk, for which they may be removed, keeps no one from it.
    @discardableResult
    func note(_ numbers: [ClosedRange<UInt64>], as fate: RemovedNumbers.Fate = .removed) -> Bool {
        note(numbers.map { .init(numbers: $0, fate: fate) })
    }

    /// Notes what becomes of numbers; returns whether that is on the disk.
    func note(_ notes: [RemovedNumbers.Note]) -> Bool {
        guard !notes.isEmpty else { return true }
        return RemovedNumbers.change(in: self) { removed in
            for note in notes { removed.add(note.numbers, as: note.fate) }
        }
    }

    /// Begins to note what becomes of all numbers from that one on; does nothing when that is done.
    ///
    /// - Parameter isAnew: whether what is missing before it is not known any more.
    func beginNoting(at number: UInt64, anew isAnew: Bool = false) {
        _ = RemovedNumbers.change(in: self) { $0.begin(at: number, anew: isAnew) }  // Less is told when that fails.
    }
}

extension [ClosedRange<UInt64>] {
    /// These numbers without others.
    func subtracting(_ others: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var left = self
        for other in others {
            left = left.flatMap { range -> [ClosedRange<UInt64>] in
                guard range.overlaps(other) else { return [range] }
                var parts: [ClosedRange<UInt64>] = []
                if range.lowerBound < other.lowerBound { parts.append(range.lowerBound...other.lowerBound - 1) }
                if range.upperBound > other.upperBound { parts.append(other.upperBound + 1...range.upperBound) }
                return parts
            }
        }
        return left
    }
}
