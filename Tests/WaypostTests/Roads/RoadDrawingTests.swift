import Testing

@testable import Waypost

@Suite struct RoadDrawingTests {
    /// Around 49.4 N 8.7 E: column and row of the tile of a place, by OpenStreetMap's formula in another language.
    private static let last = RoadTile(zoom: 14, column: 8_587, row: 5_598)

    private static func map() -> DrawnMap {
        var map = DrawnMap()
        map.road(1, [(-900, 0), (-300, 0), (300, 4)], ["highway": "primary"])
        map.road(2, [(-300, 0), (-300, 200), (-250, 300)], ["highway": "residential"])
        map.road(3, [(-250, 300), (-200, 350)], ["highway": "service"])
        map.road(4, [(-200, 350), (-200, 380)], ["highway": "footway"])
        return map
    }

    @Test func cutsTheEarthAsWebMapsDo() throws {
        let places = [
            (14, 8_587, 5_598, 49.4, 8.69, 4_026.8, 6_287.2), (14, 8_588, 5_598, 49.41, 8.706, 1_800.1, 557.7),
            (12, 2_146, 1_399, 49.4, 8.69, 7_150.7, 5_667.8), (9, 268, 174, 49.4, 8.706, 3_128.3, 7_876.5),
        ]
        for (zoom, column, row, latitude, longitude, x, y) in places {
            let tile = try #require(RoadTile(zoom: zoom, column: column, row: row))
            let place = RoadPlace(Coordinate(cuttingLatitudeDegrees: latitude, wrappingLongitudeDegrees: longitude))
            let point = tile.point(place)
            #expect(abs(Double(point.x) - x) <= 1 && abs(Double(point.y) - y) <= 1, "\(point)")
            let (south, north) = tile.box
            #expect(south.latitude <= place.latitude && place.latitude <= north.latitude)
            #expect(south.longitude <= place.longitude && place.longitude <= north.longitude)
        }
        #expect(RoadTile(zoom: 8, column: 1, row: 1) == nil && RoadTile(zoom: 15, column: 1, row: 1) == nil)
        #expect(RoadTile(zoom: 9, column: 512, row: 1) == nil && RoadTile(zoom: 9, column: 1, row: -1) == nil)
    }

    @Test func drawsTheRoadsWhereTheyAre() throws {
        let tile = try #require(Self.last)
        let drawing = try Self.map().roads().drawing(of: tile)
        #expect(drawing.lines.map(\.count) == [0, 2, 1, 1, 1, 0] && drawing.leftOutCount == 0)
        let street = try #require(drawing.lines[RoadDrawing.Rank.street.rawValue].first)
        #expect(street.wayNumber == 2)
        // A tile's side is 40 075 016.7 m / 2^14 on the equator, and the cosine of the latitude of that here.
        let unit = 40_075_016.686 / 16_384 * 0.650_774 / 8_192
        let start = tile.point(RoadPlace(DrawnMap.place(-300, 0)))
        for ((x, y), (east, north)) in zip(street.points, [(0.0, 0.0), (0, 200), (50, 300)]) {
            #expect(abs(Double(x - start.x) * unit - east) < 1 && abs(Double(start.y - y) * unit - north) < 1)
        }
    }

    @Test func drawsLessTheMoreIsSeen() throws {
        let roads = try Self.map().roads()
        func ways(_ zoom: Int) throws -> Set<Int64> {
            let tile = try #require(RoadTile(zoom: zoom, column: 8_587 >> (14 - zoom), row: 5_598 >> (14 - zoom)))
            return Set(roads.drawing(of: tile).lines.joined().map(\.wayNumber))
        }
        #expect(try ways(9) == [1] && ways(11) == [1])
        #expect(try ways(12) == [1, 2])
        #expect(try ways(13) == [1, 2, 3])
        #expect(try ways(14) == [1, 2, 3, 4])
    }

    /// A road that crosses an edge is in both tiles, and in no other one.
    @Test func drawsARoadInEveryTileThatItCrosses() throws {
        var map = DrawnMap()
        map.road(1, [(-900, 0), (900, 0)], ["highway": "primary"])
        let roads = try map.roads()
        var columns: [Int] = []
        for column in 8_580...8_600 {
            let tile = try #require(RoadTile(zoom: 14, column: column, row: 5_598))
            if !roads.drawing(of: tile).lines.joined().isEmpty { columns.append(column) }
        }
        // From 8.6876 to 8.7124 degrees, where a tile has 0.02197.
        #expect(columns == [8_587, 8_588])
        let far = try #require(RoadTile(zoom: 14, column: 0, row: 0))
        #expect(roads.drawing(of: far) == RoadDrawing())
    }

    @Test func leavesOutTheLeastImportantOfTooMany() throws {
        var map = DrawnMap()
        for number in 0..<300 {
            let east = -700.0 + Double(number)
            let points: [(Double, Double)] = (0..<100).map { place in
                let side: Double = place.isMultiple(of: 2) ? 0 : 0.9
                return (east + side, Double(place) * 6)
            }
            map.road(Int64(number + 10), points, ["highway": "footway"])
        }
        map.road(1, [(-700, -20), (-100, -20)], ["highway": "tertiary"])
        let drawing = try map.roads().drawing(of: try #require(Self.last))
        #expect(drawing.lines[RoadDrawing.Rank.street.rawValue].map(\.wayNumber) == [1])
        let points = drawing.lines.joined().reduce(0) { $0 + $1.points.count }
        #expect(points <= RoadDrawing.greatestPointCount + 100)
        #expect(drawing.leftOutCount > 50 && drawing.lines.joined().count + drawing.leftOutCount == 301)
    }
}
