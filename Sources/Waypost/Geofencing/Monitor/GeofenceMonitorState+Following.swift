extension GeofenceMonitorState {
    /// Goes on by an event that was told after the state was kept, as far as that tells: where the object was then, and on which side.
    ///
    /// - Parameters:
    ///   - event: what was told; one that is of no fence, or has no payload, changes nothing.
    ///   - key: that of the fence as it is now; nil when it is gone.
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
        // What was known of the way ended before it.
        estimator = PositionEstimator()
        open = []
        lostSince = nil
        if let time = event.time {
            lastTime = time
            lastSeconds = Double(time.millisecondsSince1970) / 1_000
        }
        let place = event.position?.coordinate
        (lastPlace, lastCoordinate) = (place ?? lastPlace, place ?? lastCoordinate)
        // More than stays: no start is found to be a lie any more.
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
