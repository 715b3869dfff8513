import Waypost
import WaypostControl

/// Joins what is in the outbox alone with what the log has, the newest last: the tracker gives the one before the other.
struct LedgerOrder {
    private var held: [(time: UTCTime, record: LedgerRecord)] = []
    private var first = 0
    private var isSorted = true

    /// Keeps a record of the outbox until the log has come to its time; one without a time stays after the one before it.
    mutating func hold(_ record: LedgerRecord) {
        let time = record.time ?? record.from ?? held.last?.time ?? UTCTime(millisecondsSince1970: 0)
        held.append((time, record))
        isSorted = false
    }

    /// What comes now: the held records that are older than a record of the log, and this.
    mutating func next(_ record: LedgerRecord) -> [LedgerRecord] {
        guard let time = record.time ?? record.from else { return [record] }
        return take { $0 <= time } + [record]
    }

    /// The held records that are left.
    mutating func rest() -> [LedgerRecord] { take { _ in true } }

    private mutating func take(while isDue: (UTCTime) -> Bool) -> [LedgerRecord] {
        if !isSorted {
            // Equal times keep their order.
            held = held.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
            isSorted = true
        }
        let start = first
        while first < held.count, isDue(held[first].time) { first += 1 }
        return held[start..<first].map(\.record)
    }
}
