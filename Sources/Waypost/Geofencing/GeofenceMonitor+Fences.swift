// Fences that come and go while the monitor is in use, and a monitor that goes on where another one stopped.
extension GeofenceMonitor {
    /// Adds a fence, or gives one another shape or other settings.
    ///
    /// A new fence takes its first state silently. One that has changed so that the object is outside now gives its exit; one whose shape
    /// is the same keeps everything.
    public mutating func add(_ fence: Geofence, at time: UTCTime? = nil) -> [GeofenceEvent] {
        var events: [GeofenceEvent] = []
        var visit: GeofenceMonitorState.Visit?
        var side = Side.unknown
        if let old = index[fence.id], let slot = index.slot(ofID: fence.id) {
            if old.shape == fence.shape {
                visit = visits[slot]
                side = sides[Int(slot)]
            } else if let place = lastPlace, fence.shape.contains(place) {
                visit = visits[slot]
                side = visit == nil ? .unknown : .inside
            } else {
                events = end(fence.id, reason: .changed, at: time ?? lastTime)
            }
            forget(slot)
        }
        index.add(fence)
        guard let slot = index.slot(ofID: fence.id) else { return events }
        if sides.count < index.slotCount { sides += Array(repeating: .unknown, count: index.slotCount - sides.count) }
        sides[Int(slot)] = side
        visits[slot] = visit
        if side == .unknown { fresh.append(slot) }
        nextExpiry = min(nextExpiry, fence.expires?.millisecondsSince1970 ?? .max)
        nextDwell = visits.isEmpty ? nextDwell : .min
        neighbourhood.clear()
        return events
    }

    /// Removes a fence; one that the object is inside of gives its exit.
    public mutating func remove(id: String, at time: UTCTime? = nil) -> [GeofenceEvent] {
        end(id, reason: .removed, at: time ?? lastTime)
    }

    /// Makes those the fences: what is not among them goes, what is new comes, what is the same stays as it is.
    public mutating func replaceFences(with fences: [Geofence], at time: UTCTime? = nil) -> [GeofenceEvent] {
        let kept = Set(fences.map(\.id))
        var events: [GeofenceEvent] = []
        for fence in index.fences where !kept.contains(fence.id) { events += end(fence.id, reason: .removed, at: time ?? lastTime) }
        for fence in fences where index[fence.id] != fence { events += add(fence, at: time) }
        return events
    }

    /// Takes a fence away, with an exit when the object is inside.
    mutating func end(_ id: String, reason: GeofenceEvent.Reason, at time: UTCTime?) -> [GeofenceEvent] {
        guard let slot = index.slot(ofID: id), let fence = index.remove(id: id) else { return [] }
        let visit = visits[slot]
        forget(slot)
        neighbourhood.clear()
        guard let visit, fence.notifications.contains(.exit) else { return [] }
        return [exitEvent(id: id, name: fence.name, visit: visit.number, reason: reason, at: time)]
    }

    private func exitEvent(id: String, name: String, visit: UInt64, reason: GeofenceEvent.Reason, at time: UTCTime?) -> GeofenceEvent {
        GeofenceEvent(
            id: "\(eventPrefix)\(visit)-exit", kind: .exit, fenceID: id, fenceName: name, visit: visit, reason: reason, time: time,
            coordinate: lastCoordinate, isLate: false, evidence: GeofenceEvent.Evidence())
    }

    private mutating func forget(_ slot: Int32) {
        sides[Int(slot)] = .outside
        visits[slot] = nil
        crossings[slot] = nil
        soughtSince[slot] = nil
        nearSince[slot] = nil
        late.remove(slot)
        fresh.removeAll { $0 == slot }
    }

    // MARK: State

    /// What a successor must know.
    ///
    /// - Cost: one entry a fence.
    public var state: GeofenceMonitorState {
        var state = GeofenceMonitorState()
        state.visits = visitCount
        state.lastTime = lastTime
        state.lostSince = lostSince
        for slot in 0..<Int32(index.slotCount) {
            guard let fence = index.fence(slot), sides[Int(slot)] != .unknown, !fresh.contains(slot) else { continue }
            state.fences.append(
                GeofenceMonitorState.Fence(id: fence.id, name: fence.name, shapeDigest: fence.shape.digest, visit: visits[slot]))
        }
        return state
    }

    /// Goes on from the state of a predecessor: the next fix finds the crossings that were made meanwhile, and they are late.
    ///
    /// To be called before the first fix. Fences that one was inside of and that are gone give their exits now; ones that have another shape
    /// begin anew, after the exit of the old shape.
    public mutating func restore(_ state: GeofenceMonitorState) -> [GeofenceEvent] {
        var events: [GeofenceEvent] = []
        visitCount = state.visits
        lastTime = state.lastTime
        lostSince = state.lostSince
        var known: Set<Int32> = []
        for fence in state.fences {
            let slot = index.slot(ofID: fence.id)
            if let slot, let current = index.fence(slot), current.shape.digest == fence.shapeDigest {
                known.insert(slot)
                sides[Int(slot)] = fence.visit == nil ? .outside : .inside
                visits[slot] = fence.visit
            } else if let visit = fence.visit {
                events.append(
                    exitEvent(
                        id: fence.id, name: fence.name, visit: visit.number, reason: slot == nil ? .removed : .changed, at: state.lastTime))
            }
        }
        fresh.removeAll { known.contains($0) }
        late = known
        nextDwell = visits.isEmpty ? nextDwell : .min
        return events
    }
}
