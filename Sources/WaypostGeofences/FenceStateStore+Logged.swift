import Waypost

extension FenceStateStore.Content {
    /// Forgets the events of a stretch of time, and where the device was then.
    mutating func forget(_ stretch: Range<UTCTime>) {
        func isErased(_ event: TrackerEvent) -> Bool { event.time.map(stretch.contains) ?? false }
        doubtfulCount -= events.suffix(doubtfulCount).count(where: isErased)
        events.removeAll(where: isErased)
        state.progress.forgetPlace(in: stretch)
    }

    /// Applies the events of a log that it does not know, in their order: they were reported, and are in doubt now.
    mutating func follow(_ logged: [TrackerEvent], _ fences: [Geofence]) {
        if isStateLost {
            // These were reported long ago; they say where the device was.
            let (known, told) = (Set(events.map(\.id)), Set(logged.map(\.id)))
            moveOn(by: logged + events.filter { !told.contains($0.id) }, fences)
            events = logged.filter { !known.contains($0.id) } + events
            return
        }
        guard let newest = events.last?.time ?? state.progress.lastTime else { return }
        let known = Set(events.map(\.id))
        let missing = logged.filter { event in !known.contains(event.id) && event.time.map { $0 >= newest } ?? false }
        guard !missing.isEmpty else { return }
        moveOn(by: missing, fences)
        events += missing
        doubtfulCount += missing.count
    }

    private mutating func moveOn(by events: [TrackerEvent], _ fences: [Geofence]) {
        let names = Set(events.map(\.fenceID))
        var keys: [String: UInt64] = [:]
        for fence in fences where names.contains(fence.id) { keys[fence.id] = fence.key }
        for event in events { state.follow(event, key: keys[event.fenceID]) }
    }
}
