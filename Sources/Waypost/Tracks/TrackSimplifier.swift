import func Glibc.asin
import func Glibc.atan2

/// Leaves out the points of a track that a line between others passes closely enough; in one pass, without holding the track.
///
/// A point is kept when no line from the last kept one passes all points since then within the tolerance (the sleeve of Williams, 1978: the sector of
/// directions that still do is narrowed by each point). Gaps stay: the points beside them are kept.
/// - Units: metres. The tolerance is that across the line; the ends of each piece are exact.
/// - Cost: an arctangent per point; no memory but the last two points.
package struct TrackSimplifier: Sendable {
    /// How far a point that is left out may be from the line.
    package let toleranceMetres: Double

    private var frame: LocalFrame?
    private var sector: (middle: Double, below: Double, above: Double)?
    private var candidate: TrackPoint?
    private var reachMetres = 0.0

    /// A simplifier before its first point.
    package init(toleranceMetres: Double) {
        self.toleranceMetres = toleranceMetres
    }

    /// Adds the next point; returns the one before it when that is kept, or the point itself when it begins a piece.
    package mutating func add(_ next: TrackPoint) -> TrackPoint? {
        guard let frame else {
            begin(at: next)
            return next
        }
        guard toleranceMetres > 0 else { return next }
        let point = frame.point(next.coordinate)
        let distance = point.distanceMetres
        defer { candidate = next }
        // Back towards its start: a line that ends here would leave out the way there.
        guard distance + toleranceMetres >= reachMetres else { return turn(next) }
        reachMetres = max(reachMetres, distance)
        guard distance > toleranceMetres else { return nil }
        let direction = atan2(point.eastMetres, point.northMetres)
        let halfWidth = asin(min(1, toleranceMetres / distance))
        guard var sector else {
            self.sector = (direction, -halfWidth, halfWidth)
            return nil
        }
        let turned = TrackSimplifier.turned(direction - sector.middle)
        guard sector.below <= turned, turned <= sector.above else { return turn(next) }
        sector.below = max(sector.below, turned - halfWidth)
        sector.above = min(sector.above, turned + halfWidth)
        self.sector = sector
        return nil
    }

    /// Ends a piece; returns its last point when that is not kept yet.
    package mutating func end() -> TrackPoint? {
        defer { (frame, sector, candidate, reachMetres) = (nil, nil, nil, 0) }
        return candidate
    }

    /// Keeps the point before this one.
    private mutating func turn(_ next: TrackPoint) -> TrackPoint? {
        guard let kept = candidate else { return nil }
        begin(at: kept)
        // From there to this one is a line of its own.
        let point = frame?.point(next.coordinate)
        if let point, point.distanceMetres > toleranceMetres {
            let halfWidth = asin(min(1, toleranceMetres / point.distanceMetres))
            sector = (atan2(point.eastMetres, point.northMetres), -halfWidth, halfWidth)
        }
        reachMetres = point?.distanceMetres ?? 0
        return kept
    }

    private mutating func begin(at point: TrackPoint) {
        frame = LocalFrame(origin: point.coordinate)
        (sector, candidate, reachMetres) = (nil, nil, 0)
    }

    private static func turned(_ angle: Double) -> Double {
        angle > .pi ? angle - 2 * .pi : angle < -.pi ? angle + 2 * .pi : angle
    }
}
