/// A track that the retention rule has deleted, with its positions, which a destination may still have been waiting for.
public struct DeletedTrack: Sendable, Hashable {
    /// The name of its files.
    public var stem: String
    /// Why it was deleted.
    public var reason: RetentionRule.Reason
    /// The numbers of its positions of the log's main type, in order, as ranges.
    public var positions: [ClosedRange<UInt64>]

    /// Creates the value for a track whose journal still exists.
    ///
    /// Unreadable parts are left out: no destination can have waited for them.
    /// - Cost: reads the whole journal.
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
            // Damage ends the list: what follows could not have been sent either.
        }
    }
}
