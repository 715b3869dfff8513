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
    /// A fence's side is what it was as long as the way crosses its border an even number of times; where roundings could change the number,
    /// and where rings may overlap, the place itself is held against the fence.
    mutating func lookThroughWindow(_ step: borrowing FixStep, into events: inout [GeofenceEvent]) {
        let metres = step.metres
        guard let way = step.way, metres > 0 else { return }
        let probe = window.frame.probe(step.place)
        guard let reach = window.find(way, metres: metres, endingAt: probe) else {
            holdWithoutDistances(way, probe, step, into: &events)
            return
        }
        var clearance = reach
        var flatSquared = Float.infinity
        // What the way may meet is no further than that on the flat map.
        let near = Float(probe.greatestFlat(within: metres) + window.flatError) * 1.001
        let point = EdgeTable.GridPoint(probe)
        var crossings = WayCrossings(way, turn: 0)
        for place in 0..<window.hitCount {
            let piece = window.pieces[Int(window.hits[place])]
            if isPlain(piece), piece.isLocal {
                crossings.restart()
                flatSquared = min(flatSquared, piece.hold(point, within: near * near, &crossings))
                window.note(piece, crossings.found)
            } else if let table = index.figure(piece.slot).edges {
                let (first, count) = piece.place(in: table)
                if piece.isLocal {
                    let turned = EdgeTable.GridPoint(probe, table.turned(probe.longitude) - probe.longitude)
                    var crossings = WayCrossings(way, turn: table.turned(way.bx) - way.bx)
                    flatSquared = min(flatSquared, table.hold(from: first, count: count, turned, within: near * near, &crossings))
                    window.note(piece, crossings.found)
                } else {
                    // Too wide for distances on the grid.
                    window.note(piece, table.crossings(from: first, count: count, way))
                    clearance = 0
                }
            }
        }
        clearance = min(clearance, holdWhole(probe, step, into: &events))
        crossNoted(probe, step, into: &events)
        if flatSquared < .infinity {
            let flat = Double(flatSquared.squareRoot())
            clearance = min(clearance, max(probe.leastDistance(flat: flat - window.flatError - 1e-6 * flat), 0))
        }
        window.rest(clearance, of: reach)
    }

    /// Looks only which borders the way to a fix crosses.
    private mutating func holdWithoutDistances(
        _ way: LonLatEdge, _ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]
    ) {
        let box = EdgeTable.GridBox(way, turn: 0)
        var crossings = WayCrossings(way, turn: 0)
        for place in 0..<window.hitCount {
            let piece = window.pieces[Int(window.hits[place])]
            if isPlain(piece) {
                crossings.restart()
                piece.addCrossings(box, &crossings)
                window.note(piece, crossings.found)
            } else if let table = index.figure(piece.slot).edges {
                let (first, count) = piece.place(in: table)
                window.note(piece, table.crossings(from: first, count: count, way))
            }
        }
        _ = holdWhole(probe, step, into: &events)
        crossNoted(probe, step, into: &events)
    }

    /// Holds the place against the fences that have to be looked at as a whole; gives how far their borders are at least.
    @inline(__always)
    private mutating func holdWhole(_ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]) -> Double {
        var clearance = Double.infinity
        for place in 0..<window.wholeCount {
            let slot = window.wholes[place]
            let found = holdExactly(slot, probe, step, into: &events)
            window.settle(slot, clearance: found)
            clearance = min(clearance, found)
        }
        return clearance
    }

    /// Whether a piece is as it is written.
    @inline(__always)
    private func isPlain(_ piece: EdgePiece) -> Bool {
        !piece.needsTable && !window.frame.crossesSeam
    }

    /// What the window has noted happens.
    @inline(__always)
    private mutating func crossNoted(_ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]) {
        for place in 0..<window.crossedCount {
            let (slot, found) = window.crossed[place]
            // Trees know removed fences for a while.
            if index.isUsed(slot) { cross(slot, found, probe, step, into: &events) }
        }
        window.forgetCrossed()
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
