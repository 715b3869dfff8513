// A date that is not confirmed ends no stay, and a fence that a wrong date has ended lives again.
extension GeofenceMonitor {
    /// What the dates of fixes say, and the fences that have expired by them.
    struct Expiry: Sendable {
        /// The date, as far as live fixes agree on it, by their moments.
        var date = ConfirmedTime()
        /// The expired fences by their ids, each with whether the side that the object is on was known.
        var over: [String: (fence: Geofence, isKnown: Bool)] = [:]
        /// Whether a stay goes on in a fence that has expired by a date that is not confirmed.
        var isOpen = false
    }

    /// Ends the fences that have expired by now, and lets those live again that have not.
    ///
    /// Of live fixes only the confirmed date ends a stay. Before there is one, a fence that has expired by the fix is not watched while the
    /// object is not known to be inside. Of what is recorded the times of the fixes count.
    mutating func judgeExpiry(_ position: Position, into events: inout [GeofenceEvent]) {
        var now = position.time
        var isConfirmed = true
        if let moment = position.moment.milliseconds {
            if let time = position.time { expiry.date.process(time, from: position.source, at: moment) }
            if let time = expiry.date.time(at: moment), time.hasFourDigitYear { now = time } else { isConfirmed = false }
        }
        guard let now else { return }
        if !expiry.over.isEmpty { revive(at: now) }
        guard now.millisecondsSince1970 >= index.nextExpiry || isConfirmed && expiry.isOpen else { return }
        expiry.isOpen = false
        for fence in index.expired(at: now) {
            guard let slot = index.slot(ofID: fence.id) else { continue }
            if !isConfirmed, visits[slot] != nil {
                expiry.isOpen = true
                continue
            }
            expiry.over[fence.id] = (fence, isKnown: !seeksAll && sides[Int(slot)] != .unknown)
            events += end(fence.id, reason: .expired, at: now)
        }
    }

    /// Watches the fences again whose time is not over, because the date was wrong: who was told that they have expired hears of an enter.
    private mutating func revive(at now: UTCTime) {
        let living = expiry.over.values.filter { $0.fence.expires.map { $0 > now } ?? true }
        for (fence, isKnown) in living.sorted(by: { $0.fence.id < $1.fence.id }) {
            _ = add(fence)
            guard isKnown, let slot = index.slot(ofID: fence.id) else { continue }
            sides[Int(slot)] = .outside
            fresh.remove(slot)
        }
    }
}
