import func Glibc.cos
import func Glibc.sin

/// The drives that need no file: `sim:walk`, `sim:city`, `sim:freeway`, and `sim:none`, a receiver that never has a fix.
///
/// Each is a closed loop with corners of its own around a place on open ground, repeated for ever; the shapes are made up.
public enum BuiltInRoute: String, Sendable, Hashable, CaseIterable {
    /// A walk round a park: 1.4 m/s, 1.2 km.
    case walk
    /// A drive through blocks of houses: 10 m/s, many right angles, 5 km.
    case city
    /// A drive on a motorway: 33 m/s, wide bends, 80 km, enough for significant changes.
    case freeway
    /// No position, ever.
    case none

    /// The speed in metres per second (a walker's usual pace; town traffic; 120 km/h).
    public var speedMetresPerSecond: Double {
        switch self {
        case .walk: 1.4
        case .city: 10
        case .freeway: 33
        case .none: 0
        }
    }

    /// The corners of the loop, in order; empty for ``none``.
    public var corners: [Coordinate] {
        switch self {
        case .walk: BuiltInRoute.oval(eastRadiusMetres: 240, northRadiusMetres: 130, wave: 12, waves: 5, count: 72)
        case .city: BuiltInRoute.cityBlocks
        case .freeway: BuiltInRoute.oval(eastRadiusMetres: 16_000, northRadiusMetres: 8_500, wave: 900, waves: 7, count: 360)
        case .none: []
        }
    }

    /// Where the loops are: the Emmental, Switzerland.
    private static let middle = Coordinate(latitudeDegrees: 46.95, longitudeDegrees: 7.75)

    private static func place(eastMetres: Double, northMetres: Double) -> Coordinate? {
        guard let middle else { return nil }
        let eastward = Geodesic.end(from: middle, azimuthDegrees: 90, distanceMetres: eastMetres).coordinate
        return Geodesic.end(from: eastward, azimuthDegrees: 0, distanceMetres: northMetres).coordinate
    }

    private static func oval(eastRadiusMetres: Double, northRadiusMetres: Double, wave: Double, waves: Double, count: Int) -> [Coordinate] {
        (0..<count).compactMap { index in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            let swell = wave * sin(waves * angle)
            return place(eastMetres: (eastRadiusMetres + swell) * cos(angle), northMetres: (northRadiusMetres + swell) * sin(angle))
        }
    }

    /// Corners of a loop through a grid of streets, in metres east and north.
    private static var cityBlocks: [Coordinate] {
        let corners: [(Double, Double)] = [
            (0, 0), (400, 0), (400, 180), (760, 180), (760, -220), (1_120, -220), (1_120, 360), (900, 360), (900, 620), (480, 620),
            (480, 440), (140, 440), (140, 700), (-260, 700), (-260, 320), (-60, 320), (-60, 140), (-380, 140), (-380, -160), (0, -160),
        ]
        return corners.compactMap { place(eastMetres: $0.0, northMetres: $0.1) }
    }
}
