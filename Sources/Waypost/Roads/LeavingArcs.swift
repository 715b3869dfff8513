/// The arcs that leave a node, read where they stand.
struct LeavingArcs: Sequence, IteratorProtocol {
    private(set) var edge: UInt32
    let endEdge: UInt32
    private(set) var arrival: Int
    let endArrival: Int
    let arrivals: RoadSection

    @inline(__always)
    mutating func next() -> RoadArc? {
        if edge < endEdge {
            edge &+= 1
            return RoadArc(edge: edge &- 1, isReversed: false)
        }
        guard arrival < endArrival else { return nil }
        arrival &+= 1
        return RoadArc(edge: arrivals.record(arrival &- 1, stride: 4).little(0, UInt32.self), isReversed: true)
    }
}

extension UInt64 {
    /// The sum of its eight bytes.
    @inline(__always) var sumOfBytes: Int {
        let pairs = (self & 0x00FF_00FF_00FF_00FF) &+ ((self >> 8) & 0x00FF_00FF_00FF_00FF)
        return Int((pairs &* 0x0001_0001_0001_0001) >> 48)
    }
}

/// What many ways have in common: it stands in the file once.
struct WayKind: Hashable {
    var roadClass = RoadClass.road
    var kilometresPerHour: UInt8 = 0
    var properties: RoadKind = []
    var layer: Int8 = 0
}

extension Roads {
    /// Visits the arcs on which one may go on from the end of another: neither closed, nor one-way against it, nor forbidden to turn into.
    ///
    /// - Parameter visit: is given the arc, its edge, and what the turn costs, in metres.
    @inline(__always)
    func forEachArc(
        after arc: RoadArc, of edge: RoadEdge, for mode: TravelMode, _ turns: TurnCost, visit: (RoadArc, RoadEdge, Double) -> Void
    ) {
        let node = edge.end(isReversed: arc.isReversed)
        let isClosed = closedModes(ofNode: node) & mode.closedBit != 0
        let direction = edge.lastDirection(isReversed: arc.isReversed)
        for next in leavingArcs(ofNode: node) {
            let isBack = next == arc.reversed
            if isClosed, !isBack { continue }
            let nextEdge = self.edge(next.edge)
            guard nextEdge.isOpen(for: mode, isReversed: next.isReversed) else { continue }
            if edge.hasForbiddenTurn, isForbidden(from: arc, to: next, for: mode) { continue }
            let turn = isBack ? turns.uTurnMetres : turns.metres(from: direction, to: nextEdge.firstDirection(isReversed: next.isReversed))
            visit(next, nextEdge, turn)
        }
    }
}
