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
    private var candidate: Position?
    private var reachMetres = 0.0

    /// A simplifier before its first point.
    package init(toleranceMetres: Double) {
        self.toleranceMetres = toleranceMetres
    }

    /// Adds the next point; returns the one before it when that is kept, and the point itself when it begins a piece.
    package mutating func add(_ position: Position) -> [Position] {
        guard let frame else {
            begin(at: position)
            return [position]
        }
        guard toleranceMetres > 0 else { return [position] }
        let point = frame.point(position.coordinate)
        let distance = point.distanceMetres
        defer { candidate = position }
        // Back towards its start: a line that ends here would leave out the way there.
        guard distance + toleranceMetres >= reachMetres else { return turn(position) }
        reachMetres = max(reachMetres, distance)
        guard distance > toleranceMetres else { return [] }
        let direction = atan2(point.eastMetres, point.northMetres)
        let halfWidth = asin(min(1, toleranceMetres / distance))
        guard var sector else {
            self.sector = (direction, -halfWidth, halfWidth)
            return []
        }
        let turned = TrackSimplifier.turned(direction - sector.middle)
        guard sector.below <= turned, turned <= sector.above else { return turn(position) }
        sector.below = max(sector.below, turned - halfWidth)
        sector.above = min(sector.above, turned + halfWidth)
        self.sector = sector
        return []
    }

    /// Ends a piece; returns its last point when that is not kept yet.
    package mutating func end() -> Position? {
        defer { (frame, sector, candidate, reachMetres) = (nil, nil, nil, 0) }
        return candidate
    }

    /// Keeps the point before this one.
    private mutating func turn(_ position: Position) -> [Position] {
        guard let kept = candidate else { return [] }
        begin(at: kept)
        // From there to this one is a line of its own.
        let point = frame?.point(position.coordinate)
        if let point, point.distanceMetres > toleranceMetres {
            let halfWidth = asin(min(1, toleranceMetres / point.distanceMetres))
            sector = (atan2(point.eastMetres, point.northMetres), -halfWidth, halfWidth)
        }
        reachMetres = point?.distanceMetres ?? 0
        return [kept]
    }

    private mutating func begin(at position: Position) {
        frame = LocalFrame(origin: position.coordinate)
        (sector, candidate, reachMetres) = (nil, nil, 0)
    }

    private static func turned(_ angle: Double) -> Double {
        angle > .pi ? angle - 2 * .pi : angle < -.pi ? angle + 2 * .pi : angle
    }
}
