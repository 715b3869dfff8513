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
    /// What is not readable between two records counts as positions: destinations wait for them in vain.
    /// - Cost: reads the whole journal.
    init(stem: String, reason: RetentionRule.Reason, journalPath: String, type: LogTypes) {
        (self.stem, self.reason, positions) = (stem, reason, [])
        do throws(RecordingError) {
            var journal = try JournalReader(path: journalPath)
            var known: (number: UInt64, damageCount: Int)?
            while let record = try journal.next() {
                if let known, journal.decoder.damageCount > known.damageCount, record.sequence > known.number + 1 {
                    positions.append((known.number + 1)...(record.sequence - 1))
                }
                known = (record.sequence, journal.decoder.damageCount)
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
