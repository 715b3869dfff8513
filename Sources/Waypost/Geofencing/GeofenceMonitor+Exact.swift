extension GeofenceMonitor {
    /// Holds a fix as it is against a fence; gives the clearance of the border.
    mutating func holdExactly(
        _ slot: Int32, _ probe: FenceProbe, _ step: FixStep, into events: inout [GeofenceEvent]
    ) -> Double? {
        guard let (isInside, clearance) = index.withShape(slot, { $0.side(probe) }) else { return .infinity }
        switch (sides[Int(slot)], isInside) {
        case (.unknown, _): settleSilently(slot, isInside: isInside, step)
        case (.outside, true): if activity.has(slot) { enter(slot, step, evidence: nil, into: &events) }
        case (.inside, false): exit(slot, step, evidence: nil, into: &events)
        case (.outside, false):
            if clearance < step.metres, let way = step.way, activity.has(slot), let crossing = index.withShape(slot, { $0.crossing(way) }),
                let crossing
            {
                pass(slot, crossing, step, evidence: nil, into: &events)
            }
        case (.inside, true): break
        }
        return clearance
    }
}
