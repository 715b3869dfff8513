/// A line that is straight in longitude and latitude: an edge of a fence, or the path between two fixes.
struct LonLatEdge {
    var ax: Double
    var ay: Double
    var bx: Double
    var by: Double

    /// Creates an edge from its ends, in degrees.
    init(ax: Double, ay: Double, bx: Double, by: Double) {
        self.ax = ax
        self.ay = ay
        self.bx = bx
        self.by = by
    }

    /// Creates the short way round the globe between two places.
    init(from start: Coordinate, to end: Coordinate) {
        let turn = end.longitudeDegrees - start.longitudeDegrees
        ax = start.longitudeDegrees
        ay = start.latitudeDegrees
        bx = start.longitudeDegrees + turn.wrappedDegrees
        by = end.latitudeDegrees
    }

    /// The place that far along, 0...1.
    func place(_ share: Double) -> Coordinate {
        Coordinate(cuttingLatitudeDegrees: ay + share * (by - ay), wrappingLongitudeDegrees: ax + share * (bx - ax))
    }

    /// An upper bound of the edge's length in metres.
    var longestMetres: Double {
        // The least latitude has the longest parallel; the meridian is longest at a pole (6 399 594 m per radian).
        let nearest = ay * by <= 0 ? 0 : min(abs(ay), abs(by))
        let angle = SineCosine(degrees: nearest)
        let east = (bx - ax).inRadians * WGS84.curvatureRadii(sineSquared: angle.sine * angle.sine).primeVertical * angle.cosine
        let north = (by - ay).inRadians * 6_399_594
        return (east * east + north * north).squareRoot()
    }

    /// The nearest point: its share of the edge, 0...1, and its distance in metres; the place's longitude is shifted to the edge's.
    ///
    /// Steps to the foot of the perpendicular with the scales between it and the place: each step squares the previous one's error.
    func nearest(to probe: FenceProbe, writtenAt x: Double, from guess: Double) -> (share: Double, metres: Double) {
        var share = guess
        var (longitude, latitude) = (ax + share * (bx - ax), ay + share * (by - ay))
        for _ in 0..<4 {
            let angle = SineCosine(degrees: (latitude + probe.latitude) / 2)
            let radii = WGS84.curvatureRadii(sineSquared: angle.sine * angle.sine)
            let (perLongitude, perLatitude) = ((radii.primeVertical * angle.cosine).inRadians, radii.meridian.inRadians)
            let (alongEast, alongNorth) = ((bx - ax) * perLongitude, (by - ay) * perLatitude)
            let length = alongEast * alongEast + alongNorth * alongNorth
            guard length > 0 else { break }
            let step =
                ((x - longitude) * perLongitude * alongEast + (probe.latitude - latitude) * perLatitude * alongNorth) / length
            let next = min(max(share + step, 0), 1)
            let moved = abs(next - share) * length.squareRoot()
            share = next
            (longitude, latitude) = (ax + share * (bx - ax), ay + share * (by - ay))
            if moved < 1e-3 { break }
        }
        return (share, Geodesic.distanceMetres(from: probe, to: place(share)))
    }

    /// The nearest point to a place, without a guess.
    func nearest(to probe: FenceProbe) -> (share: Double, metres: Double) {
        let middle = (ax + bx) / 2
        let x = middle + (probe.longitude - middle).wrappedDegrees
        let (alongEast, alongNorth) = ((bx - ax) * probe.metresPerLongitude, (by - ay) * probe.metresPerLatitude)
        let length = alongEast * alongEast + alongNorth * alongNorth
        let projected = (x - ax) * probe.metresPerLongitude * alongEast + (probe.latitude - ay) * probe.metresPerLatitude * alongNorth
        return nearest(to: probe, writtenAt: x, from: length > 0 ? min(max(projected / length, 0), 1) : 0)
    }
}

extension Geodesic {
    /// The distance to a place from a prepared one.
    static func distanceMetres(from probe: FenceProbe, to place: Coordinate) -> Double {
        let chordSquared = (GeocentricVector(place) - probe.vector).lengthSquared
        guard chordSquared <= longestShortLineMetres * longestShortLineMetres else {
            return distanceMetres(from: probe.coordinate, to: place)
        }
        return arcMetres(
            chordSquared: chordSquared, latitudeDegrees: (place.latitudeDegrees + probe.latitude) / 2,
            northwardDegrees: place.latitudeDegrees - probe.latitude)
    }
}
