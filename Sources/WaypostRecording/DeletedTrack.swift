import Waypost

/// A track that the retention rule has deleted, with its positions, which a destination may still have been waiting for.
public struct DeletedTrack: Sendable, Hashable {
    /// The name of its files.
    public var stem: String
    /// Why it was deleted.
    public var reason: RetentionRule.Reason
    /// The numbers of its positions of its journal's first type, in order, as ranges.
    public var positions: [ClosedRange<UInt64>]
    /// The numbers of its fence events, in order, as ranges.
    var events: [ClosedRange<UInt64>] = []

    /// Creates the value for a track whose journal still exists.
    ///
    /// What is not readable between two records counts as positions: destinations wait for them in vain.
    /// - Parameter type: the first type of the log now, for a journal with a damaged header.
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
                switch record.content {
                case .position where record.types.contains(journal.decoder.header.mainType(or: type)):
                    positions.append(following: record.sequence)
                case .event(let event) where event.isOfFence: events.append(following: record.sequence)
                default: continue
                }
            }
        } catch {
            // Damage ends the list: what follows could not have been sent either.
        }
    }
}

extension [ClosedRange<UInt64>] {
    /// Appends a number, to the last range if it follows that.
    fileprivate mutating func append(following number: UInt64) {
        if let last, last.upperBound + 1 == number { self[count - 1] = last.lowerBound...number } else { append(number...number) }
    }
}
