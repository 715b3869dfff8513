extension GeofenceMonitor {
    /// Sets the first state of a fence, without an event.
    mutating func settleSilently(_ slot: Int32, isInside: Bool, _ step: borrowing FixStep) {
        sides[Int(slot)] = isInside ? .inside : .outside
        soughtSince[slot] = nil
        knownRevision += 1
        if isInside { begin(slot, at: step.time, since: step.stay) }
    }

    mutating func enter(
        _ slot: Int32, _ step: borrowing FixStep, at crossed: UTCTime?, since start: Int64? = nil, isPredicted: Bool = false,
        evidence: GeofenceEvent.Evidence? = nil, into events: inout [GeofenceEvent]
    ) {
        sides[Int(slot)] = .inside
        emit(
            .enter, slot, visit: begin(slot, at: crossed ?? step.time, since: start ?? stayStart(slot, crossed, step)), step, evidence,
            crossedAt: crossed, isPredicted: isPredicted,
            into: &events)
    }

    mutating func exit(
        _ slot: Int32, _ step: borrowing FixStep, at crossed: UTCTime?, isPredicted: Bool = false,
        evidence: GeofenceEvent.Evidence? = nil, into events: inout [GeofenceEvent]
    ) {
        sides[Int(slot)] = .outside
        let visit = visits.removeValue(forKey: slot)?.number ?? 0
        emit(.exit, slot, visit: visit, step, evidence, crossedAt: crossed, isPredicted: isPredicted, into: &events)
    }

    mutating func pass(
        _ slot: Int32, _ step: borrowing FixStep, _ times: (crossed: UTCTime?, left: UTCTime?),
        evidence: GeofenceEvent.Evidence? = nil, into events: inout [GeofenceEvent]
    ) {
        lastVisit += 1
        let order = (times.crossed ?? step.time)?.millisecondsSince1970 ?? 0
        begun.append(BegunVisit(slot: slot, number: lastVisit, order: order, isPass: true))
        emit(.pass, slot, visit: lastVisit, step, evidence, crossedAt: times.crossed, leftAt: times.left, into: &events)
    }

    @discardableResult
    private mutating func begin(_ slot: Int32, at time: UTCTime?, since start: Int64?) -> UInt64 {
        lastVisit += 1
        let from = start.map { UTCTime(millisecondsSince1970: $0) }
        visits[slot] = GeofenceProgress.Visit(number: lastVisit, countsFrom: from)
        begun.append(BegunVisit(slot: slot, number: lastVisit, order: time?.millisecondsSince1970 ?? 0, isPass: false))
        if let from, let stay = index.dwellSeconds(slot) { nextDwell = min(nextDwell, Self.due(after: stay, from: from)) }
        return lastVisit
    }

    /// Numbers the visits that began with this fix by the time of their crossings, then by their fences' ids.
    ///
    /// The order in which fences are tested may differ after a restart, and a crossing found again must have the same id.
    mutating func renumberVisits(after before: UInt64, _ events: inout [GeofenceEvent]) {
        guard index.sort(&begun) else { return }
        var numbers = [UInt64](repeating: 0, count: begun.count)
        for (place, visit) in begun.enumerated() {
            let number = before + 1 + UInt64(place)
            numbers[Int(visit.number - before - 1)] = number
            if !visit.isPass { visits[visit.slot]?.number = number }
        }
        // Visits from before a restart have numbers of another base, which may be larger.
        for place in events.indices {
            let number = events[place].visit
            if number > before, number - before <= UInt64(numbers.count) { events[place].visit = numbers[Int(number - before - 1)] }
        }
    }

    /// When the dwell time of a visit ends, in milliseconds; nil when no dwell is due.
    private func dwellTime(_ slot: Int32) -> Int64? {
        guard let seconds = index.dwellSeconds(slot), let visit = visits[slot], !visit.hasDwelt, let from = visit.countsFrom else {
            return nil
        }
        return Self.due(after: seconds, from: from)
    }

    private static func due(after seconds: Double, from time: UTCTime) -> Int64 {
        // A fence that was not checked may have any number.
        let milliseconds = seconds.isFinite ? min(max(seconds, 0), FenceDraft.longestDwellSeconds) * 1_000 : .infinity
        return milliseconds.isFinite ? time.millisecondsSince1970 + Int64(milliseconds.rounded(.up)) : .max
    }

    /// Raises the dwells that are due.
    mutating func findStays(at now: Int64, _ step: borrowing FixStep, into events: inout [GeofenceEvent]) {
        nextDwell = .max
        for slot in visits.keys.sorted() {
            guard let due = dwellTime(slot) else { continue }
            if due > now {
                nextDwell = min(nextDwell, due)
                continue
            }
            visits[slot]?.hasDwelt = true
            emit(.dwell, slot, visit: visits[slot]?.number ?? 0, step, nil, into: &events)
        }
    }

    /// Notes how long the position was lost: visits did not grow in that time.
    mutating func resumeStays(lostFor milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        visits = visits.mapValues { visit in
            var visit = visit
            // Times that jump to and fro do not add up to one that nobody can reckon with.
            if let later = visit.countsFrom?.advanced(byMilliseconds: milliseconds), later.hasFourDigitYear { visit.countsFrom = later }
            return visit
        }
        nextDwell = nextDwell.addingReportingOverflow(milliseconds).overflow ? .max : nextDwell + milliseconds
    }

    /// Adds an event of this step, if the fence raises such events.
    ///
    /// Not inlined: inlining it into its five callers would make them as long as all the rest.
    @inline(never)
    private mutating func emit(
        _ kind: GeofenceEvent.Kind, _ slot: Int32, visit: UInt64, _ step: borrowing FixStep, _ evidence: GeofenceEvent.Evidence?,
        crossedAt: UTCTime? = nil, leftAt: UTCTime? = nil, isPredicted: Bool = false, into events: inout [GeofenceEvent]
    ) {
        // What is still ahead did not happen in the meantime.
        let wasLate = !late.isEmpty && late.remove(slot) != nil && !isPredicted
        guard index.notifications(slot).contains(kind.notification) else { return }
        let (id, name) = index.names(slot)
        // Most fixes have no event, and the others have few.
        if events.isEmpty { events.reserveCapacity(3) }
        events.append(
            GeofenceEvent(
                idPrefix: eventPrefix, kind: kind, fenceID: id, fenceName: name, visit: visit,
                reason: kind == .dwell ? .stayed : .crossed, time: step.time,
                crossedAt: wasLate && kind != .pass ? nil : crossedAt, leftAt: leftAt, coordinate: step.coordinate,
                isLate: wasLate && kind != .dwell, isPredicted: isPredicted, evidence: evidence ?? plainEvidence(step)))
    }

    private func plainEvidence(_ step: borrowing FixStep) -> GeofenceEvent.Evidence {
        var evidence = GeofenceEvent.Evidence()
        evidence.accuracyMetres = step.accuracyMetres
        evidence.speedMetresPerSecond = step.speedMetresPerSecond
        evidence.fixes = step.fixes
        return evidence
    }

    /// When the straight path of this step crossed the border; nil when it did not, or a time is missing.
    func wayTime(_ slot: Int32, _ step: borrowing FixStep, _ probe: FenceProbe, entering: Bool) -> UTCTime? {
        guard let way = step.way, let found = index.withShape(slot, { $0.crossing(way, near: probe) }), let found else { return nil }
        return time(at: entering ? found.first : found.last, step)
    }

    /// The time at a share of this step's path; nil when the movement between the fixes is unknown.
    @inline(__always)
    func time(at share: Double, _ step: borrowing FixStep) -> UTCTime? {
        guard !step.followsLoss, let end = step.time else { return nil }
        if line.isLive {
            // Both times may be of different dates.
            guard rule != .robust || step.isContinuous, step.seconds >= lastSeconds else { return nil }
            return end.advanced(byMilliseconds: -Int64(((1 - share) * (step.seconds - lastSeconds) * 1_000).rounded()))
        }
        guard let start = lastTime, end >= start else { return nil }
        // `robust` recognizes jumps and fixes without a time.
        if rule == .robust, !step.isContinuous || Double(start.millisecondsSince1970) / 1_000 != lastSeconds { return nil }
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
