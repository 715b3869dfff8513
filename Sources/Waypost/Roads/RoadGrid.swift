/// The cells over the area of a road file, which lead from a place to the edges near it.
struct RoadGrid: Sendable, Equatable {
    /// The south-western corner, 1e-7 degrees.
    var south, west: Int32
    /// How many cells there are, from south to north and from west to east.
    var rows, columns: Int
    /// The size of a cell, 1e-7 degrees, at least 1.
    var height, width: UInt32

    var cellCount: Int { rows * columns }

    /// A search near a place looks into one to four cells of this size.
    static let cellMetres = 384.0

    /// The grid over the box of those places; larger cells where there would be too many.
    init(south: Int32, west: Int32, north: Int32, east: Int32) {
        self.south = south
        self.west = west
        let middle = RoadPlace(latitude: south / 2 + north / 2, longitude: west)
        let plane = RoadPlane(around: middle)
        var metres = RoadGrid.cellMetres
        (height, width, rows, columns) = (1, 1, 1, 1)
        repeat {
            height = UInt32(metres / plane.metresPerLatitude)
            // Near a pole a degree of longitude is short: a cell has at most a tenth of a turn.
            width = UInt32(min(metres / max(plane.metresPerLongitude, 1e-12), 36 * RoadPlace.unitsPerDegree))
            rows = Int((Int64(north) - Int64(south)) / Int64(height)) + 1
            columns = Int((Int64(east) - Int64(west)) / Int64(width)) + 1
            metres *= 2
        } while rows * columns > RoadFileLayout.greatestCellCount
    }

    /// The grid of a file.
    init(south: Int32, west: Int32, rows: Int, columns: Int, height: UInt32, width: UInt32) {
        self.south = south
        self.west = west
        self.rows = rows
        self.columns = columns
        self.height = height
        self.width = width
    }

    /// The row of a latitude, and the column of a longitude, cut to the grid.
    func row(_ latitude: Int64) -> Int { min(max(Int((latitude - Int64(south)) / Int64(height)), 0), rows - 1) }
    func column(_ longitude: Int64) -> Int { min(max(Int((longitude - Int64(west)) / Int64(width)), 0), columns - 1) }

    /// The cell of a place, cut to the grid.
    func cell(_ place: RoadPlace) -> Int { row(Int64(place.latitude)) * columns + column(Int64(place.longitude)) }
}
