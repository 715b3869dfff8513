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
