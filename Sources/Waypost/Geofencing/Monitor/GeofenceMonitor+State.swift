// Continuing where another monitor stopped.
extension GeofenceMonitor {
    /// What a successor must know.
    ///
    /// - Cost: 8 bytes per fence.
    public var state: GeofenceMonitorState {
        GeofenceMonitorState(
            known: (0..<Int32(index.slotCount)).filter { index.isUsed($0) && sides[Int($0)] != .unknown }.map { index.key($0) },
            progress: progress)
    }

    /// What a successor must know besides the fences whose side is known, which change only with ``knownRevision``.
    public var progress: GeofenceProgress {
        var progress = GeofenceProgress()
        (progress.lastVisit, progress.visitBase) = (lastVisit, visitBase)
        progress.lastTime = lastTime
        progress.lostSince = line.time(at: lostSince)
        progress.lastPlace = lastPlace
        progress.lastCoordinate = lastCoordinate
        progress.lastSeconds = lastSeconds + Double(line.shift) / 1_000
        progress.estimator = estimator
        progress.estimator.move(bySeconds: Double(line.shift) / 1_000)
        progress.anchor = line.anchor
        for slot in index.inOrder(visits.keys) {
            guard let fence = index.fence(slot), var visit = visits[slot] else { continue }
            visit.countsFrom = line.time(at: visit.countsFrom?.millisecondsSince1970)
            progress.stays.append(GeofenceProgress.Stay(id: fence.id, name: fence.name, key: index.key(slot), visit: visit))
        }
        for slot in Set(crossings.keys).union(nearSince.keys).union(soughtSince.keys).sorted() {
            progress.open.append(
                GeofenceProgress.OpenDecision(
                    key: index.key(slot), crossing: crossings[slot].map { OpenCrossing(time: $0.time) },
                    nearSince: nearSince[slot].map { $0 + Double(line.shift) / 1_000 },
                    soughtSince: soughtSince[slot].map { $0 + Double(line.shift) / 1_000 }))
        }
        return progress
    }

    /// Forgets where the object was if it was last seen in that stretch of time; its side of each fence stays known.
    ///
    /// - Returns: whether the place was forgotten.
    public mutating func forgetPlace(in stretch: Range<UTCTime>) -> Bool {
        guard let lastTime, stretch.contains(lastTime) else { return false }
        (lastPlace, lastCoordinate, estimator) = (nil, nil, PositionEstimator())
        return true
    }

    /// Continues from the state of a predecessor; crossings made in the meantime are found by the next fix and are late.
    ///
    /// Call this before the first fix. Removed fences that the object was inside raise their exits now, and so do fences whose new shape does
    /// not contain the last place; fences that the state does not know start anew.
    public mutating func restore(_ state: GeofenceMonitorState) -> [GeofenceEvent] {
        let progress = state.progress
        (lastVisit, visitBase) = (progress.lastVisit, progress.visitBase)
        (lastTime, lostSince, lastSeconds) = (progress.lastTime, progress.lostSince?.millisecondsSince1970, progress.lastSeconds)
        line = FixLine(last: lastTime?.millisecondsSince1970, anchor: progress.anchor)
        (lastPlace, lastCoordinate) = (progress.lastPlace, progress.lastCoordinate)
        estimator = progress.estimator
        let known = Set(state.known)
        let open = Dictionary(progress.open.map { ($0.key, $0) }) { first, _ in first }
        seeksAll = false
        fresh = []
        for slot in 0..<Int32(index.slotCount) where index.isUsed(slot) {
            let key = index.key(slot)
            let isKnown = known.contains(key)
            sides[Int(slot)] = isKnown ? .outside : .unknown
            if let decision = open[key] {
                crossings[slot] = decision.crossing
                nearSince[slot] = decision.nearSince
                soughtSince[slot] = decision.soughtSince
            }
            if !isKnown { fresh.insert(slot) }
            // An open crossing had been noticed in time, so it is not late.
            if isKnown, crossings[slot] == nil { late.insert(slot) }
        }
        var events: [GeofenceEvent] = []
        for stay in progress.stays {
            let slot = index.slot(ofID: stay.id)
            if let slot, index.key(slot) == stay.key || holdsLastPlace(slot) {
                sides[Int(slot)] = .inside
                visits[slot] = stay.visit
                fresh.remove(slot)
                if crossings[slot] == nil { late.insert(slot) }
            } else {
                events.append(
                    exitEvent(
                        id: stay.id, name: stay.name, visit: stay.visit.number, reason: slot == nil ? .removed : .changed, at: lastTime))
            }
        }
        isRestored = true
        nextDwell = visits.isEmpty ? nextDwell : .min
        knownRevision += 1
        return events
    }

    private func holdsLastPlace(_ slot: Int32) -> Bool {
        guard let lastPlace else { return false }
        return index.withShape(slot) { $0.contains(lastPlace) } ?? false
    }
}
