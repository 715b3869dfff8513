import Waypost

/// A stretch of a log that could not be read.
public struct LogDamage: Sendable, Hashable {
    /// The journal.
    public var path: String
    /// The place in it.
    public var stretch: JournalDamage
}

extension JournalRecord {
    /// Whether it happened at a moment or later, as far as its time is known.
    func isNot(before moment: UTCTime) -> Bool {
        switch content {
        case .position(let position): position.time.map { $0 >= moment } ?? false
        case .event(let event): event.time.map { $0 >= moment } ?? false
        case .segmentBreak, .lost, .other: false
        }
    }
}
