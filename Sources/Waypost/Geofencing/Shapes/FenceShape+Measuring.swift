extension FenceShape {
    /// Whether a place lies in the area or on its border.
    func contains(_ probe: FenceProbe) -> Bool {
        switch self {
        case .circle(let circle): circle.distance(probe) <= circle.radiusMetres
        case .polygons(let rings): rings.table.contains(probe)
        case .corridor(let line, let halfWidth): line.table.distance(probe) <= halfWidth
        }
    }

    /// The distance to the border in metres, negative inside.
    func signedDistance(_ probe: FenceProbe) -> Double {
        switch self {
        case .circle(let circle): circle.distance(probe) - circle.radiusMetres
        case .polygons(let rings): rings.table.contains(probe) ? -rings.table.distance(probe) : rings.table.distance(probe)
        case .corridor(let line, let halfWidth): line.table.distance(probe) - halfWidth
        }
    }
}
