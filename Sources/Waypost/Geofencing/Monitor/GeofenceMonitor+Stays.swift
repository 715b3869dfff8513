/// The timeline of a monitor: the times of the fixes, or those of live fixes as if their receiver's time had never been corrected.
///
/// A state is saved in the times of its last fix, so that a successor goes on with those.
struct FixLine: Sendable {
    /// The last moment, in milliseconds.
    private(set) var last: Int64?
    /// What the times of fixes have more than the line, in milliseconds.
    private(set) var shift: Int64 = 0
    /// What the line has more than the timeline of live fixes; nil before the first of these.
    private var offset: Int64?
    /// The same, known from the predecessor's state.
    private let inherited: Int64?

    /// A line that goes on after a state.
    init(last: Int64? = nil, anchor: GeofenceProgress.Anchor? = nil) {
        self.last = last
        inherited = anchor.map { $0.line - $0.moment }
    }

    /// Whether the last fix was a live one.
    var isLive: Bool { offset != nil }

    /// Whether the line of the predecessor goes on, as the machine has not been started again since.
    var isInherited: Bool { inherited != nil }

    /// The moment of a fix on the line, in milliseconds; nil when it has neither a moment nor a time.
    mutating func process(_ position: Position) -> Int64? {
        let time = position.time?.millisecondsSince1970
        guard let moment = position.moment.milliseconds else {
            guard let time else { return nil }
            (last, shift, offset) = (time, 0, nil)
            return time
        }
        // Without a time a fix counts as one second after the last.
        let offset = self.offset ?? inherited ?? (time ?? last.map { $0 + 1_000 } ?? moment) - moment
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

    /// The last moment as the receiver has it now, and on the timeline of live fixes; nil when the last fix was none.
    var anchor: GeofenceProgress.Anchor? {
        guard let offset, let last else { return nil }
        return GeofenceProgress.Anchor(line: last + shift, moment: last - offset)
    }
}

extension GeofenceMonitor {
    /// Moves the timeline to a fix; returns its moment.
    mutating func moveLine(to position: Position) -> Int64? {
        let wasLive = line.isLive
        guard let now = line.process(position) else { return nil }
        if line.isLive, !wasLive { dateStays(at: now, knowsDate: position.time != nil) }
        return now
    }

    /// Lets stays begin now that have no time, or a moment of a clock that is not known to be this one.
    private mutating func dateStays(at now: Int64, knowsDate: Bool) {
        for (slot, visit) in visits {
            if let from = visit.countsFrom, line.isInherited || lastTime != nil || !knowsDate && from.millisecondsSince1970 <= now {
                continue
            }
            visits[slot]?.countsFrom = UTCTime(millisecondsSince1970: now)
            nextDwell = .min
        }
    }

    /// The longest gap in seconds in which it matters little where the border was crossed.
    private static var momentSeconds: Double { 3 }

    /// When a stay begins whose border was crossed at a time of this step, on the timeline; nil when that cannot be known.
    ///
    /// One that began while the monitor did not run for more than a moment counts from now: no dwell comes early.
    func stayStart(_ slot: Int32, _ crossed: UTCTime?, _ step: borrowing FixStep) -> Int64? {
        guard let now = step.stay, let time = step.time, let crossed else { return step.stay }
        if late.contains(slot), step.seconds - lastSeconds > Self.momentSeconds { return now }
        return now - (time.millisecondsSince1970 - crossed.millisecondsSince1970)
    }
}
