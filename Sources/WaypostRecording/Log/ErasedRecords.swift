import Waypost
import WaypostSystem

/// Records that are erased, or are to be: those of a stretch of time, up to the newest number at that moment.
package struct ErasedRecords: Sendable, Hashable {
    /// The stretch.
    package let stretch: Range<UTCTime>
    /// The last number that had been given then: what is recorded later stays.
    package let through: UInt64

    package init(_ stretch: Range<UTCTime>, through number: UInt64) { (self.stretch, through) = (stretch, number) }

    /// Whether a record is one of these.
    package func contains(_ record: JournalRecord) -> Bool { record.sequence <= through && record.isIn(stretch) == true }
}

extension LogFolder {
    /// The stretch that is being erased.
    var erasureOrderPath: String { journalFolder + "/.erase" }

    /// Whether the log has any of these records, or an erasure in it was interrupted.
    ///
    /// - Errors: the log is not there, or cannot be read.
    func has(_ erased: ErasedRecords) throws(RecordingError) -> Bool {
        guard hasJournals else { throw .cannotRead(path: path, cause: .isMissing(path)) }
        if Syscalls.exists(erasureOrderPath) { return true }
        for journal in try journals() where journal.firstSequence <= erased.through {
            var reader = try JournalReader(path: journal.path, isGrowing: false)
            while let record = try reader.next() { if erased.contains(record) { return true } }
        }
        return false
    }

    /// Whether the log lists a stretch as erased, and nothing of that is left to do.
    package func hasErased(_ stretch: Range<UTCTime>) -> Bool {
        let listed = (try? erasedStretches()) ?? []  // Then it is erased again.
        return listed.contains(stretch) && !Syscalls.exists(erasureOrderPath)
    }
}

extension JournalRecord {
    /// Whether it is in the stretch; nil for records without a known time, which go with the fix before them.
    func isIn(_ stretch: Range<UTCTime>) -> Bool? {
        switch content {
        case .position(let position): position.isIn(stretch)
        case .event(let event): event.isIn(stretch)
        case .lost: false
        case .segmentBreak, .other: nil
        }
    }
}

extension TrackerEvent {
    /// Whether its own time or its position's is in the stretch.
    func isIn(_ stretch: Range<UTCTime>) -> Bool {
        time.map(stretch.contains) ?? false || position?.isIn(stretch) ?? false
    }
}

extension Position {
    func isIn(_ stretch: Range<UTCTime>) -> Bool { time.map(stretch.contains) ?? false }
}
