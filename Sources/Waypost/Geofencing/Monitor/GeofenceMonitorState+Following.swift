extension GeofenceMonitorState {
    /// Brings the state forward by an event raised after the state was saved, as far as the event shows: the object's place and side.
    ///
    /// - Parameters:
    ///   - event: the event; one that belongs to no fence, or has no payload, changes nothing.
    ///   - key: the key of the fence as it is now; nil when it was removed.
    public mutating func follow(_ event: TrackerEvent, key: UInt64?) {
        guard let kind = GeofenceEvent.Kind(rawValue: event.kind), let payload = event.payload else { return }
        progress.follow(event, kind, payload, key: key ?? 0)
        if let key, !known.contains(key) { known.append(key) }
    }
}

extension GeofenceProgress {
    fileprivate mutating func follow(
        _ event: TrackerEvent, _ kind: GeofenceEvent.Kind, _ payload: TrackerEvent.Payload, key: UInt64
    ) {
        // What was known of the path ended before the event.
        estimator = PositionEstimator()
        open = []
        lostSince = nil
        if let time = event.time {
            lastTime = time
            lastSeconds = Double(time.millisecondsSince1970) / 1_000
        }
        let place = event.position?.coordinate
        (lastPlace, lastCoordinate) = (place ?? lastPlace, place ?? lastCoordinate)
        // More visits than stays, so that the start can no longer be found false.
        lastVisit += 2
        var stay = Stay(
            id: event.fenceID, name: event.name, key: key,
            visit: Visit(number: payload.visit, countsFrom: payload.crossedAt ?? event.time, hasDwelt: kind == .dwell))
        let before = stays.first { $0.id == event.fenceID }
        stays.removeAll { $0.id == event.fenceID }
        switch kind {
        case .enter: stays.append(stay)
        case .dwell:
            stay.visit.countsFrom = before?.visit.countsFrom ?? stay.visit.countsFrom
            stays.append(stay)
        case .exit: break
        case .pass: if let before { stays.append(before) }
        }
    }
}
