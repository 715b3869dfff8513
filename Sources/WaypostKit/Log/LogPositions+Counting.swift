import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

// How many positions there are: numbers skip what a kill cost, and records that are not positions.
extension LogPositions {
    /// How many records are read to count; after them, numbers are counted within each journal, where only those of events are missing.
    private static let readCount = 5_000

    /// How many positions there are after that number and up to `last`; for many, about.
    ///
    /// - Errors: the log cannot be read at the moment.
    public func count(after number: UInt64, through last: UInt64) throws(PositionSupplyError) -> Int {
        do throws(RecordingError) {
            var count = 0
            var reader = LogReader(folder: folder, from: .after(number))
            for _ in 0..<LogPositions.readCount {
                guard let record = try reader.nextPassingOver(), record.sequence <= last else { return count }
                guard case .position = record.content, record.types.contains(reader.header.mainType(or: type)), !isHidden(record)
                else { continue }
                count += 1
            }
            return count + (try countNumbers(after: reader.cursor, through: last))
        } catch {
            throw PositionSupplyError(reason: "\(error)")
        }
    }

    private func countNumbers(after number: UInt64, through last: UInt64) throws(RecordingError) -> Int {
        let journals = try folder.journals()
        var count: UInt64 = 0
        for (index, journal) in journals.enumerated() where journal.firstSequence <= last && Syscalls.oddFile(journal.path) == nil {
            // Records that a journal repeats from the one before count once.
            let next = index + 1 < journals.count ? journals[index + 1].firstSequence : .max
            if next <= number + 1 { continue }
            var reader: JournalReader
            do throws(RecordingError) { reader = try JournalReader(path: journal.path) } catch {
                // Fetched and deleted in the meantime.
                if case .cannotRead(_, let cause) = error, cause.isMissing { continue }
                throw error
            }
            guard let end = try reader.lastRecord()?.sequence else { continue }
            let range = max(number, journal.firstSequence - 1)...max(number, journal.firstSequence - 1, min(end, last, next - 1))
            count += range.upperBound - range.lowerBound
        }
        return Int(clamping: count)
    }
}
