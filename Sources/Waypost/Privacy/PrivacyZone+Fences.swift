extension PrivacyZone {
    /// Whether a whole area may lie where the zone hides positions, so that a fence there may never report.
    ///
    /// The hole that a ``PrivacyGate`` makes covers the zone, and reaches up to 2.3 of its radii around a centre that is moved by at least 0.3: no
    /// area that reaches beyond twice the radius is wholly inside for certain.
    package func mayHide(_ shape: FenceShape) -> Bool {
        let reach = FenceShape.circle(FenceCircle(centre: centre, radiusMetres: 2 * radiusMetres))
        switch shape {
        case .circle(let circle): return reach.signedDistanceMetres(to: circle.centre) <= -circle.radiusMetres
        case .polygons(let rings): return rings.corners.joined().allSatisfy(reach.contains)
        case .corridor(let line, let halfWidth):
            return line.corners.joined().allSatisfy { reach.signedDistanceMetres(to: $0) <= -halfWidth }
        }
    }
}
