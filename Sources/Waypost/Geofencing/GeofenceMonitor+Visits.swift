extension GeofenceMonitor {
    /// The first state of a fence: without an event.
    mutating func settleSilently(_ slot: Int32, isInside: Bool, _ step: FixStep) {
        sides[Int(slot)] = isInside ? .inside : .outside
        soughtSince[slot] = nil
        knownRevision += 1
        if isInside { begin(slot, at: step.time) }
    }

    mutating func enter(
        _ slot: Int32, _ step: FixStep, _ probe: FenceProbe, evidence: GeofenceEvent.Evidence?, at crossing: BorderCrossing? = nil,
        into events: inout [GeofenceEvent]
    ) {
        let crossed = takeCrossing(slot) ?? crossingTime(slot, step, probe, crossing, entering: true)
        sides[Int(slot)] = .inside
        let visit = begin(slot, at: crossed ?? step.time)
        guard var event = event(.enter, slot, visit: visit, step, evidence) else { return }
        if !event.isLate { event.crossedAt = crossed }
        add(event, to: &events)
    }

    mutating func exit(
        _ slot: Int32, _ step: FixStep, _ probe: FenceProbe, evidence: GeofenceEvent.Evidence?, at crossing: BorderCrossing? = nil,
        into events: inout [GeofenceEvent]
    ) {
        let crossed = takeCrossing(slot) ?? crossingTime(slot, step, probe, crossing, entering: false)
        sides[Int(slot)] = .outside
        let visit = visits.removeValue(forKey: slot)?.number ?? 0
        guard var event = event(.exit, slot, visit: visit, step, evidence) else { return }
        if !event.isLate { event.crossedAt = crossed }
        add(event, to: &events)
    }

    /// Most fixes have no event, and those that have one have few.
    @inline(__always)
    private func add(_ event: consuming GeofenceEvent, to events: inout [GeofenceEvent]) {
        if events.isEmpty { events.reserveCapacity(3) }
        events.append(event)
    }

    /// The time at which the object was first found on the other side, while that was not sure yet.
    private mutating func takeCrossing(_ slot: Int32) -> UTCTime? {
        crossings.isEmpty ? nil : crossings.removeValue(forKey: slot)
    }

    mutating func pass(
        _ slot: Int32, _ crossing: BorderCrossing, _ step: FixStep, evidence: GeofenceEvent.Evidence?,
        into events: inout [GeofenceEvent]
    ) {
        visitCount += 1
        guard var event = event(.pass, slot, visit: visitCount, step, evidence) else { return }
        event.crossedAt = time(at: crossing.first, step)
        event.leftAt = time(at: crossing.last, step)
        add(event, to: &events)
    }

    @discardableResult
    private mutating func begin(_ slot: Int32, at time: UTCTime?) -> UInt64 {
        visitCount += 1
        visits[slot] = GeofenceProgress.Visit(number: visitCount, countsFrom: time)
        begun.append((slot, visitCount, time?.millisecondsSince1970 ?? 0))
        if let due = dwellTime(slot) { nextDwell = min(nextDwell, due) }
        return visitCount
    }

    /// Numbers the visits that began with this fix in the order of their crossings, then of their fences' ids: the order in which fences are
    /// looked at may be another one after a restart, and what is found again must have the same id.
    mutating func renumberVisits(after before: UInt64, _ events: inout [GeofenceEvent]) {
        var list: [(order: Int64, fenceID: String, number: UInt64, slot: Int32)] = []
        list.reserveCapacity(begun.count + events.count)
        for visit in begun {
            list.append((visit.order, index.fence(visit.slot)?.id ?? "", visit.number, visit.slot))
        }
        for event in events where event.kind == .pass { list.append((event.order, event.fenceID, event.visit, -1)) }
        list.sort { ($0.order, $0.fenceID) < ($1.order, $1.fenceID) }
        // Passes that nobody wants to hear of keep what is left.
        var numbers = [UInt64](repeating: 0, count: Int(visitCount - before))
        for (place, visit) in list.enumerated() {
            let number = before + 1 + UInt64(place)
            numbers[Int(visit.number - before - 1)] = number
            if visit.slot >= 0, visit.number != number { visits[visit.slot]?.number = number }
        }
        for place in events.indices where events[place].visit > before {
            let number = numbers[Int(events[place].visit - before - 1)]
            if number > 0 { events[place].visit = number }
        }
    }

    /// When the stay in a fence has lasted long enough, milliseconds; nil when nothing is to come.
    private func dwellTime(_ slot: Int32) -> Int64? {
        guard let seconds = index.dwellSeconds(slot), let visit = visits[slot], !visit.hasDwelt, let from = visit.countsFrom else {
            return nil
        }
        return from.millisecondsSince1970 + Int64((seconds * 1_000).rounded(.up))
    }

    /// Reports the stays that have lasted long enough.
    mutating func findStays(at time: UTCTime, _ step: FixStep, into events: inout [GeofenceEvent]) {
        nextDwell = .max
        for slot in visits.keys.sorted() {
            guard let due = dwellTime(slot) else { continue }
            if due > time.millisecondsSince1970 {
                nextDwell = min(nextDwell, due)
                continue
            }
            visits[slot]?.hasDwelt = true
            let number = visits[slot]?.number ?? 0
            if var event = event(.dwell, slot, visit: number, step, nil) {
                event.reason = .stayed
                event.isLate = false
                add(event, to: &events)
            }
        }
    }

    /// The position was lost for that long: stays did not grow meanwhile.
    mutating func resumeStays(lostFor milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        visits = visits.mapValues { visit in
            var visit = visit
            visit.countsFrom = visit.countsFrom?.advanced(byMilliseconds: milliseconds)
            return visit
        }
        if nextDwell != .max { nextDwell += milliseconds }
    }

    /// Ends the fences whose time is over.
    mutating func expire(at time: UTCTime, into events: inout [GeofenceEvent]) {
        for fence in index.expired(at: time) { events += end(fence.id, reason: .expired, at: time) }
    }

    /// An event of this step, or nil when the fence does not tell such events.
    private mutating func event(
        _ kind: GeofenceEvent.Kind, _ slot: Int32, visit: UInt64, _ step: FixStep, _ evidence: GeofenceEvent.Evidence?
    ) -> GeofenceEvent? {
        let isLate = !late.isEmpty && late.remove(slot) != nil
        guard let fence = index.fence(slot), fence.notifications.contains(kind.notification) else { return nil }
        return GeofenceEvent(
            idPrefix: eventPrefix, kind: kind, fenceID: fence.id, fenceName: fence.name, visit: visit,
            reason: .crossed,
            time: step.time, coordinate: step.coordinate, isLate: isLate, evidence: evidence ?? plainEvidence(step))
    }

    private func plainEvidence(_ step: FixStep) -> GeofenceEvent.Evidence {
        var evidence = GeofenceEvent.Evidence()
        evidence.accuracyMetres = step.accuracyMetres
        evidence.speedMetresPerSecond = step.speedMetresPerSecond
        evidence.fixes = step.fixes
        return evidence
    }

    /// When the way of this step crossed the border, which may be known already; nil when it did not, or a time is missing.
    func crossingTime(
        _ slot: Int32, _ step: FixStep, _ probe: FenceProbe, _ crossing: BorderCrossing? = nil, entering: Bool
    ) -> UTCTime? {
        if let crossing { return time(at: entering ? crossing.first : crossing.last, step) }
        guard let way = step.way, let found = index.withShape(slot, { $0.crossing(way, near: probe) }), let found else { return nil }
        return time(at: entering ? found.first : found.last, step)
    }

    /// The time at a share of the way of this step; nil when nobody knows how it was travelled.
    private func time(at share: Double, _ step: FixStep) -> UTCTime? {
        guard !step.followsLoss, let start = lastTime, let end = step.time, end >= start else { return nil }
        let span = Double(end.millisecondsSince1970 - start.millisecondsSince1970)
        return start.advanced(byMilliseconds: Int64((share * span).rounded()))
    }
}

extension GeofenceEvent.Kind {
    fileprivate var notification: FenceNotifications {
        switch self {
        case .enter: .enter
        case .exit: .exit
        case .dwell: .dwell
        case .pass: .pass
        }
    }
}
