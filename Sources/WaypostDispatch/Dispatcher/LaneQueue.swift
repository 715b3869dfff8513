import Waypost

/// The first records of a lane that a destination lacks, and what is known of them so far; records it already has are taken out anywhere.
///
/// It holds the records that were read, so that the search for a bad one reads nothing twice; a queue that is thrown away begins again with
/// the state of the outbox.
struct LaneQueue {
    /// A record with its number: the entry's, or the position's in the log.
    ///
    /// Its record is nil when it can no longer be read.
    struct Item {
        var number: UInt64
        /// Between this number and its own there are no records.
        var after: UInt64
        /// Its place in the lane.
        var sequence: UInt64
        var record: DispatchRecord?
        var moment: RecordMoment?
        /// Whether it was last sent after the cutoff that it was meant for.
        var isLate = false
        /// Whether the destination's format cannot express it, or the destination may not send it.
        var isUnsaid = false
    }

    let lane: DispatchLane
    /// What the outbox could not store yet: until it has, nothing else is sent.
    var unsaved: Settlement?
    private(set) var items: [Item] = []
    /// The positions that the log has lost among those that were read.
    private(set) var missing: [MissingPositions] = []
    var rule = RefusalRule()
    /// The server's answer when it last accepted some of them.
    var answer = ""
    /// Everything is read up to here, and the place in the lane of the last record that was read.
    private(set) var readThrough: UInt64?
    private(set) var readSequence: UInt64?
    /// Whether there was nothing after the records that were read, at the time.
    private(set) var isAtEnd = false

    init(lane: DispatchLane) {
        self.lane = lane
    }

    /// How many records must be at hand for a plan of at most that many.
    func wanted(for batchCount: Int) -> Int { rule.standingCount + batchCount }

    /// How many of the first records have numbers up to that one.
    func count(through number: UInt64) -> Int { items.firstIndex { $0.number > number } ?? items.count }

    /// Appends the records that were read, except those that the destination already has.
    mutating func append(
        _ more: [Item], missing: [MissingPositions] = [], through number: UInt64, isAtEnd: Bool, settled: SettledAhead
    ) {
        self.missing += missing
        items += settled.stretches.isEmpty ? more : more.filter { !settled.contains($0.number) }
        readThrough = number
        readSequence = more.last?.sequence ?? readSequence
        self.isAtEnd = isAtEnd
    }

    /// Notes which of these the destination's format cannot express, or the destination may not send.
    mutating func noteUnsaid(_ places: Set<Int>, among range: Range<Int>) {
        for place in range { items[place].isUnsaid = places.contains(place) }
    }

    /// Notes which of these are sent after their cutoff.
    ///
    /// - Parameter time: the time of a moment at which it was not known yet.
    mutating func noteLate(_ range: Range<Int>, before cutoff: UTCTime?, by time: (RecordMoment) -> UTCTime?) {
        for index in range { items[index].isLate = items[index].isLate(before: cutoff, by: time) }
    }

    /// Notes that there may be more after the records that were read.
    mutating func noteMore() { isAtEnd = false }

    /// Removes and returns the records whose fate is known; nil when there are none.
    ///
    /// - Parameter sequence: the place in the lane of the last record that was settled before together with all in front of it.
    mutating func takeSettlement(after sequence: UInt64) -> Settlement? {
        let settled = rule.takeSettled()
        guard !settled.isEmpty else { return nil }
        var settlement = Settlement(lane: lane, through: 0, count: 0, sentCount: 0)
        for (place, fate) in settled.map({ ($0.place, $0.fate) }) {
            let item = items[place]
            settlement.settled.insert(.init(after: item.after, through: item.number))
            if lane != .events { settlement.positions.insert(.init(after: item.number - 1, through: item.number)) }
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
        // The numbers between the last settled record and the next one are settled, too.
        settlement.through = items.first?.after ?? readThrough ?? 0
        let reached = items.first.map { max(1, $0.sequence) - 1 } ?? readSequence ?? sequence
        settlement.count = reached > sequence ? reached - sequence : 0
        settlement.missing = takeMissing(through: settlement.through)
        return settlement
    }

    /// Removes and returns the positions up to that number that the log has lost.
    mutating func takeMissing(through number: UInt64) -> [MissingPositions] {
        defer { missing.removeAll { $0.through <= number } }
        return missing.filter { $0.through <= number }
    }
}

extension LaneQueue.Item {
    fileprivate func isLate(before cutoff: UTCTime?, by time: (RecordMoment) -> UTCTime?) -> Bool {
        guard let cutoff, let time = record?.time ?? moment.flatMap({ $0.time ?? time($0) }) else { return false }
        return time < cutoff
    }
}
