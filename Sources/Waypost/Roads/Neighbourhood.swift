/// The roads around a place, drawn in the plane: what a fix is compared with.
///
/// It is made anew when the place has left its middle, and not for every fix.
struct Neighbourhood {
    /// An edge, and where its points stand.
    struct Line {
        var number: UInt32
        var edge: RoadEdge
        var wayNumber: Int64
        var roadClass: RoadClass
        var points: Range<Int>

        /// Its length in the plane, to which places on it are measured.
        var lengthMetres: Double
    }

    private struct Box {
        var west, south, east, north: Double
    }

    /// A place on an edge.
    struct Spot {
        var line: Int
        /// From the edge's own start.
        var alongMetres: Double
        var point: PlanePoint
        /// The direction of the edge there, the sine and cosine from north.
        var east, north: Double
        /// How far from the place it is.
        var distanceMetres: Double
    }

    private(set) var plane = RoadPlane(around: RoadPlace(latitude: 0, longitude: 0))
    private(set) var lines: [Line] = []
    /// The boxes around them: apart, because every fix looks at all of these and at few lines.
    private var boxes: [Box] = []
    private var points: [PlanePoint] = []
    /// The distance of each point from the start of its edge.
    private var along: [Double] = []
    private var halfMetres = -1.0
    private var places: [RoadPlace] = []
    private var numbers: [UInt32] = []

    /// How far beyond what is asked for it reaches, so that it lasts for some fixes.
    private static let marginMetres = 150.0

    /// Makes sure that it has all roads within that distance of a place.
    mutating func cover(_ coordinate: Coordinate, radiusMetres: Double, _ roads: Roads, mode: TravelMode) {
        let point = plane.point(coordinate)
        if abs(point.eastMetres) + radiusMetres <= halfMetres, abs(point.northMetres) + radiusMetres <= halfMetres { return }
        fill(around: coordinate, halfMetres: radiusMetres + Neighbourhood.marginMetres, roads, mode)
    }

    private mutating func fill(around coordinate: Coordinate, halfMetres: Double, _ roads: Roads, _ mode: TravelMode) {
        let centre = RoadPlace(coordinate)
        plane = RoadPlane(around: centre)
        self.halfMetres = halfMetres
        lines.removeAll(keepingCapacity: true)
        boxes.removeAll(keepingCapacity: true)
        points.removeAll(keepingCapacity: true)
        along.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        guard let box = cells(centre, halfMetres, roads.grid) else { return }
        for row in box.rows {
            for column in box.columns { roads.appendEdges(ofCell: row * roads.grid.columns + column, to: &numbers) }
        }
        numbers.sort()
        var last: UInt32?
        for number in numbers where number != last {
            last = number
            let edge = roads.edge(number)
            if edge.isOpen(for: mode, isReversed: false) || edge.isOpen(for: mode, isReversed: true) { append(number, edge, roads) }
        }
    }

    /// The cells of a square; nil when it lies outside of the grid.
    private func cells(
        _ centre: RoadPlace, _ halfMetres: Double, _ grid: RoadGrid
    ) -> (
        rows: ClosedRange<Int>, columns: ClosedRange<Int>
    )? {
        let north = Int64(halfMetres / plane.metresPerLatitude)
        let east = Int64(min(halfMetres / max(plane.metresPerLongitude, 1e-9), 180 * RoadPlace.unitsPerDegree))
        let (south, west) = (Int64(centre.latitude) - north, Int64(centre.longitude) - east)
        let (top, right) = (Int64(centre.latitude) + north, Int64(centre.longitude) + east)
        guard top >= Int64(grid.south), right >= Int64(grid.west), south <= Int64(grid.south) + Int64(grid.rows) * Int64(grid.height),
            west <= Int64(grid.west) + Int64(grid.columns) * Int64(grid.width)
        else { return nil }
        return (grid.row(south)...grid.row(top), grid.column(west)...grid.column(right))
    }

    private mutating func append(_ number: UInt32, _ edge: RoadEdge, _ roads: Roads) {
        places.removeAll(keepingCapacity: true)
        roads.appendPlaces(of: edge, to: &places)
        let first = points.count
        var (west, south, east, north) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        var metres = 0.0
        for place in places {
            let point = plane.point(place)
            if points.count > first {
                let last = points[points.count - 1]
                let (dx, dy) = (point.eastMetres - last.eastMetres, point.northMetres - last.northMetres)
                metres += (dx * dx + dy * dy).squareRoot()
            }
            points.append(point)
            along.append(metres)
            (west, south) = (min(west, point.eastMetres), min(south, point.northMetres))
            (east, north) = (max(east, point.eastMetres), max(north, point.northMetres))
        }
        // Of what the cells have, some lies outside of the square.
        guard west <= halfMetres, south <= halfMetres, east >= -halfMetres, north >= -halfMetres else {
            points.removeLast(points.count - first)
            along.removeLast(along.count - first)
            return
        }
        lines.append(
            Line(
                number: number, edge: edge, wayNumber: roads.wayNumber(ofEdge: edge), roadClass: roads.kind(ofEdge: edge).roadClass,
                points: first..<points.count, lengthMetres: metres))
        boxes.append(Box(west: west, south: south, east: east, north: north))
    }

    /// The nearest spot of every line within that distance, in no order.
    func spots(near point: PlanePoint, radiusMetres: Double, into spots: inout [Spot]) {
        spots.removeAll(keepingCapacity: true)
        let bound = radiusMetres * radiusMetres
        let (west, east) = (point.eastMetres - radiusMetres, point.eastMetres + radiusMetres)
        let (south, north) = (point.northMetres - radiusMetres, point.northMetres + radiusMetres)
        for number in boxes.indices {
            let box = boxes[number]
            if box.west > east || box.east < west || box.south > north || box.north < south { continue }
            var best = bound
            var spot: Spot?
            let linePoints = lines[number].points
            for index in linePoints.lowerBound..<linePoints.upperBound - 1 {
                let (start, end) = (points[index], points[index + 1])
                let part = RoadShape.nearestPart(to: point, from: start, end)
                let place = PlanePoint(
                    eastMetres: start.eastMetres + part * (end.eastMetres - start.eastMetres),
                    northMetres: start.northMetres + part * (end.northMetres - start.northMetres))
                let (dx, dy) = (place.eastMetres - point.eastMetres, place.northMetres - point.northMetres)
                let square = dx * dx + dy * dy
                if square < best {
                    best = square
                    let length = along[index + 1] - along[index]
                    let scale = length > 0 ? 1 / length : 0
                    spot = Spot(
                        line: number, alongMetres: along[index] + part * length, point: place,
                        east: (end.eastMetres - start.eastMetres) * scale, north: (end.northMetres - start.northMetres) * scale,
                        distanceMetres: square)
                }
            }
            if var spot {
                spot.distanceMetres = best.squareRoot()
                spots.append(spot)
            }
        }
    }

    /// The point of a line at a distance from its own start, and the direction there, as the sine and cosine from north.
    func place(onLine number: Int, alongMetres: Double) -> (point: PlanePoint, east: Double, north: Double) {
        let line = lines[number]
        var low = line.points.lowerBound
        var high = line.points.upperBound - 2
        while low < high {
            let middle = (low + high + 1) / 2
            if along[middle] <= alongMetres { low = middle } else { high = middle - 1 }
        }
        let (start, end) = (points[low], points[low + 1])
        let length = along[low + 1] - along[low]
        guard length > 0 else { return (start, 0, 1) }
        let part = min(max((alongMetres - along[low]) / length, 0), 1)
        let (dx, dy) = (end.eastMetres - start.eastMetres, end.northMetres - start.northMetres)
        return (
            PlanePoint(eastMetres: start.eastMetres + part * dx, northMetres: start.northMetres + part * dy), dx / length, dy / length
        )
    }
}
