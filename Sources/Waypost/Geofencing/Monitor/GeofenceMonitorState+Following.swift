extension GeofenceMonitorState {
    /// Goes on by an event that was told after the state was kept, as far as that tells: where the object was then, and on which side.
    ///
    /// - Parameters:
    ///   - event: what was told.
    ///   - key: that of the fence as it is now; nil when it is gone.
    public mutating func follow(_ event: GeofenceEvent, key: UInt64?) {
        progress.follow(event, key: key ?? 0)
        if let key, !known.contains(key) { known.append(key) }
    }
}

extension GeofenceProgress {
    fileprivate mutating func follow(_ event: GeofenceEvent, key: UInt64) {
        // What was known of the way ended before it.
        estimator = PositionEstimator()
        open = []
        lostSince = nil
        if let time = event.time {
            lastTime = time
            lastSeconds = Double(time.millisecondsSince1970) / 1_000
        }
        (lastPlace, lastCoordinate) = (event.coordinate ?? lastPlace, event.coordinate ?? lastCoordinate)
        // More than stays: no start is found to be a lie any more.
        lastVisit += 2
        var stay = Stay(
            id: event.fenceID, name: event.fenceName, key: key,
            visit: Visit(number: event.visit, countsFrom: event.crossedAt ?? event.time, hasDwelt: event.kind == .dwell))
        let before = stays.first { $0.id == event.fenceID }
        stays.removeAll { $0.id == event.fenceID }
        switch event.kind {
        case .enter: stays.append(stay)
        case .dwell:
            stay.visit.countsFrom = before?.visit.countsFrom ?? stay.visit.countsFrom
            stays.append(stay)
        case .exit: break
        case .pass: if let before { stays.append(before) }
        }
    }
}
