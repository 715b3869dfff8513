/// What a privacy zone leaves out of the tracks: a disc that covers the zone and does not show where in it the zone lies.
///
/// **The attack.** Anyone who sees many tracks sees where they end. On the zone's own circle the ends would give it away: three of them and
/// a compass find the home, and averaging improves the result every day. So the hole that is cut is another disc, fixed for the zone once
/// and for all by a secret of this box:
///
/// - *Its centre is moved* by 0.3 to 0.8 radii in a direction that the secret decides, every place of that ring as likely as any other. A
///   perfect fit through a thousand crossings finds the hole's centre, and learns only that the home lies somewhere in the ring
///   around it: for a radius of 250 m an area of 11 hectares, all of it equally likely. The move is always the same: if it were drawn anew
///   each time, the holes' middles would average to the home.
/// - *Its radius is varied*: 1.8 to 2.3 zone radii, drawn independently of the move. It always covers the zone (0.8 + 1 radii), and its size
///   does not reveal how far the centre was moved.
/// - *Each crossing is held back* by up to another third of the hole's radius, drawn anew for each side of each stay, so that the ends lie in
///   a ring and not on a line, and the hole's radius cannot be measured either.
/// - *A zone that is moved keeps its move*: the move depends on the zone's name, not on its coordinates. Correcting the place of a home
///   by ten metres moves the hole by ten metres, and does not reveal a second, independent hole.
///
/// What it cannot hide: a track that leads to the only house for miles; a home whose zone is too small for its village; a door to which
/// straight roads lead from all sides, because their ends still point at it. A larger radius helps in these cases.
struct PrivacyHole: Sendable, Hashable {
    /// The nearest and furthest that the hole's centre is moved, in radii of the zone.
    static let moveRange = 0.3...0.8
    /// The grid of the coarse places that are shared instead of positions in a hole: this many per degree.
    static let standInsPerDegree = 10.0
    /// The hole's radius, in radii of the zone.
    static let radiusRange = 1.8...2.3
    /// How much further out than its radius a hole may end for one crossing.
    static let holdRange = 1.0...(4.0 / 3.0)

    /// Its centre.
    let centre: Coordinate
    /// Its radius in metres, without what is held back at a crossing.
    let radiusMetres: Double
    /// The furthest that it ever reaches.
    var outerRadiusMetres: Double { radiusMetres * PrivacyHole.holdRange.upperBound }

    private let name: String
    private let key: SipHash.Key

    init(_ zone: PrivacyZone, key: SipHash.Key) {
        name = zone.name
        self.key = key
        var draws = SecretDraws("zone \(zone.name)", key: key)
        let azimuth = draws.next(in: 0...360)
        // By area: the root, so that no part of the ring is likelier than another.
        let (nearest, furthest) = (PrivacyHole.moveRange.lowerBound, PrivacyHole.moveRange.upperBound)
        let move = draws.next(in: nearest * nearest...furthest * furthest).squareRoot() * zone.radiusMetres
        radiusMetres = draws.next(in: PrivacyHole.radiusRange) * zone.radiusMetres
        centre = Geodesic.end(from: zone.centre, azimuthDegrees: azimuth, distanceMetres: move).coordinate
    }

    /// How far a place is from the centre, in metres; for places far away only a lower bound.
    func distanceMetres(to place: Coordinate) -> Double {
        // A degree of latitude is at least 110 574 m long.
        let atLeast = abs(place.latitudeDegrees - centre.latitudeDegrees) * 110_500
        return atLeast > outerRadiusMetres + 160_000 ? atLeast : Geodesic.distanceMetres(from: centre, to: place)
    }

    /// Whether the way between two places outside may lead through the hole, in a straight line.
    ///
    /// - Cost: nothing but a few additions unless one of the places is nearer than the way is long; else two points of a plane.
    func isCrossed(from first: Coordinate, to last: Coordinate) -> Bool {
        // A degree is at most 111 700 m long.
        let width = abs(last.longitudeDegrees - first.longitudeDegrees)
        let atMost = (abs(last.latitudeDegrees - first.latitudeDegrees) + min(width, 360 - width)) * 111_700
        if distanceMetres(to: last) > radiusMetres + atMost { return false }
        // Nobody knows the way of a jump as long as this.
        if atMost > 1_000_000 { return true }
        let frame = LocalFrame(origin: centre)
        let (start, end) = (frame.point(first), frame.point(last))
        let (east, north) = (end.eastMetres - start.eastMetres, end.northMetres - start.northMetres)
        let squared = east * east + north * north
        let part = squared > 0 ? -(start.eastMetres * east + start.northMetres * north) / squared : 0
        let nearest = min(max(part, 0), 1)
        let (aside, ahead) = (start.eastMetres + nearest * east, start.northMetres + nearest * north)
        // How far the plane's line may be from the shortest way on the earth (see LocalFrame).
        let tolerance = atMost * atMost * atMost / (6 * 6.371e6 * 6.371e6)
        return (aside * aside + ahead * ahead).squareRoot() < radiusMetres + tolerance
    }

    /// The one coarse place that is shared for all places inside.
    var standIn: Coordinate {
        func snapped(_ degrees: Double) -> Double {
            (degrees * PrivacyHole.standInsPerDegree).rounded() / PrivacyHole.standInsPerDegree
        }
        let latitude = min(90, max(-90, snapped(centre.latitudeDegrees)))
        let longitude = min(180, max(-180, snapped(centre.longitudeDegrees)))
        return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) ?? centre
    }

    /// A radius around the stand-in that holds all places inside, metres, rounded up to kilometres.
    ///
    /// Half the diagonal of a cell of 0.1 degrees is 7.9 km at most.
    var standInAccuracyMetres: Double { ((outerRadiusMetres + 8_000) / 1_000).rounded(.up) * 1_000 }

    /// Where the hole ends for the crossing that begins with a fix of that time, metres from its centre.
    func edgeMetres(at time: UTCTime?) -> Double {
        var draws = SecretDraws("crossing \(time?.millisecondsSince1970 ?? 0) \(name)", key: key)
        return draws.next(in: PrivacyHole.holdRange) * radiusMetres
    }
}

/// Pseudorandom numbers that depend only on a secret and a purpose.
private struct SecretDraws {
    private let purpose: [UInt8]
    private let key: SipHash.Key
    private var count: UInt8 = 0

    init(_ purpose: String, key: SipHash.Key) {
        self.purpose = Array(purpose.utf8)
        self.key = key
    }

    /// The next number, uniformly distributed over the range.
    mutating func next(in range: ClosedRange<Double>) -> Double {
        count += 1
        let bits = SipHash.hash(purpose + [0, count], key: key)
        return range.lowerBound + (range.upperBound - range.lowerBound) * Double(bits >> 11) / Double(1 << 53 as UInt64)
    }
}
