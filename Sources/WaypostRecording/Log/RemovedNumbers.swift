import Waypost
import WaypostSystem

/// The numbers of records that went with whole journals, deleted by the limits of the log or erased, or that are in another copy of the log.
///
/// Numbers that no journal has need not have been used: a tracker that was killed leaves numbers out. With these a reader knows that something
/// was there.
///
/// ```
/// 1-4710
/// 5012-5630        the first and the last number, in order
/// 0b1c2d3e         SealedText
/// ```
struct RemovedNumbers {
    /// In order, with something between any two.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    /// More journals than anybody erases one by one; those that the limits delete follow each other.
    private static let most = 1_000
    private static let longestByteCount = 64_000

    init() {}

    /// Reads the file of a log; a missing or damaged one says nothing.
    init(in folder: LogFolder) {
        let bytes = try? Syscalls.contents(of: folder.removedPath, limit: RemovedNumbers.longestByteCount, as: .own)  // See above.
        guard let text = (bytes ?? nil).flatMap(SealedText.text(of:)) else { return }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let numbers = line.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map {
                UInt64(String(decoding: $0, as: UTF8.self))
            }
            guard numbers.count == 2, let first = numbers[0], let last = numbers[1], first <= last,
                JournalCodec.sequences.contains(first), JournalCodec.sequences.contains(last)
            else { continue }
            add(first...last)
        }
    }

    /// Adds the numbers of a journal.
    mutating func add(_ new: ClosedRange<UInt64>) {
        var new = new
        ranges.removeAll { known in
            guard known.lowerBound <= new.upperBound + 1, new.lowerBound <= known.upperBound + 1 else { return false }
            new = min(known.lowerBound, new.lowerBound)...max(known.upperBound, new.upperBound)
            return true
        }
        let place = ranges.firstIndex { $0.lowerBound > new.lowerBound } ?? ranges.endIndex
        ranges.insert(new, at: place)
        // The journals between the oldest ones are most likely gone, too.
        while ranges.count > RemovedNumbers.most {
            let second = ranges.remove(at: 1)
            ranges[0] = ranges[0].lowerBound...second.upperBound
        }
    }

    /// The numbers from the first to the last one that were removed between two others; nil for none.
    func part(after number: UInt64, before next: UInt64) -> ClosedRange<UInt64>? {
        guard next > 0, number + 1 <= next - 1 else { return nil }
        let between = number + 1...next - 1
        let found = ranges.filter { $0.overlaps(between) }.map { $0.clamped(to: between) }
        guard let first = found.first, let last = found.last else { return nil }
        return first.lowerBound...last.upperBound
    }

    /// Stores them in the log.
    func write(in folder: LogFolder) throws(SystemError) {
        let lines = ranges.map { "\($0.lowerBound)-\($0.upperBound)\n" }.joined()
        try AtomicFile.write(SealedText.seal(Array(lines.utf8)), to: folder.removedPath, adoptsFolderOwner: true)
    }
}

extension LogFolder {
    /// Notes that journals are about to be removed, for readers that have not read them.
    ///
    /// A full disk, for which they may be removed, keeps no one from it: then readers are told nothing.
    func noteRemoving(_ journals: [ClosedRange<UInt64>]) {
        guard !journals.isEmpty else { return }
        var removed = RemovedNumbers(in: self)
        for numbers in journals { removed.add(numbers) }
        try? removed.write(in: self)  // See above.
    }

    /// Notes numbers that another log has, or had, from the first one up to but not including another.
    func noteRemoving(from first: UInt64, before next: UInt64) {
        if first < next { noteRemoving([first...next - 1]) }
    }
}
