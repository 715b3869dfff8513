/// Lines in the plane of roads.
enum RoadShape {
    /// The part of the line from one point to another, 0...1, that is nearest to a third.
    @inline(__always)
    static func nearestPart(to point: PlanePoint, from start: PlanePoint, _ end: PlanePoint) -> Double {
        let east = end.eastMetres - start.eastMetres
        let north = end.northMetres - start.northMetres
        let square = east * east + north * north
        guard square > 0 else { return 0 }
        let along = (point.eastMetres - start.eastMetres) * east + (point.northMetres - start.northMetres) * north
        return min(max(along / square, 0), 1)
    }

    /// The distance of a point from a line between two others.
    @inline(__always)
    static func metres(from point: PlanePoint, toLine start: PlanePoint, _ end: PlanePoint) -> Double {
        let part = nearestPart(to: point, from: start, end)
        let east = start.eastMetres + part * (end.eastMetres - start.eastMetres) - point.eastMetres
        let north = start.northMetres + part * (end.northMetres - start.northMetres) - point.northMetres
        return (east * east + north * north).squareRoot()
    }
}
