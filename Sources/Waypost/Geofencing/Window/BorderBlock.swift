/// Eight boxes by their sides, 16 bits each; a place without a box touches nothing.
struct BorderBlock: Sendable {
    var west = SIMD8<Int16>(repeating: .max)
    var south = SIMD8<Int16>(repeating: .max)
    var east = SIMD8<Int16>(repeating: .min)
    var north = SIMD8<Int16>(repeating: .min)

    /// Where there is a box that touches no side of another one's, 16 bits a lane: zeros for a touch.
    @inline(__always)
    func misses(_ other: BorderBlock) -> SIMD2<UInt64> {
        let isOff = (west .> other.east) .| (south .> other.north) .| (other.west .> east) .| (other.south .> north)
        return unsafeBitCast(isOff, to: SIMD2<UInt64>.self)
    }

    /// A bit for each box that touches, the first one's the lowest, and their number; of what ``misses(_:)`` says.
    @inline(__always)
    static func lanes(_ off: SIMD2<UInt64>) -> (lanes: UInt32, count: Int) {
        // Each lane its own bit and one of the ninth; the product adds the four lanes in its uppermost 16 bits.
        let bits = (~off.x & 0x0108_0104_0102_0101) &+ (~off.y & 0x0180_0140_0120_0110)
        let sum = (bits &* 0x0001_0001_0001_0001) &>> 48
        return (UInt32(sum & 0xFF), Int(sum &>> 8))
    }

    /// Eight times the same box.
    @inline(__always)
    init(west: Int16, south: Int16, east: Int16, north: Int16) {
        (self.west, self.south) = (SIMD8(repeating: west), SIMD8(repeating: south))
        (self.east, self.north) = (SIMD8(repeating: east), SIMD8(repeating: north))
    }

    /// Eight places without a box.
    init() {}

    /// Number by number: of single lanes of vectors the compiler makes detours through memory.
    @inline(__always)
    static func store(
        _ west: Int16, _ south: Int16, _ east: Int16, _ north: Int16, in blocks: UnsafeMutableRawPointer, at place: Int
    ) {
        let block = blocks + (place &>> 3) &* MemoryLayout<BorderBlock>.stride
        if place & 7 == 0 { block.storeBytes(of: BorderBlock(), as: BorderBlock.self) }
        let lane = block + (place & 7) &* 2
        lane.storeBytes(of: west, as: Int16.self)
        lane.storeBytes(of: south, toByteOffset: 16, as: Int16.self)
        lane.storeBytes(of: east, toByteOffset: 32, as: Int16.self)
        lane.storeBytes(of: north, toByteOffset: 48, as: Int16.self)
    }
}
