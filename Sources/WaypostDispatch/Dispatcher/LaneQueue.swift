import Waypost

/// The first records of a lane that a destination has not got, and what is known of them so far; what it has is taken out, wherever it stands.
///
/// It holds what was read, so that looking for the one to blame reads nothing twice; a queue that is thrown away begins again with what the
/// outbox says.
struct LaneQueue {
    /// A record with its number: the entry's, or the position's in the log.
    ///
    /// Nil for what cannot be read any more.
    struct Item {
        var number: UInt64
        /// Between this number and its own there is nothing.
        var after: UInt64
        /// Its place in the lane.
        var sequence: UInt64
        var record: DispatchRecord?
        var moment: RecordMoment?
        /// Whether it was last sent after the cutoff that it was meant for.
        var isLate = false
        /// Whether the destination has no word for it, or would not tell it.
        var isUnsaid = false
    }

    let lane: DispatchLane
    private(set) var items: [Item] = []
    /// What the log has lost among what was read.
    private(set) var missing: [MissingPositions] = []
    var rule = RefusalRule()
    /// What the server said when it last took some of them.
    var answer = ""
    /// Up to here all was read, and the place in the lane of the last that was.
    private(set) var readThrough: UInt64?
    private(set) var readSequence: UInt64?
    /// Whether there was nothing behind what was read, at the time.
    private(set) var isAtEnd = false

    init(lane: DispatchLane) {
        self.lane = lane
    }

    /// How many records are wanted at hand for a plan of at most that many.
    func wanted(for batchCount: Int) -> Int { rule.standingCount + batchCount }

    /// Adds what was read behind the others, but for what the destination has already.
    mutating func append(
        _ more: [Item], missing: [MissingPositions] = [], through number: UInt64, isAtEnd: Bool, settled: SettledAhead
    ) {
        self.missing += missing
        items += settled.stretches.isEmpty ? more : more.filter { !settled.contains($0.number) }
        readThrough = number
        readSequence = more.last?.sequence ?? readSequence
        self.isAtEnd = isAtEnd
    }

    /// Notes which of these the destination has no word for, or would not tell.
    mutating func noteUnsaid(_ places: Set<Int>, among range: Range<Int>) {
        for place in range { items[place].isUnsaid = places.contains(place) }
    }

    /// Notes which of these are sent after their cutoff.
    mutating func noteLate(_ range: Range<Int>, before cutoff: UTCTime?) {
        for index in range { items[index].isLate = items[index].isLate(before: cutoff) }
    }

    /// Notes that there may be more behind what was read.
    mutating func noteMore() { isAtEnd = false }

    /// Takes away the records whose fate is known; nil when that of none is.
    ///
    /// - Parameter sequence: the place in the lane of the last that was settled before with all in front of it.
    mutating func takeSettlement(after sequence: UInt64) -> Settlement? {
        let settled = rule.takeSettled()
        guard !settled.isEmpty else { return nil }
        var settlement = Settlement(lane: lane, through: 0, count: 0, sentCount: 0)
        for (place, fate) in settled.map({ ($0.place, $0.fate) }) {
            let item = items[place]
            settlement.settled.insert(.init(after: item.after, through: item.number))
            switch fate {
            case .accepted:
                settlement.addReceipt(after: item.after, through: item.number, answer: item.isUnsaid ? Settlement.unsaid : answer)
                if item.record != nil, !item.isUnsaid { settlement.sentCount += 1 }
                if item.isLate, !item.isUnsaid { settlement.lateCount += 1 }
            case .dead(let reason):
                if let record = item.record { settlement.refused.append(.init(number: item.number, record: record, reason: reason)) }
            }
        }
        let places = Set(settled.map(\.place))
        items = items.indices.filter { !places.contains($0) }.map { items[$0] }
        // What lies between the last one that was settled and what comes next is settled, too.
        settlement.through = items.first?.after ?? readThrough ?? 0
        let reached = items.first.map { max(1, $0.sequence) - 1 } ?? readSequence ?? sequence
        settlement.count = reached > sequence ? reached - sequence : 0
        settlement.missingCount = takeMissing(through: settlement.through)
        return settlement
    }

    /// How many up to that number the log has lost; they are counted once.
    mutating func takeMissing(through number: UInt64) -> Int {
        defer { missing.removeAll { $0.through <= number } }
        return missing.reduce(0) { $0 + ($1.through <= number ? $1.count : 0) }
    }
}

extension LaneQueue.Item {
    fileprivate func isLate(before cutoff: UTCTime?) -> Bool {
        guard let cutoff, let time = record?.time ?? moment?.time else { return false }
        return time < cutoff
    }
}
