/// A track that the retention rule has deleted, and which positions were in it: a destination may have waited for them.
public struct DeletedTrack: Sendable, Hashable {
    /// The name of its files.
    public var stem: String
    /// Why.
    public var reason: RetentionRule.Reason
    /// The numbers of its positions, those of the log's main type, in order: each from one to another.
    public var positions: [ClosedRange<UInt64>]

    /// A track whose journal is still there.
    ///
    /// What cannot be read of it nobody has waited for.
    /// - Cost: reads all of it.
    init(stem: String, reason: RetentionRule.Reason, journalPath: String, type: LogTypes) {
        (self.stem, self.reason, positions) = (stem, reason, [])
        do throws(RecordingError) {
            var journal = try JournalReader(path: journalPath)
            while let record = try journal.next() {
                guard case .position = record.content, record.types.contains(type) else { continue }
                if let last = positions.last, last.upperBound + 1 == record.sequence {
                    positions[positions.count - 1] = last.lowerBound...record.sequence
                } else {
                    positions.append(record.sequence...record.sequence)
                }
            }
        } catch {
            // A damage ends it: what is behind could not be sent either.
        }
    }
}
