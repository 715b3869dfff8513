extension FenceShape {
    /// Whether a place lies in the area or on its border.
    func contains(_ probe: FenceProbe) -> Bool {
        switch self {
        case .circle(let circle): circle.distance(probe) <= circle.radiusMetres
        case .polygons(let rings): rings.contains(probe)
        case .corridor(let line, let halfWidth): line.distance(probe) <= halfWidth
        }
    }

    /// The distance to the border in metres, negative inside.
    func signedDistance(_ probe: FenceProbe) -> Double {
        switch self {
        case .circle(let circle): circle.distance(probe) - circle.radiusMetres
        case .polygons(let rings): rings.contains(probe) ? -rings.distance(probe) : rings.distance(probe)
        case .corridor(let line, let halfWidth): line.distance(probe) - halfWidth
        }
    }

    /// Whether a place lies in the area, and a distance that the border is not nearer than.
    func side(_ probe: FenceProbe) -> (isInside: Bool, clearance: Double) {
        switch self {
        case .circle(let circle):
            let distance = circle.distance(probe) - circle.radiusMetres
            return (distance <= 0, abs(distance))
        case .polygons(let rings): return (rings.contains(probe), rings.clearance(probe))
        case .corridor(let line, let halfWidth):
            // From far away a bound will do.
            let least = line.clearance(probe)
            if least > 2 * halfWidth { return (false, least - halfWidth) }
            let distance = line.distance(probe) - halfWidth
            return (distance <= 0, abs(distance))
        }
    }
}
