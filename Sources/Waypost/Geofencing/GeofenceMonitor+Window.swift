// `exact` among many borders: what a step crosses is counted, instead of finding the side of every fence near by.
extension GeofenceMonitor {
    /// Holds the way to a fix against the borders round it; false when that has to be done by ``FenceNeighbourhood``.
    ///
    /// A fence's side is what it was as long as the way crosses its only ring an even number of times; where roundings could change the
    /// number, and where rings may overlap, the place itself is held against the fence.
    mutating func lookThroughWindow(_ step: inout FixStep, into events: inout [GeofenceEvent]) -> Bool {
        guard rule == .exact, maxActive == nil, !seeksAll, fresh.isEmpty, !isRestored, let lastPlace else {
            closeWindow()
            return false
        }
        if lastPlace == step.place { return true }
        let way = LonLatEdge(from: lastPlace, to: step.place)
        if !window.holds(way) {
            closeWindow()
            guard window.open(way, index) else { return false }
        }
        let probe = FenceProbe(step.place, near: window.frame.middle)
        let (metres, reach) = window.find(way, endingAt: probe)
        (step.way, step.metres) = (way, metres)
        guard let reach else {
            holdWithoutDistances(way, probe, step, into: &events)
            return true
        }
        var clearance = reach
        var flatSquared = Float.infinity
        // What the way may meet is no further than that on the flat map.
        let near = Float(probe.greatestFlat(within: metres) + window.flatError) * 1.001
        let point = EdgeTable.GridPoint(probe)
        var place = 0
        while place < window.hitCount {
            let hit = window.hits[place]
            guard hit.group >= 0, let table = index.figure(hit.slot).edges else {
                let found = holdExactly(hit.slot, probe, step, into: &events)
                window.settle(hit.slot, clearance: found)
                clearance = min(clearance, found)
                place += 1
                continue
            }
            let turn = table.turned(probe.longitude) - probe.longitude
            let turned = turn == 0 ? point : EdgeTable.GridPoint(probe, turn)
            var crossings = WayCrossings(way, turn: table.turned(way.bx) - way.bx)
            repeat {
                let group = Int(window.hits[place].group)
                flatSquared = min(flatSquared, table.hold(group: group, turned, within: near * near, &crossings))
                place += 1
            } while place < window.hitCount && window.hits[place].slot == hit.slot
            if crossings.isOpen || crossings.count > 0 { cross(hit.slot, table, crossings, probe, step, into: &events) }
        }
        if flatSquared < .infinity {
            let flat = Double(flatSquared.squareRoot())
            clearance = min(clearance, max(probe.leastDistance(flat: flat - window.flatError - 1e-6 * flat), 0))
        }
        window.rest(clearance, of: reach)
        return true
    }

    /// Looks only which borders the way to a fix crosses.
    private mutating func holdWithoutDistances(
        _ way: LonLatEdge, _ probe: FenceProbe, _ step: FixStep, into events: inout [GeofenceEvent]
    ) {
        var place = 0
        while place < window.hitCount {
            let hit = window.hits[place]
            guard hit.group >= 0, let table = index.figure(hit.slot).edges else {
                window.settle(hit.slot, clearance: holdExactly(hit.slot, probe, step, into: &events))
                place += 1
                continue
            }
            let turn = table.turned(way.bx) - way.bx
            let box = EdgeTable.GridBox(way, turn: turn)
            var crossings = WayCrossings(way, turn: turn)
            repeat {
                table.addCrossings(group: Int(window.hits[place].group), box, &crossings)
                place += 1
            } while place < window.hitCount && window.hits[place].slot == hit.slot
            if crossings.isOpen || crossings.count > 0 { cross(hit.slot, table, crossings, probe, step, into: &events) }
        }
    }

    /// The way to a fix crosses the border of a fence so many times, or ends on it.
    private mutating func cross(
        _ slot: Int32, _ table: EdgeTable, _ crossings: WayCrossings, _ probe: FenceProbe, _ step: FixStep,
        into events: inout [GeofenceEvent]
    ) {
        guard !crossings.isOpen, table.ringCount == 1 else {
            _ = holdExactly(slot, probe, step, into: &events)
            return
        }
        switch (sides[Int(slot)], crossings.count.isMultiple(of: 2)) {
        case (.inside, false): exit(slot, step, probe, evidence: nil, at: crossings.crossing, into: &events)
        case (.outside, false): enter(slot, step, probe, evidence: nil, at: crossings.crossing, into: &events)
        case (.outside, true): pass(slot, crossings.crossing, step, evidence: nil, into: &events)
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
