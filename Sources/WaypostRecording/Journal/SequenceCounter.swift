import Waypost
import WaypostSystem

/// Hands out sequence numbers that grow for ever, even through crashes and after journals were deleted.
///
/// The file holds a bound: all numbers below it may have been used. It is raised and synchronized before a number from the bound on is used;
/// so a crash leaves a hole of at most ``step`` numbers, and there is no write per record.
///
/// A copy outside of the log goes on when the log is put back to an older copy, with an older bound in it: numbers that came again would be
/// skipped by everyone who has read them. Both have a mark besides, which is nearer than the bound: by it an older copy is known, and how much it
/// lacks, also after a crash, to ``markStep`` numbers. The counters of logs in other folders, which earlier runs had, count like the copy: it could
/// not be written while its disk was full.
///
/// ```
/// 65539 1027        the bound and the mark; the same when the last run ended in order
/// 0b1c2d3e          SealedText
/// ```
struct SequenceCounter {
    /// What the file and its copy have.
    private struct Reservation {
        var bound: UInt64
        var mark: UInt64
        /// Whether the numbers before the mark are exactly those that were given.
        var isExact: Bool
        /// Whether the text has a mark at all.
        var hasMark: Bool

        /// Nil when the text is missing or damaged.
        init?(_ text: [UInt8]?) {
            // Half a number would still be a number, and the numbers after it have been used.
            guard let text = text.flatMap(SealedText.text(of:)) else { return nil }
            let numbers = text.dropLast().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
                UInt64(String(decoding: $0, as: UTF8.self)) ?? 0
            }
            guard let first = numbers.first, let last = numbers.last, numbers.count <= 2, 1 <= last, last <= first, first <= largest else {
                return nil
            }
            (bound, mark) = (first, last)
            hasMark = numbers.count == 2
            isExact = hasMark && first == last
        }
    }

    /// The next number.
    private(set) var next: UInt64
    private var bound: UInt64
    private var mark: UInt64
    private let path: String
    private let copyPath: String?
    /// Whether the copy knows of numbers that the file does not: the log is an older one, or another one.
    let isBehindCopy: Bool
    /// The first number that the last run did not give, as far as the copy knows that.
    let endOfLastRun: UInt64?
    /// Whether a log in another folder has given the last numbers.
    let isBehindOther: Bool
    /// The file that knows of numbers that this one does not; nil when there is none.
    private let aheadPath: String?

    /// The numbers that the last run gave, as far as the log's own file knows them.
    struct Given: Hashable {
        /// All before this one have been given, or are noted as left out.
        var certainEnd: UInt64
        /// None from this one on has been given.
        var possibleEnd: UInt64
    }

    /// How far ahead numbers are reserved: 18 hours at one fix per second.
    static let step: UInt64 = 65_536
    /// How far ahead the mark is: a quarter of an hour at one fix per second.
    static let markStep: UInt64 = 1_024

    /// Whatever a damaged file contains, enough valid record numbers remain.
    private static let largest = JournalCodec.sequences.upperBound / 2

    /// Continues after the bound in the file, the one in its copy, and the newest number in the log.
    ///
    /// - Parameters:
    ///   - path: the file of the bound.
    ///   - copyPath: the file of its copy, outside of the log; nil for none.
    ///   - others: the files of logs in other folders.
    ///   - firstFree: returns the first number that no record has; from the whole log when the bound is missing, damaged or not a file.
    init(
        path: String, copyPath: String? = nil, others: [String] = [], firstFree: (_ isBoundKnown: Bool) throws(RecordingError) -> UInt64
    ) throws(RecordingError) {
        self.path = path
        self.copyPath = copyPath
        let text: [UInt8]?
        do {
            text = try Syscalls.contents(of: path, as: .own)
        } catch {
            // What can be done about it is said when it cannot be written either.
            guard error.isOddFile else { throw .cannotRead(path: path, cause: error) }
            text = nil
        }
        let stored = Reservation(text)
        let kept = copyPath.flatMap(SequenceCounter.reservation)
        let other = others.compactMap { path in SequenceCounter.reservation(in: path).map { (path: path, text: $0) } }
            .max { $0.text.mark < $1.text.mark }
        // The copy may have been written by that log; one that is ahead of both was written by a log that is elsewhere now.
        isBehindOther = other.map { $0.text.mark > stored?.mark ?? 0 && $0.text.mark >= kept?.mark ?? 0 } ?? false
        let copy = isBehindOther ? other?.text : kept
        let free = min(try firstFree(stored != nil), SequenceCounter.largest)
        let isBehind = if let stored, let copy { copy.mark > stored.mark } else { false }
        isBehindCopy = isBehind
        aheadPath = isBehind ? isBehindOther ? other?.path : copyPath : nil
        // A log that has the same was stopped with it, whatever was erased since.
        let isOther = stored?.bound != copy?.bound || stored?.mark != copy?.mark
        endOfLastRun = copy.flatMap { isBehind || $0.isExact && isOther ? $0.mark : nil }
        bound = max(stored?.bound ?? 1, free, kept?.bound ?? 1, other?.text.bound ?? 1)
        mark = bound
        next = bound
    }

    /// What a file outside of the log has; nil when it is missing or damaged, or cannot be read: without it, the log's own counts.
    private static func reservation(in path: String) -> Reservation? {
        Reservation((try? Syscalls.contents(of: path, as: .own)) ?? nil)  // See above.
    }

    /// Up to where numbers may have been given according to a file, and what was given at least; nil as with the others.
    static func reserved(in path: String) -> (bound: UInt64, mark: UInt64)? { reservation(in: path).map { ($0.bound, $0.mark) } }

    /// Parses the bound in the file's text; nil when it is missing or damaged.
    static func bound(_ text: [UInt8]?) -> UInt64? { Reservation(text)?.bound }

    /// Parses what was given from the file's text; nil when it is missing or damaged.
    static func given(_ text: [UInt8]?) -> Given? {
        guard let known = Reservation(text), known.hasMark else { return nil }
        let certain = known.isExact ? known.mark : known.mark - min(known.mark - 1, markStep)
        return Given(certainEnd: certain, possibleEnd: known.mark)
    }

    /// Makes sure that this many numbers can be used.
    ///
    /// - Parameter isInNewJournal: whether they are the first of a journal: ``markJournal()`` moves the mark once that is there.
    mutating func reserve(_ count: UInt64, isInNewJournal: Bool = false) throws(SystemError) {
        let isBeyond = next + count > bound
        guard isBeyond || !isInNewJournal && next + count > mark else { return }
        if !isInNewJournal { mark = next + count + SequenceCounter.markStep }
        do throws(SystemError) {
            try store(isBeyond ? next + count + SequenceCounter.step : max(bound, mark))
        } catch {
            // What is reserved is enough, as on a full disk; the next mark is stored again.
            if isBeyond || error.isMissing { throw error }
        }
    }

    /// Moves the mark behind the first records of a journal, which is on the disk: neither an older copy of the log has it, nor a log from which
    /// somebody removed it.
    mutating func markJournal() {
        mark = next + SequenceCounter.markStep
        try? store(max(bound, mark))  // What is reserved is enough, as on a full disk; the next mark is stored again.
    }

    /// Marks numbers as used; they must have been reserved.
    mutating func use(_ count: UInt64) {
        precondition(next + count <= bound, "numbers are reserved before they are used")
        next += count
    }

    /// Continues in another folder, after all numbers used here and there; the bound is stored there before the next number is used.
    mutating func goOn(behind other: SequenceCounter) {
        next = max(next, other.next)
        bound = next
    }

    /// Returns the numbers that were reserved but not used.
    mutating func release() throws(SystemError) {
        guard bound != next || mark != next else { return }
        mark = next
        try store(next)
    }

    /// Takes over what is ahead, in the log's own file: numbers that were given elsewhere do not come again without the copy, and are known.
    func adoptCopy() {
        if let aheadPath { SequenceCounter.copy(aheadPath, to: path) }
    }

    /// Makes the copy again where it was removed: it has what the log's own file has, of which it must not be ahead.
    func restoreCopy() {
        if let copyPath, !Syscalls.exists(copyPath) { SequenceCounter.copy(path, to: copyPath) }
    }

    /// Writes what one file has to the other; where that fails, the next mark is stored in both.
    private static func copy(_ path: String, to other: String) {
        let text = try? Syscalls.contents(of: path, as: .own)  // See above.
        if let text = text.flatMap({ $0 }), bound(text) != nil { try? AtomicFile.write(text, to: other) }  // See above.
    }

    private mutating func store(_ newBound: UInt64) throws(SystemError) {
        let text = SealedText.seal(Array("\(newBound) \(mark)\n".utf8))
        // Wherever this ends, the copy is not ahead: it would look as if the log were an older one.
        let isLower = newBound < bound
        if isLower, let copyPath { try AtomicFile.write(text, to: copyPath) }
        try AtomicFile.write(text, to: path)
        bound = newBound
        // The log must go on without it; the next mark is copied again.
        if !isLower, let copyPath { try? AtomicFile.write(text, to: copyPath) }  // See above.
    }
}

extension SequenceCounter {
    /// The counter of a log.
    ///
    /// - Parameters:
    ///   - copyPath: the file of its bound's copy; nil for none.
    ///   - others: the folders of logs of earlier runs.
    init(_ folder: LogFolder, copyPath: String? = nil, others: [LogFolder] = []) throws(RecordingError) {
        try self.init(path: folder.sequencePath, copyPath: copyPath, others: others.map(\.sequencePath)) {
            (isBoundKnown) throws(RecordingError) in
            let free = isBoundKnown ? try folder.firstFreeSequenceOfLastJournal() : try folder.firstFreeSequence()
            // Those that are noted were given, here or elsewhere.
            return RemovedNumbers(in: folder).end(from: free)
        }
    }
}

extension LogFolder {
    /// Up to where the log has given numbers, approximately; 0 when it says nothing.
    package var newestMark: UInt64 { LogFolder.newestMark(in: sequencePath) }

    /// The same, from a file that keeps it outside of the log.
    package static func newestMark(in path: String) -> UInt64 { SequenceCounter.reserved(in: path)?.mark ?? 0 }
}
