import Waypost
import WaypostRecording
import WaypostSystem

/// The numbers that a reader of a log has passed over because their records are gone, in words for people: one line for each hole.
struct LogHoles {
    private var holes: [(numbers: ClosedRange<UInt64>, words: String)] = []
    /// How many there are, and the last number of all.
    private var extent: (count: Int, last: UInt64) = (0, 0)

    /// How many are named; then their number says enough.
    private static let namedCount = 8

    /// What that reader has passed over so far.
    ///
    /// - Parameter hasRemoved: whether with what was deleted or erased as a whole.
    init(of reader: borrowing LogReader, hasRemoved: Bool) {
        holes = reader.losses.filter { $0.after < $0.through }.map { loss in
            let numbers = loss.after + 1...loss.through
            return (numbers, LogHoles.words(loss, LogHoles.words(numbers)))
        }
        extent = reader.lossExtent
        guard hasRemoved else { return }
        for numbers in reader.removed {
            let words = "does not have \(LogHoles.words(numbers)): tracks were deleted by its limits, or erased"
            holes.append((numbers, "the log \(words)"))
        }
        extent = (extent.count + reader.removedExtent.count, max(extent.last, reader.removedExtent.last))
        holes.sort { $0.numbers.lowerBound < $1.numbers.lowerBound }
    }

    /// The lines, in order.
    var lines: [String] {
        let named = holes.prefix(LogHoles.namedCount).map(\.words)
        guard extent.count > named.count else { return named }
        let count = counted(extent.count - named.count, "more gap")
        return named + ["the log has \(count) like these\(extent.last > 0 ? ", up to number \(extent.last)" : "")"]
    }

    private static func words(_ numbers: ClosedRange<UInt64>) -> String {
        numbers.count == 1 ? "number \(numbers.lowerBound)" : "numbers \(numbers.lowerBound) to \(numbers.upperBound)"
    }

    private static func words(_ loss: LogLoss, _ numbers: String) -> String {
        let path = logPath(loss.path)
        switch loss.note {
        case .forgotten: return "\(path): does not have \(numbers): their track and its journal are gone"
        case .elsewhere: return "\(path): does not have \(numbers): they are in another copy of the log"
        case .moved: return "\(path): does not have \(numbers): they are in another [log] directory"
        case .deleted: return "\(path): does not have \(numbers): its limits deleted them"
        case nil: break
        }
        let extent = loss.isCounted ? numbers : "\(numbers) at most"
        if loss.isMissing { return "\(path): is missing, and \(extent) with it" }
        return "\(path): damaged at byte \(loss.offset): \(extent) \(loss.through == loss.after + 1 ? "is" : "are") lost"
    }
}
