import Waypost
import WaypostSystem

/// Hands out sequence numbers that grow for ever, also through crashes and after journals were deleted.
///
/// The file holds a bound: all numbers below it may have been used. It is raised, and brought to the disk, before a number from
/// the bound on is used; so a crash leaves a hole of at most ``step`` numbers, and costs no write per record.
struct SequenceCounter {
    /// The next number.
    private(set) var next: UInt64
    private var bound: UInt64
    private let path: String

    /// How far ahead numbers are reserved: 18 hours at one fix a second.
    static let step: UInt64 = 65_536

    /// Whatever a damaged file says, numbers that records can have are left.
    private static let largest = JournalCodec.sequences.upperBound / 2

    /// Goes on after the bound in the file; `fallback` gives the first free number when the file is missing or unreadable.
    init(path: String, fallback: () throws(RecordingError) -> UInt64) throws(RecordingError) {
        self.path = path
        let text: [UInt8]?
        do {
            text = try Syscalls.contents(of: path, as: .own)
        } catch {
            throw .cannotRead(path: path, cause: error)
        }
        if let stored = SequenceCounter.bound(text) {
            bound = stored
        } else {
            bound = min(try fallback(), SequenceCounter.largest)
        }
        next = bound
    }

    /// The bound that the file's text says; nil when there is none or it is damaged.
    static func bound(_ text: [UInt8]?) -> UInt64? {
        // Half of a number would be a number, and those from it on are used.
        guard let text = text.flatMap(SealedText.text(of:)), let stored = UInt64(String(decoding: text.dropLast(), as: UTF8.self)),
            (1...largest).contains(stored)
        else { return nil }
        return stored
    }

    /// Makes sure that that many numbers can be used.
    mutating func reserve(_ count: UInt64) throws(SystemError) {
        guard next + count > bound else { return }
        try store(next + count + SequenceCounter.step)
    }

    /// Marks numbers as used; they were reserved before.
    mutating func use(_ count: UInt64) {
        precondition(next + count <= bound, "numbers are reserved before they are used")
        next += count
    }

    /// Goes on in another folder, behind all numbers that it and the counter there have used; the bound is stored there before the next one is.
    mutating func goOn(behind other: SequenceCounter) {
        next = max(next, other.next)
        bound = next
    }

    /// Gives back what was reserved and not used.
    mutating func release() throws(SystemError) {
        if bound != next { try store(next) }
    }

    private mutating func store(_ newBound: UInt64) throws(SystemError) {
        try AtomicFile.write(SealedText.seal(Array("\(newBound)\n".utf8)), to: path)
        bound = newBound
    }
}
