// Adding and removing fences while the monitor is in use.
extension GeofenceMonitor {
    /// Adds a fence, or changes one's shape or settings.
    ///
    /// A new fence takes its first state silently. A fence whose change leaves the object outside raises its exit now; a fence that keeps its
    /// shape keeps its whole state.
    public mutating func add(_ fence: Geofence, at time: UTCTime? = nil) -> [GeofenceEvent] {
        expiry.over[fence.id] = nil
        var events: [GeofenceEvent] = []
        var visit: GeofenceProgress.Visit?
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
        knownRevision += 1
        guard let slot = index.slot(ofID: fence.id) else { return events }
        if sides.count < index.slotCount { sides += Array(repeating: .unknown, count: index.slotCount - sides.count) }
        sides[Int(slot)] = side
        visits[slot] = visit
        if side == .unknown { fresh.insert(slot) }
        nextDwell = visits.isEmpty ? nextDwell : .min
        neighbourhood.clear()
        window.close()
        return events
    }

    /// Removes a fence; if the object is inside, the fence raises its exit.
    public mutating func remove(id: String, at time: UTCTime? = nil) -> [GeofenceEvent] {
        expiry.over[id] = nil
        return end(id, reason: .removed, at: time ?? lastTime)
    }

    /// Replaces the set of fences: missing ones are removed, new ones are added, equal ones stay as they are.
    public mutating func replaceFences(with fences: [Geofence], at time: UTCTime? = nil) -> [GeofenceEvent] {
        let kept = Set(fences.map(\.id))
        expiry.over = expiry.over.filter { kept.contains($0.key) }
        var events: [GeofenceEvent] = []
        for fence in index.fences where !kept.contains(fence.id) { events += end(fence.id, reason: .removed, at: time ?? lastTime) }
        for fence in fences where index[fence.id] != fence && expiry.over[fence.id]?.fence != fence { events += add(fence, at: time) }
        return events
    }

    /// Removes a fence, with an exit when the object is inside.
    mutating func end(_ id: String, reason: GeofenceEvent.Reason, at time: UTCTime?) -> [GeofenceEvent] {
        guard let slot = index.slot(ofID: id), let fence = index.remove(id: id) else { return [] }
        knownRevision += 1
        let visit = visits[slot]
        forget(slot)
        neighbourhood.clear()
        window.close()
        guard let visit, fence.notifications.contains(.exit) else { return [] }
        return [exitEvent(id: id, name: fence.name, visit: visit.number, reason: reason, at: time)]
    }

    func exitEvent(id: String, name: String, visit: UInt64, reason: GeofenceEvent.Reason, at time: UTCTime?) -> GeofenceEvent {
        GeofenceEvent(
            idPrefix: eventPrefix, kind: .exit, fenceID: id, fenceName: name, visit: visit, reason: reason, time: time,
            coordinate: lastCoordinate, isLate: false, isPredicted: false, evidence: GeofenceEvent.Evidence())
    }

    private mutating func forget(_ slot: Int32) {
        sides[Int(slot)] = .outside
        visits[slot] = nil
        crossings[slot] = nil
        soughtSince[slot] = nil
        nearSince[slot] = nil
        late.remove(slot)
        fresh.remove(slot)
    }
}
