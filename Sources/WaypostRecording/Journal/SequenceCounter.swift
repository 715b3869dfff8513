import Waypost
import WaypostSystem

/// Hands out sequence numbers that grow for ever, even through crashes and after journals were deleted.
///
/// The file holds a bound: all numbers below it may have been used. It is raised and synchronized before a number from the bound on is used;
/// so a crash leaves a hole of at most ``step`` numbers, and there is no write per record.
///
/// A copy of the bound outside of the log goes on when the log is put back to an older copy, with an older bound in it: numbers that came
/// again would be skipped by everyone who has read them. It is raised in smaller steps: what is missing from the older copy, also after a
/// crash, is then known to ``copyStep`` numbers.
struct SequenceCounter {
    /// The next number.
    private(set) var next: UInt64
    private var bound: UInt64
    private let path: String
    private let copyPath: String?
    private var copiedBound: UInt64
    /// Whether the copy knows of numbers that the file does not: the log is an older one, or another one.
    private(set) var isBehindCopy = false

    /// How far ahead numbers are reserved: 18 hours at one fix per second.
    static let step: UInt64 = 65_536
    /// How far ahead the copy of the bound is: a quarter of an hour at one fix per second.
    static let copyStep: UInt64 = 1_024

    /// Whatever a damaged file contains, enough valid record numbers remain.
    private static let largest = JournalCodec.sequences.upperBound / 2

    /// Continues after the bound in the file, the one in its copy, and the newest number in the log.
    ///
    /// - Parameters:
    ///   - path: the file of the bound.
    ///   - copyPath: the file of its copy, outside of the log; nil for none.
    ///   - firstFree: returns the first number that no record has; from the whole log when the bound is missing, damaged or not a file.
    init(
        path: String, copyPath: String? = nil, firstFree: (_ isBoundKnown: Bool) throws(RecordingError) -> UInt64
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
        let stored = SequenceCounter.bound(text)
        bound = max(stored ?? 1, min(try firstFree(stored != nil), SequenceCounter.largest))
        let copy = copyPath.flatMap { (try? Syscalls.contents(of: $0, as: .own)) ?? nil }  // Without it, the log's own counts.
        copiedBound = SequenceCounter.bound(copy) ?? 0
        if copiedBound > bound {
            isBehindCopy = stored != nil
            bound = copiedBound
        }
        next = bound
    }

    /// Parses the bound in the file's text; nil when it is missing or damaged.
    static func bound(_ text: [UInt8]?) -> UInt64? {
        // Half a number would still be a number, and the numbers after it have been used.
        guard let text = text.flatMap(SealedText.text(of:)), let stored = UInt64(String(decoding: text.dropLast(), as: UTF8.self)),
            (1...largest).contains(stored)
        else { return nil }
        return stored
    }

    /// Makes sure that this many numbers can be used.
    mutating func reserve(_ count: UInt64) throws(SystemError) {
        if next + count > bound { try store(next + count + SequenceCounter.step) }
        guard let copyPath, next + count > copiedBound else { return }
        copiedBound = min(bound, next + count + SequenceCounter.copyStep)
        // The log must go on without it; the next bound is copied again.
        try? AtomicFile.write(SequenceCounter.text(of: copiedBound), to: copyPath)  // See above.
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
        if bound != next { try store(next) }
    }

    private mutating func store(_ newBound: UInt64) throws(SystemError) {
        let text = SequenceCounter.text(of: newBound)
        // Wherever this ends, the copy is not ahead: it would look as if the log were an older one.
        if let copyPath, newBound < bound {
            try AtomicFile.write(text, to: copyPath)
            copiedBound = newBound
        }
        try AtomicFile.write(text, to: path)
        bound = newBound
    }

    /// The text of the file with a bound in it.
    private static func text(of bound: UInt64) -> [UInt8] { SealedText.seal(Array("\(bound)\n".utf8)) }
}

extension SequenceCounter {
    /// The counter of a log.
    ///
    /// - Parameter copyPath: the file of its bound's copy; nil for none.
    init(_ folder: LogFolder, copyPath: String? = nil) throws(RecordingError) {
        try self.init(path: folder.sequencePath, copyPath: copyPath) { (isBoundKnown) throws(RecordingError) in
            isBoundKnown ? try folder.firstFreeSequenceOfLastJournal() : try folder.firstFreeSequence()
        }
    }
}
