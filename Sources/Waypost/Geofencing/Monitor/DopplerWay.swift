/// The path travelled according to Doppler: where the object was at each of the last seconds.
struct DopplerWay: Sendable, Hashable {
    /// How far back the path reaches, in seconds and in points.
    static let seconds = 16.0
    static let most = 16

    struct Point: Sendable, Hashable {
        var seconds: Double
        var east: Double
        var north: Double
    }

    var east = 0.0
    var north = 0.0
    var points: [Point] = []

    mutating func add(_ moved: PlanePoint, seconds: Double) {
        east += moved.eastMetres
        north += moved.northMetres
        if let last = points.last, seconds - last.seconds < 1 { return }
        if points.count == DopplerWay.most { points.removeFirst() }
        points.append(Point(seconds: seconds, east: east, north: north))
    }

    /// Calls the body with each displacement from now back to then, newest first, until it returns true; returns whether it did.
    func contains(where body: (PlanePoint) -> Bool) -> Bool {
        guard let now = points.last else { return false }
        // The last point at another place counts however old it is: fixes may be far apart.
        var hasOne = false
        for point in points.reversed() where !hasOne || now.seconds - point.seconds <= DopplerWay.seconds {
            let back = PlanePoint(eastMetres: point.east - east, northMetres: point.north - north)
            guard back.distanceMetres > 0 else { continue }
            hasOne = true
            if body(back) { return true }
        }
        return false
    }
}
