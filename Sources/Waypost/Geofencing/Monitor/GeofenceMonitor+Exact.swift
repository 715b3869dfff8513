extension GeofenceMonitor {
    /// Tests a fix as it came against a fence; returns the clearance from the border.
    mutating func holdExactly(
        _ slot: Int32, _ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]
    ) -> Double {
        let (isInside, clearance) = index.side(slot, probe)
        switch (sides[Int(slot)], isInside) {
        case (.inside, true): break
        case (.outside, false): if clearance < step.metres { findPass(slot, probe, step, into: &events) }
        case (.unknown, _): settleSilently(slot, isInside: isInside, step)
        case (.outside, true): if activity.has(slot) { enter(slot, step, at: wayTime(slot, step, probe, entering: true), into: &events) }
        case (.inside, false): exit(slot, step, at: wayTime(slot, step, probe, entering: false), into: &events)
        }
        return clearance
    }

    /// Checks whether the path between two places outside led through a fence.
    private mutating func findPass(_ slot: Int32, _ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]) {
        guard let way = step.way, activity.has(slot), index.mayCross(slot, way, probe),
            let crossing = index.withShape(slot, { $0.crossing(way) }), let crossing
        else { return }
        pass(slot, step, (time(at: crossing.first, step), time(at: crossing.last, step)), into: &events)
    }
}
