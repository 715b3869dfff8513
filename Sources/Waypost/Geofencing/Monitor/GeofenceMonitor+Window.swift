// `exact` among many borders: what a step crosses is counted, instead of finding the side of every fence near by.
extension GeofenceMonitor {
    /// Whether the way to a fix lies in a window, which is opened for it; false when it has to be left to ``FenceNeighbourhood``.
    mutating func opensWindow(_ step: inout FixStep) -> Bool {
        guard rule == .exact, maxActive == nil, !seeksAll, fresh.isEmpty, !isRestored, let lastPlace else {
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

    /// Holds the way to a fix against the borders round it.
    ///
    /// Where a crossing is open, the place itself is held against the fence.
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
            // Trees know removed fences for a while.
            if index.isUsed(slot) { cross(slot, found, look.probe, step, into: &events) }
        }
        window.rest(after: look, clearance: clearance)
    }

    /// The way to a fix crosses the border of a fence so many times, or may cross it.
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

    /// What the neighbourhood knew before the window was opened is of no use any longer.
    private mutating func closeWindow() {
        guard window.isOpen else { return }
        window.close()
        neighbourhood.clear()
    }
}
