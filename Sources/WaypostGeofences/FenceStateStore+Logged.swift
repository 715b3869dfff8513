import Waypost

extension FenceStateStore.Content {
    /// Forgets the events of a stretch of time, and where the device was then.
    mutating func forget(_ stretch: Range<UTCTime>) {
        func isErased(_ report: FenceReport) -> Bool { report.time.map(stretch.contains) ?? false }
        doubtfulCount -= reports.suffix(doubtfulCount).count(where: isErased)
        reports.removeAll(where: isErased)
        state.progress.forgetPlace(in: stretch)
    }

    /// Goes on by the events of a log, in their order, that it does not know: they were told, and are in doubt now.
    mutating func follow(_ logged: [FenceReport], _ fences: [Geofence]) {
        if isStateLost {
            // These were told long ago; they say where the device was.
            let (known, told) = (Set(reports.map(\.id)), Set(logged.map(\.id)))
            follow((logged + reports.filter { !told.contains($0.id) }).compactMap { GeofenceEvent(line: $0.line) }, fences)
            reports = logged.filter { !known.contains($0.id) } + reports
            return
        }
        guard let newest = reports.last?.time ?? state.progress.lastTime else { return }
        let known = Set(reports.map(\.id))
        let missing = logged.filter { report in !known.contains(report.id) && report.time.map { $0 >= newest } ?? false }
        guard !missing.isEmpty else { return }
        follow(missing.compactMap { GeofenceEvent(line: $0.line) }, fences)
        reports += missing
        doubtfulCount += missing.count
    }

    private mutating func follow(_ events: [GeofenceEvent], _ fences: [Geofence]) {
        let names = Set(events.map(\.fenceID))
        var keys: [String: UInt64] = [:]
        for fence in fences where names.contains(fence.id) { keys[fence.id] = fence.key }
        for event in events { state.follow(event, key: keys[event.fenceID]) }
    }
}
