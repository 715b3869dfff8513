/// A box of latitudes and longitudes in whole ``BinaryAngle``s, rounded outward; the antimeridian is no special place to it.
struct AngleBox: Sendable {
    var west: Int32
    var south: Int32
    /// Up to half a turn; all the way round counts as that.
    var width: Int32
    var height: Int32

    init(west: Int32, south: Int32, width: Int32, height: Int32) {
        (self.west, self.south, self.width, self.height) = (west, south, width, height)
    }

    /// Between those sides, degrees; `east` is not less than `west`.
    init(west: Double, south: Double, east: Double, north: Double) {
        self.west = BinaryAngle.floor(west)
        self.south = AngleBox.row(BinaryAngle.floor(south))
        // A unit for roundings of the difference.
        width = east - west < 179 ? BinaryAngle.ceiling(east) &- self.west : .max
        height = AngleBox.row(BinaryAngle.ceiling(north)) - self.south
    }

    /// A row without the last unit before the poles, so that a height of half a turn fits: no window comes so near to them.
    private static func row(_ row: Int32) -> Int32 { min(max(row, 1 - 1 << 30), 1 << 30 - 1) }

    /// The least box that holds both, nil when that would be wider than half a turn.
    func union(_ other: AngleBox) -> AngleBox? {
        let (off, up) = (Int64(other.west &- west), Int64(other.south) - Int64(south))
        let (start, bottom) = (min(off, 0), min(up, 0))
        let end = max(Int64(width), off + Int64(other.width))
        guard end - start < Int64(Int32.max) else { return nil }
        return AngleBox(
            west: west &+ Int32(start), south: Int32(Int64(south) + bottom), width: Int32(end - start),
            height: Int32(max(Int64(height), up + Int64(other.height)) - bottom))
    }

    /// The middle.
    var middle: (column: Int32, row: Int32) { (west &+ width / 2, south &+ height / 2) }

    /// The place of its middle on the curve of Morton: the bits of column and row in turn.
    var curve: UInt64 {
        func spread(_ value: Int32) -> UInt64 {
            var bits = UInt64(UInt32(bitPattern: value) ^ 0x8000_0000)
            bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
            bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
            bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
            bits = (bits | bits << 2) & 0x3333_3333_3333_3333
            bits = (bits | bits << 1) & 0x5555_5555_5555_5555
            return bits
        }
        return spread(middle.column) | spread(middle.row) << 1
    }

    /// The box as seen from a place, in units that leave out some bits; nil when it lies on the other half of the globe.
    @inline(__always)
    func block(column: Int32, row: Int32, shift: Int32) -> BorderBlock? {
        let (left, bottom) = (west &- column, south &- row)
        let (right, top) = (left &+ width, bottom &+ height)
        guard left <= right, bottom <= top else { return nil }
        return BorderBlock(
            west: AngleBox.unit(Int(left), shift), south: AngleBox.unit(Int(bottom), shift), east: AngleBox.unit(Int(right), shift),
            north: AngleBox.unit(Int(top), shift))
    }

    /// Whether two boxes share a latitude.
    @inline(__always)
    func sharesLatitudes(with other: AngleBox) -> Bool { south <= other.south &+ other.height && other.south <= south &+ height }

    /// A side in units that leave out some bits, rounded down, and cut to 16 bits; the outermost numbers are those of places without a box.
    @inline(__always)
    static func unit(_ side: Int, _ shift: Int32) -> Int16 {
        Int16(truncatingIfNeeded: min(max(side &>> Int(shift), -32_767), 32_766))
    }
}
