/// An edge of the road network in one of its directions; it may exist without being open in it.
struct RoadArc: Sendable, Hashable {
    /// The edge's number, twice, and one more against the edge's own direction.
    var raw: UInt32

    @inline(__always) init(raw: UInt32) { self.raw = raw }

    @inline(__always) init(edge: UInt32, isReversed: Bool) { raw = edge << 1 | (isReversed ? 1 : 0) }

    @inline(__always) var edge: UInt32 { raw >> 1 }
    @inline(__always) var isReversed: Bool { raw & 1 == 1 }
    /// The same edge the other way.
    @inline(__always) var reversed: RoadArc { RoadArc(raw: raw ^ 1) }
}

/// A road between two junctions, as it stands in the file.
struct RoadEdge: Sendable {
    var number: UInt32
    var from: UInt32
    var to: UInt32
    var lengthMetres: Double
    var use: UInt8
    var way: UInt32
    /// The directions of its first and its last line, 256 to a turn.
    var firstDirection: UInt8
    var lastDirection: UInt8

    @inline(__always)
    func isOpen(for mode: TravelMode, isReversed: Bool) -> Bool {
        use & (isReversed ? mode.forwardBit << 1 : mode.forwardBit) != 0
    }

    @inline(__always) func end(isReversed: Bool) -> UInt32 { isReversed ? from : to }
    @inline(__always) func start(isReversed: Bool) -> UInt32 { isReversed ? to : from }
    @inline(__always) func firstDirection(isReversed: Bool) -> UInt8 { isReversed ? lastDirection &+ 128 : firstDirection }
    @inline(__always) func lastDirection(isReversed: Bool) -> UInt8 { isReversed ? firstDirection &+ 128 : lastDirection }
    @inline(__always) var isLimited: Bool { use & RoadFileLayout.limitedBit != 0 }
    @inline(__always) var hasForbiddenTurn: Bool { use & RoadFileLayout.turnBit != 0 }
}
