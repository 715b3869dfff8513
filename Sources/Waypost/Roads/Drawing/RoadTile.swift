import func Glibc.atan
import func Glibc.cos
import func Glibc.log
import func Glibc.sinh
import func Glibc.tan

/// A square of the Earth as web maps cut it: at zoom 0 one has all of it, at each further zoom four times as many have a quarter.
///
/// - Source: the numbering of OpenStreetMap's tiles, in the projection of EPSG:3857 (spherical Mercator).
package struct RoadTile: Sendable, Hashable {
    /// How often the Earth was halved: 9 to 14, about 50 km to 1.6 km on a side in the middle of Europe.
    package let zoom: Int
    /// Its column from the antimeridian to the east, and its row from the north.
    package let column, row: Int

    /// The zooms of which there are tiles: beyond the last one that one is drawn larger, before the first one a tile would have too many roads.
    package static let zooms = 9...14
    /// The numbers that a side is divided into.
    package static let extent = 8_192
    /// What is smaller than that many of them is left out, but for the last zoom: half a pixel, as a tile is drawn on 512.
    static let detail = 8

    /// A tile; nil when there is none of these numbers.
    ///
    /// - Parameters:
    ///   - zoom: how often the Earth was halved.
    ///   - column: counted from the antimeridian to the east.
    ///   - row: counted from the north.
    package init?(zoom: Int, column: Int, row: Int) {
        guard RoadTile.zooms.contains(zoom), (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row) else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// The box of the tile.
    var box: (south: RoadPlace, north: RoadPlace) {
        let size = Double(1 << zoom)
        func latitude(_ row: Int) -> Double { atan(sinh(.pi * (1 - 2 * Double(row) / size))) * 180 / .pi }
        func place(_ row: Int, _ column: Int) -> RoadPlace {
            RoadPlace(
                Coordinate(cuttingLatitudeDegrees: latitude(row), wrappingLongitudeDegrees: Double(column) / size * 360 - 180))
        }
        var (south, north) = (place(row + 1, column), place(row, column + 1))
        // The eastern side of the last column is not the western side of the first one.
        if column + 1 == 1 << zoom { north.longitude = 1_800_000_000 }
        if column == 0 { south.longitude = -1_800_000_000 }
        return (south, north)
    }

    /// The numbers of a place, from the north-western corner to the east and to the south; what lies outside has others than 0 to ``extent``.
    @inline(__always)
    func point(_ place: RoadPlace) -> (x: Int, y: Int) {
        let size = Double(1 << zoom)
        let latitude = Double(place.latitude) / RoadPlace.unitsPerDegree * .pi / 180
        let x = (Double(place.longitude) / RoadPlace.unitsPerDegree + 180) / 360 * size - Double(column)
        // A pole is infinitely far.
        let y = (1 - log(max(tan(latitude) + 1 / max(cos(latitude), 1e-9), 1e-9)) / .pi) / 2 * size - Double(row)
        func number(_ part: Double) -> Int { Int((min(max(part, -1_000), 1_000) * Double(RoadTile.extent)).rounded()) }
        return (number(x), number(y))
    }
}
