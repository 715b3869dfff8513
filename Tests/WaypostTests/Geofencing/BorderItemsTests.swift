import Testing
import WaypostTestKit

@testable import Waypost

/// Boxes of latitudes and longitudes are found wherever they lie, the antimeridian and all round the globe included.
struct BorderItemsTests {
    private typealias Degrees = (west: Double, south: Double, east: Double, north: Double)

    /// Some in towns, some anywhere; many at the antimeridian.
    private static func boxes(_ count: Int, _ random: inout SeededGenerator) -> [Degrees] {
        (0..<count).map { place in
            let size = place % 7 == 0 ? Double.random(in: 0...80, using: &random) : Double.random(in: 0...0.01, using: &random)
            let west: Double
            switch place % 3 {
            case 0: west = 180 + Double.random(in: -0.05...0.05, using: &random)
            case 1: west = 8.5 + Double.random(in: -0.05...0.05, using: &random)
            default: west = Double.random(in: -180...180, using: &random)
            }
            let latitudes = place % 3 == 2 ? -90...89.9 : 47...47.1
            let south = Double.random(in: latitudes, using: &random)
            return (west, south, west + size, min(south + size / 2, 90))
        }
    }

    /// The longitudes in common, whole turns left out.
    private static func touches(_ a: Degrees, _ b: Degrees, by margin: Double) -> Bool {
        let isBeside = [-720.0, -360, 0, 360, 720].allSatisfy { a.west + $0 > b.east + margin || b.west > a.east + $0 + margin }
        return !isBeside && a.south <= b.north + margin && b.south <= a.north + margin
    }

    private static func items(_ boxes: [Degrees]) -> BorderItems<Int> {
        BorderItems(
            Array(boxes.indices), boxes.map { AngleBox(west: $0.west, south: $0.south, east: $0.east, north: $0.north) })
    }

    /// Nothing is missed, and what is too much is so by less than the units of 16 bits.
    @Test(arguments: [0, 1, 31, 32, 33, 1_000, 5_000])
    func findsEveryBoxThatTouches(count: Int) {
        var random = SeededGenerator(seed: UInt64(count + 1))
        let boxes = Self.boxes(count, &random)
        let items = Self.items(boxes)
        #expect(items.wide.isEmpty)
        var places: [BorderNode.Found] = []
        for round in 0..<200 {
            let middle = round % 2 == 0 ? 180.0 : Double.random(in: -180...180, using: &random)
            let south = round % 4 < 2 ? 47.05 : Double.random(in: -90...89, using: &random)
            let half = [0.0001, 0.01, 1, 40][round % 4]
            let query = (west: middle - half, south: south, east: middle + half, north: min(south + half, 90))
            places.removeAll()
            let told = items.tree.find(
                touching: AngleBox(west: query.west, south: query.south, east: query.east, north: query.north), into: &places)
            var found: Set<Int> = []
            items.forEach(in: places) { item, _, _, _ in #expect(found.insert(item.pointee).inserted) }
            #expect(found.count == told)
            for place in boxes.indices {
                if Self.touches(boxes[place], query, by: 0) { #expect(found.contains(place)) }
                // Of a node half round the globe a unit is 0.0055 degrees, and both are rounded.
                if !Self.touches(boxes[place], query, by: 0.02) { #expect(!found.contains(place)) }
            }
        }
    }

    /// More than a quarter of a turn has no place in a tree.
    @Test func keepsWideBoxesApart() {
        let items = Self.items([(-180, 80, 180, 90), (0, 80, 100, 81), (1, 80, 2, 81)])
        #expect(items.wide.map(\.item) == [0, 1])
        var places: [BorderNode.Found] = []
        #expect(items.tree.find(touching: AngleBox(west: 1, south: 80, east: 2, north: 81), into: &places) == 1)
        items.forEach(in: places) { item, _, _, _ in #expect(item.pointee == 2) }
    }

    /// Bits and their number, of all of eight lanes.
    @Test(arguments: [0, 1, 0x80, 0x18, 0xA5, 0xFF])
    func countsTheLanesThatTouch(lanes: UInt32) {
        var off = SIMD8<Int16>(repeating: -1)
        for lane in 0..<8 where lanes >> lane & 1 == 1 { off[lane] = 0 }
        let told = BorderBlock.lanes(unsafeBitCast(off, to: SIMD2<UInt64>.self))
        #expect(told == (lanes, lanes.nonzeroBitCount))
    }

    @Test func unitesBoxesOverTheAntimeridian() {
        let (a, b) = (AngleBox(west: 179, south: 1, east: 179.5, north: 2), AngleBox(west: -179.5, south: 0, east: -179, north: 1.5))
        guard let union = a.union(b), let other = b.union(a) else { return #expect(Bool(false), "no union") }
        #expect(abs(Double(union.width) / BinaryAngle.unitsPerDegree - 2) < 1e-6)
        #expect(abs(Double(union.height) / BinaryAngle.unitsPerDegree - 2) < 1e-6)
        #expect((union.west, union.south, union.width, union.height) == (other.west, other.south, other.width, other.height))
        #expect(a.union(AngleBox(west: -1.5, south: 0, east: -0.5, north: 1)) == nil)
    }

    /// The nearest whole numbers, of both signs and at the ends of what fits.
    @Test func roundsToTheNearestWholeNumber() {
        for (number, whole) in [(0.0, 0), (-0.4, 0), (0.6, 1), (-32_767.5001, -32_768), (3.6e9, 3_600_000_000), (-0x1p50, -1 << 50)] {
            #expect(number.nearestWhole == Int64(whole))
        }
    }
}
