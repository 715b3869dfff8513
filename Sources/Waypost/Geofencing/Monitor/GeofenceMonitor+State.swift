// A monitor that goes on where another one stopped.
extension GeofenceMonitor {
    /// What a successor must know.
    ///
    /// - Cost: 8 bytes a fence.
    public var state: GeofenceMonitorState {
        GeofenceMonitorState(
            known: (0..<Int32(index.slotCount)).filter { index.isUsed($0) && sides[Int($0)] != .unknown }.map { index.key($0) },
            progress: progress)
    }

    /// What a successor must know beside the fences whose side is known, which change only with ``knownRevision``.
    public var progress: GeofenceProgress {
        var progress = GeofenceProgress()
        (progress.lastVisit, progress.visitBase) = (lastVisit, visitBase)
        progress.lastTime = lastTime
        progress.lostSince = lostSince
        progress.lastPlace = lastPlace
        progress.lastCoordinate = lastCoordinate
        progress.lastSeconds = lastSeconds
        progress.estimator = estimator
        for slot in index.inOrder(visits.keys) {
            guard let fence = index.fence(slot), let visit = visits[slot] else { continue }
            progress.stays.append(GeofenceProgress.Stay(id: fence.id, name: fence.name, key: index.key(slot), visit: visit))
        }
        for slot in Set(crossings.keys).union(nearSince.keys).union(soughtSince.keys).sorted() {
            progress.open.append(
                GeofenceProgress.OpenDecision(
                    key: index.key(slot), crossing: crossings[slot], nearSince: nearSince[slot], soughtSince: soughtSince[slot]))
        }
        return progress
    }

    /// Forgets where the object was, when it was last seen in that stretch of time; on which side of which fence it is stays known.
    ///
    /// - Returns: whether it was.
    public mutating func forgetPlace(in stretch: Range<UTCTime>) -> Bool {
        guard let lastTime, stretch.contains(lastTime) else { return false }
        (lastPlace, lastCoordinate, estimator) = (nil, nil, PositionEstimator())
        return true
    }

    /// Goes on from the state of a predecessor: the next fix finds the crossings that were made meanwhile, and they are late.
    ///
    /// To be called before the first fix. Fences that one was inside of and that are gone give their exits now, and so do those whose new
    /// shape does not hold the last place; fences that the state does not know begin anew.
    public mutating func restore(_ state: GeofenceMonitorState) -> [GeofenceEvent] {
        let progress = state.progress
        (lastVisit, visitBase) = (progress.lastVisit, progress.visitBase)
        (lastTime, lostSince, lastSeconds) = (progress.lastTime, progress.lostSince, progress.lastSeconds)
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
            // What was found on the other side before had been seen in time.
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
