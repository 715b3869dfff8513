/// The time line of stays: the times of the fixes, or those of live fixes as if their receiver's time had never been corrected.
///
/// A state is saved in the times of its last fix, so that a successor goes on with those.
struct StayLine: Sendable {
    /// The last moment, in milliseconds.
    private(set) var last: Int64?
    /// What the times of fixes have more than the line, in milliseconds.
    private(set) var shift: Int64 = 0
    /// What the line has more than the timeline of live fixes; nil before the first of these.
    private var offset: Int64?

    init(last: Int64? = nil) { self.last = last }

    /// Whether the last fix was a live one.
    var isLive: Bool { offset != nil }

    /// The moment of a fix on the line, in milliseconds; nil when it has neither a moment nor a time.
    mutating func process(_ position: Position) -> Int64? {
        let time = position.time?.millisecondsSince1970
        guard let moment = position.moment.milliseconds else {
            guard let time else { return nil }
            (last, shift, offset) = (time, 0, nil)
            return time
        }
        // Without a time a fix counts as one second after the last.
        let offset = self.offset ?? (time ?? last.map { $0 + 1_000 } ?? moment) - moment
        let now = moment + offset
        (self.offset, last, shift) = (offset, now, time.map { $0 - now } ?? shift)
        return now
    }

    /// The time of a moment as the receiver has it now.
    func time(at moment: Int64?) -> UTCTime? {
        guard let moment else { return nil }
        let time = UTCTime(millisecondsSince1970: moment + shift)
        return time.hasFourDigitYear ? time : nil
    }
}

extension GeofenceMonitor {
    /// How many steps a crossing is in the past at most when the stay begins: the rule `robust` waits for more evidence.
    private var mostSteps: Int64 { rule == .robust ? 4 : 1 }

    /// Moves the time line of stays to a fix; returns its moment.
    mutating func moveLine(to position: Position) -> Int64? {
        let wasLive = line.isLive
        lastStay = line.last
        guard let now = line.process(position) else { return nil }
        if line.isLive, !wasLive { dateStays(at: now, knowsDate: position.time != nil) }
        return now
    }

    /// Lets stays begin now that have no time, or a moment of a clock that is not known to be this one.
    private mutating func dateStays(at now: Int64, knowsDate: Bool) {
        for (slot, visit) in visits {
            if let from = visit.countsFrom, lastTime != nil || !knowsDate && from.millisecondsSince1970 <= now { continue }
            visits[slot]?.countsFrom = UTCTime(millisecondsSince1970: now)
            nextDwell = .min
        }
    }

    /// When a stay begins whose border was crossed at a time, on the time line of stays; nil when that cannot be known.
    ///
    /// A crossing whose time says otherwise because the receiver's time jumped counts as one between the last fixes.
    func stayStart(_ crossed: UTCTime?, _ step: borrowing FixStep) -> Int64? {
        guard let now = step.stay, let time = step.time, let crossed else { return step.stay }
        let start = now - (time.millisecondsSince1970 - crossed.millisecondsSince1970)
        guard line.isLive, let lastStay else { return start }
        return min(max(start, now - mostSteps * (now - lastStay)), now + 1_000)
    }
}
