// `exact` among many borders: counts what a step crosses instead of finding the side of every nearby fence.
extension GeofenceMonitor {
    /// Whether the path to a fix lies in a window, which is opened for it; false when it must be left to ``FenceNeighbourhood``.
    mutating func opensWindow(_ step: inout FixStep) -> Bool {
        guard rule == .exact, maxActive == nil, !seeksAll, fresh.isEmpty, !isRestored, !isInterrupted, let lastPlace else {
            closeWindow()
            return false
        }
        let way = LonLatEdge(from: lastPlace, to: step.place)
        if let metres = window.metres(way) {
            (step.way, step.metres) = (way, metres)
            return true
        }
        closeWindow()
        guard window.open(way, index), let metres = window.metres(way) else { return false }
        (step.way, step.metres) = (way, metres)
        return true
    }

    /// Tests the path to a fix against the borders round it.
    ///
    /// Where a crossing is open, the place itself is tested against the fence.
    mutating func lookThroughWindow(_ step: borrowing FixStep, into events: inout [GeofenceEvent]) {
        guard let way = step.way, step.metres > 0 else { return }
        let look = window.look(along: way, metres: step.metres, endingAt: step.place, index)
        var clearance = Double.infinity
        for place in 0..<window.wholeCount {
            let slot = window.wholes[place]
            let found = holdExactly(slot, look.probe, step, into: &events)
            window.settle(slot, clearance: found)
            clearance = min(clearance, found)
        }
        for place in 0..<window.crossedCount {
            let (slot, found) = window.crossed[place]
            // The trees keep removed fences for a while.
            if index.isUsed(slot) { cross(slot, found, look.probe, step, into: &events) }
        }
        window.rest(after: look, clearance: clearance)
    }

    /// Handles a path to a fix that crosses a fence's border this many times, or may cross it.
    private mutating func cross(
        _ slot: Int32, _ found: WayCrossings.Found, _ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]
    ) {
        if found.isOpen {
            _ = holdExactly(slot, probe, step, into: &events)
            return
        }
        switch (sides[Int(slot)], found.count.isMultiple(of: 2)) {
        case (.inside, false): exit(slot, step, at: time(at: found.crossing.last, step), into: &events)
        case (.outside, false): enter(slot, step, at: time(at: found.crossing.first, step), into: &events)
        case (.outside, true):
            pass(slot, step, (time(at: found.crossing.first, step), time(at: found.crossing.last, step)), into: &events)
        case (.inside, true), (.unknown, _): break
        }
    }

    /// Closes the window; what the neighbourhood knew before the window opened is no longer valid.
    private mutating func closeWindow() {
        guard window.isOpen else { return }
        window.close()
        neighbourhood.clear()
    }
}
