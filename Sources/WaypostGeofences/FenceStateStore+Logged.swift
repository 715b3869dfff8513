import Waypost

extension FenceStateStore.Content {
    /// Forgets the events of a stretch of time, and where the device was then.
    mutating func forget(_ stretch: Range<UTCTime>) {
        func isErased(_ event: TrackerEvent) -> Bool { event.time.map(stretch.contains) ?? false }
        doubtfulCount -= events.suffix(doubtfulCount).count(where: isErased)
        events.removeAll(where: isErased)
        state.progress.forgetPlace(in: stretch)
    }

    /// After a kill: takes over where the device was last from a log, as if the run had ended there.
    ///
    /// A fix that the state or an event is newer than is none of the last ones, and says nothing.
    /// - Parameter fixes: the log's last ones, without a break among or after them.
    mutating func follow(_ fixes: [Position], by rule: BorderRule) {
        guard !isEnd, !isStateLost, !isStateMissing, let last = fixes.last?.time,
            events.compactMap(\.time).max().map({ $0 <= last }) ?? true
        else { return }
        isEnd = state.progress.follow(fixes, by: rule)
    }

    /// Finds on which sides of the borders the device was last, when that is lost and no event says so.
    ///
    /// What happened during these fixes was reported long ago.
    /// - Parameters:
    ///   - fixes: the log's last ones, without a break among or after them.
    ///   - monitor: a monitor of the fences that has processed nothing yet.
    mutating func settle(by fixes: [Position], with monitor: GeofenceMonitor) {
        guard isStateLost else { return }
        let newest = events.compactMap(\.time).max()
        let later = fixes.filter { fix in newest.map { newest in fix.time.map { $0 > newest } ?? false } ?? true }
        guard !later.isEmpty else { return }
        var scout = monitor
        _ = scout.restore(state)
        for fix in later { _ = scout.process(fix) }
        state = scout.state
    }

    /// Applies the events of a log that it does not know, in their order: they were reported, and are in doubt now.
    mutating func follow(_ logged: [TrackerEvent], _ fences: [Geofence]) {
        if isStateLost {
            // These were reported long ago; they say where the device was.
            let doubtful = events.suffix(doubtfulCount).first?.id
            events = FenceStateStore.Content.join(events, into: logged)
            doubtfulCount = events.firstIndex { $0.id == doubtful }.map { events.count - $0 } ?? 0
            moveOn(by: events, fences)
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

    /// The events of the log, and those of the state that it does not have, or that are older, in the order in which they happened.
    private static func join(_ events: [TrackerEvent], into logged: [TrackerEvent]) -> [TrackerEvent] {
        var joined = logged
        var end = joined.count
        // From the newest on: each comes before its successor, and after no event that is later.
        for event in events.reversed() {
            if let place = joined.firstIndex(where: { $0.id == event.id }) {
                end = min(end, place)
            } else {
                if let time = event.time { end = joined[..<end].lastIndex { $0.time.map { $0 <= time } ?? false }.map { $0 + 1 } ?? 0 }
                joined.insert(event, at: end)
            }
        }
        return joined
    }

    private mutating func moveOn(by events: [TrackerEvent], _ fences: [Geofence]) {
        let names = Set(events.map(\.fenceID))
        var keys: [String: UInt64] = [:]
        for fence in fences where names.contains(fence.id) { keys[fence.id] = fence.key }
        for event in events { state.follow(event, key: keys[event.fenceID]) }
    }
}
