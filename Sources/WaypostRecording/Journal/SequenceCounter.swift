import Waypost
import WaypostSystem

/// Hands out sequence numbers that grow for ever, even through crashes and after journals were deleted.
///
/// The file holds a bound: all numbers below it may have been used. It is raised and synchronized before a number from the bound on is used;
/// so a crash leaves a hole of at most ``step`` numbers, and there is no write per record.
struct SequenceCounter {
    /// The next number.
    private(set) var next: UInt64
    private var bound: UInt64
    private let path: String

    /// How far ahead numbers are reserved: 18 hours at one fix per second.
    static let step: UInt64 = 65_536

    /// Whatever a damaged file contains, enough valid record numbers remain.
    private static let largest = JournalCodec.sequences.upperBound / 2

    /// Continues after the bound in the file; `fallback` returns the first free number when the file is missing, damaged or not a file.
    init(path: String, fallback: () throws(RecordingError) -> UInt64) throws(RecordingError) {
        self.path = path
        let text: [UInt8]?
        do {
            text = try Syscalls.contents(of: path, as: .own)
        } catch {
            // What can be done about it is said when it cannot be written either.
            guard error.isOddFile else { throw .cannotRead(path: path, cause: error) }
            text = nil
        }
        if let stored = SequenceCounter.bound(text) {
            bound = stored
        } else {
            bound = min(try fallback(), SequenceCounter.largest)
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
        guard next + count > bound else { return }
        try store(next + count + SequenceCounter.step)
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
        try AtomicFile.write(SealedText.seal(Array("\(newBound)\n".utf8)), to: path)
        bound = newBound
    }
}
