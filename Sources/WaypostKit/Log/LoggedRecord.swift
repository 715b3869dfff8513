import WaypostRecording

/// A record of the log, or records that a damaged journal has lost.
package enum LoggedRecord: Sendable {
    /// One that is there.
    case record(JournalRecord)
    /// What is lost.
    case lost(LogLoss)

    /// Its number, or the last one of what is lost.
    package var number: UInt64 {
        switch self {
        case .record(let record): record.sequence
        case .lost(let loss): loss.through
        }
    }

    /// Whether a number is, or may be, among what is lost.
    package func hasLost(_ number: UInt64) -> Bool {
        if case .lost(let loss) = self { loss.after < number && number <= loss.through } else { false }
    }
}

/// What a reader of the log misses when a journal is damaged.
package enum LostRecords: Sendable {
    /// Positions that a destination waits for.
    case positions
    /// Events that may not have been queued yet.
    case events
}
