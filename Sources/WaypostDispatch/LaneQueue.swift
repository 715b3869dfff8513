import Waypost

/// The first records of a lane that a destination has not got, and what is known of them so far.
///
/// It holds what was read, so that looking for the one to blame reads nothing twice; a queue that is thrown away begins again with what the
/// outbox says.
struct LaneQueue {
    /// A record with its number: the entry's, or the position's in the log.
    ///
    /// Nil for what cannot be read any more.
    struct Item {
        var number: UInt64
        var record: DispatchRecord?
        var moment: RecordMoment?
        /// Whether it was last sent after the cutoff that it was meant for.
        var isLate = false
    }

    let lane: DispatchLane
    private(set) var items: [Item] = []
    var rule = RefusalRule()
    /// What the server said when it last took some of them.
    var answer = ""
    /// Up to here all was read.
    private(set) var readThrough: UInt64?
    /// Whether there was nothing behind what was read, at the time.
    private(set) var isAtEnd = false

    init(lane: DispatchLane) {
        self.lane = lane
    }

    /// How many records are wanted at hand for a plan of at most that many.
    func wanted(for batchCount: Int) -> Int { rule.standingCount + batchCount }

    /// Adds what was read behind the others.
    mutating func append(_ more: [Item], through number: UInt64, isAtEnd: Bool) {
        items += more
        readThrough = number
        self.isAtEnd = isAtEnd
    }

    /// Notes which of these are sent after their cutoff.
    mutating func noteLate(_ range: Range<Int>, before cutoff: UTCTime?) {
        for index in range { items[index].isLate = items[index].isLate(before: cutoff) }
    }

    /// Notes that there may be more behind what was read.
    mutating func noteMore() { isAtEnd = false }

    /// Takes away the first records whose fate is known; nil when that of the first is not.
    mutating func takeSettlement() -> Settlement? {
        let fates = rule.takeSettled()
        guard !fates.isEmpty else { return nil }
        let taken = items.prefix(fates.count)
        items.removeFirst(fates.count)
        // What lies between the last one and what comes next is settled, too.
        let through = items.isEmpty ? readThrough : taken.last?.number
        var settlement = Settlement(lane: lane, through: through ?? 0, count: UInt64(fates.count), sentCount: 0, answer: answer)
        for (item, fate) in zip(taken, fates) {
            switch fate {
            case .accepted:
                if item.record != nil { settlement.sentCount += 1 }
                if item.isLate { settlement.lateCount += 1 }
            case .dead(let reason):
                if let record = item.record { settlement.refused.append(.init(number: item.number, record: record, reason: reason)) }
            }
        }
        return settlement
    }
}

extension LaneQueue.Item {
    fileprivate func isLate(before cutoff: UTCTime?) -> Bool {
        guard let cutoff, let time = record?.time ?? moment?.time else { return false }
        return time < cutoff
    }
}
