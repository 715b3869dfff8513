/// The lines of the roads in a tile, for a map.
package struct RoadDrawing: Sendable, Equatable {
    /// A line, in the numbers of ``RoadTile/extent``: `x` to the east and `y` to the south, from the north-western corner.
    package struct Line: Sendable, Equatable {
        /// The number of the way in the map.
        package var wayNumber: Int64
        /// Its points.
        package var points: [(x: Int, y: Int)]

        /// Whether both have the same way and points.
        package static func == (first: Line, second: Line) -> Bool {
            first.wayNumber == second.wayNumber && first.points.elementsEqual(second.points, by: ==)
        }
    }

    /// What is drawn alike, the most important first.
    package enum Rank: Int, Sendable, CaseIterable {
        /// Motorways and trunk roads.
        case motorway
        /// Primary and secondary roads.
        case main
        /// Roads between villages and in towns.
        case street
        /// Where one drives slowly, or walks.
        case lane
        /// Where nobody drives.
        case path
        /// Over water.
        case ferry
    }

    /// The lines of each rank, by ``Rank/rawValue``.
    package internal(set) var lines: [[Line]] = Rank.allCases.map { _ in [] }
    /// How many pieces of road were left out, the least important ones, because there would be too many points.
    package internal(set) var leftOutCount = 0

    /// So many points are in a drawing at most: about 200 kB of text.
    package static let greatestPointCount = 24_000
    /// So many pieces of road are looked at, for a tile with more: some tens of milliseconds on a small board.
    package static let greatestEdgeCount = 300_000
}

extension RoadClass {
    /// With what it is drawn, and the first zoom of tiles that has it.
    var drawing: (rank: RoadDrawing.Rank, firstZoom: Int) {
        switch self {
        case .motorway, .trunk: (.motorway, 9)
        case .primary: (.main, 9)
        case .secondary: (.main, 10)
        case .tertiary: (.street, 11)
        case .unclassified, .residential, .road: (.street, 12)
        case .livingStreet: (.lane, 12)
        case .service, .pedestrian, .track: (.lane, 13)
        case .cycleway, .footway, .path, .steps, .bridleway: (.path, 14)
        case .ferry: (.ferry, 11)
        }
    }
}

extension Roads {
    /// The roads of a tile, with the less detail the more of the Earth it has.
    ///
    /// - Parameter tile: the tile.
    /// - Cost: a tenth of a microsecond for each piece of road in the tile, of whatever class, and a microsecond for each that is drawn; memory
    ///   for what is drawn, at most ``RoadDrawing/greatestPointCount``.
    package func drawing(of tile: RoadTile) -> RoadDrawing {
        var drawing = RoadDrawing()
        let (south, north) = tile.box
        guard let (rows, columns) = grid.cells(from: south, to: north) else { return drawing }
        var numbers: [UInt32] = []
        for row in rows {
            for column in columns where numbers.count < RoadDrawing.greatestEdgeCount {
                appendEdges(ofCell: row * grid.columns + column, to: &numbers)
            }
        }
        numbers.sort()
        var chosen: [[UInt32]] = RoadDrawing.Rank.allCases.map { _ in [] }
        var last: UInt32?
        for number in numbers where number != last {
            last = number
            let (rank, firstZoom) = kind(ofEdge: edge(number)).roadClass.drawing
            if tile.zoom >= firstZoom { chosen[rank.rawValue].append(number) }
        }
        var pointCount = 0
        var places: [RoadPlace] = []
        for rank in chosen.indices {
            for number in chosen[rank] {
                guard pointCount < RoadDrawing.greatestPointCount else {
                    drawing.leftOutCount += 1
                    continue
                }
                places.removeAll(keepingCapacity: true)
                let edge = edge(number)
                appendPlaces(of: edge, to: &places)
                guard let points = RoadDrawing.points(of: places, in: tile) else { continue }
                pointCount += points.count
                drawing.lines[rank].append(RoadDrawing.Line(wayNumber: wayNumber(ofEdge: edge), points: points))
            }
        }
        return drawing
    }
}

extension RoadDrawing {
    /// The points of a line in a tile, without what is too small to be seen; nil when it lies outside.
    fileprivate static func points(of places: [RoadPlace], in tile: RoadTile) -> [(x: Int, y: Int)]? {
        let detail = tile.zoom == RoadTile.zooms.upperBound ? 1 : RoadTile.detail
        var points: [(x: Int, y: Int)] = []
        points.reserveCapacity(places.count)
        var (west, north, east, south) = (Int.max, Int.max, Int.min, Int.min)
        for (index, place) in places.enumerated() {
            let point = tile.point(place)
            (west, east) = (min(west, point.x), max(east, point.x))
            (north, south) = (min(north, point.y), max(south, point.y))
            if let last = points.last, abs(point.x - last.x) < detail, abs(point.y - last.y) < detail {
                // The end stays where it is: the next road begins there.
                if index == places.count - 1, points.count > 1 { points[points.count - 1] = point }
                continue
            }
            points.append(point)
        }
        // Lines are a few pixels wide: those beside the tile reach into it.
        let margin = RoadTile.extent / 64
        let inside = -margin...RoadTile.extent + margin
        guard points.count > 1, west <= inside.upperBound, east >= inside.lowerBound, north <= inside.upperBound, south >= inside.lowerBound
        else { return nil }
        return points
    }
}

extension RoadGrid {
    /// The cells between two corners; nil when that lies outside of the grid.
    fileprivate func cells(from corner: RoadPlace, to opposite: RoadPlace) -> (rows: ClosedRange<Int>, columns: ClosedRange<Int>)? {
        let (low, left) = (Int64(corner.latitude), Int64(corner.longitude))
        let (high, right) = (Int64(opposite.latitude), Int64(opposite.longitude))
        guard high >= Int64(south), right >= Int64(west), low <= Int64(south) + Int64(rows) * Int64(height),
            left <= Int64(west) + Int64(columns) * Int64(width), low <= high, left <= right
        else { return nil }
        return (row(low)...row(high), column(left)...column(right))
    }
}
