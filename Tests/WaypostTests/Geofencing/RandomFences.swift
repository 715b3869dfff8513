import Foundation
import WaypostTestKit

@testable import Waypost

/// Seeded fences and paths round a place, and the slow way to ask them.
enum RandomFences {
    /// Town, antimeridian, close to a pole, and on it.
    static let regions = [(47.4, 8.5), (-16.8, 179.99), (89.97, -120.0), (-90.0, 0.0), (65.5, -180.0)].map {
        Coordinate(cuttingLatitudeDegrees: $0.0, wrappingLongitudeDegrees: $0.1)
    }

    static func place(near centre: Coordinate, within metres: Double, _ random: inout SeededGenerator) -> Coordinate {
        Geodesic.end(
            from: centre, azimuthDegrees: Double.random(in: 0..<360, using: &random),
            distanceMetres: metres * Double.random(in: 0...1, using: &random).squareRoot()
        ).coordinate
    }

    /// Circles, star-shaped polygons with a hole now and then, several of them in one, corridors.
    static func fence(_ id: Int, near centre: Coordinate, _ random: inout SeededGenerator) throws -> Geofence {
        let middle = place(near: centre, within: 3_000, &random)
        let size = exp(Double.random(in: log(30)...log(1_500), using: &random))
        let shape: FenceShape
        switch id % 5 {
        case 0: shape = try .circle(centre: middle, radiusMetres: size)
        case 1:
            let line = (0..<Int.random(in: 2...5, using: &random)).map { _ in place(near: middle, within: size, &random) }
            shape = try .corridor(line, widthMetres: size / 4)
        case 4:
            shape = try .multiPolygon(
                (0..<3).map { _ in
                    let part = place(near: middle, within: size, &random)
                    return [star(part, size * 0.5, corners: 12, &random), star(part, size * 0.1, corners: 4, &random)]
                })
        default:
            var rings = [star(middle, size, corners: Int.random(in: 3...40, using: &random), &random)]
            if id % 5 == 3 { rings.append(star(middle, size * 0.2, corners: 5, &random)) }
            shape = try .polygon(rings)
        }
        return Geofence(id: "\(id)", shape: shape)
    }

    static func star(_ middle: Coordinate, _ size: Double, corners: Int, _ random: inout SeededGenerator) -> [Coordinate] {
        (0..<corners).map { corner in
            Geodesic.end(
                from: middle, azimuthDegrees: -360 * Double(corner) / Double(corners),
                distanceMetres: size * Double.random(in: 0.5...1, using: &random)
            ).coordinate
        }
    }

    /// Steps of 1 to 30 m, and a jump now and then.
    static func path(near centre: Coordinate, count: Int, _ random: inout SeededGenerator) -> [Coordinate] {
        var path = [place(near: centre, within: 3_000, &random)]
        var heading = 0.0
        while path.count < count {
            heading += Double.random(in: -40...40, using: &random)
            let isJump = Int.random(in: 0..<100, using: &random) == 0
            let next = Geodesic.end(
                from: path[path.count - 1], azimuthDegrees: heading,
                distanceMetres: isJump ? 2_000 : Double.random(in: 1...30, using: &random)
            ).coordinate
            path.append(Geodesic.distanceMetres(from: centre, to: next) < 4_000 ? next : place(near: centre, within: 3_000, &random))
        }
        return path
    }
}

extension Position {
    /// A fix of a receiver at a second of the test.
    static func fix(
        _ coordinate: Coordinate, second: Double, accuracy: Double = 5, speed: Double? = nil, course: Double? = nil
    ) -> Position {
        var position = Position(
            time: UTCTime(millisecondsSince1970: 1_772_323_200_000 + Int64(second * 1_000)), coordinate: coordinate, status: .gps)
        position.accuracy = HorizontalAccuracy(radiusMetres: accuracy, origin: .receiver)
        position.speedMetresPerSecond = speed
        position.courseDegrees = course
        return position
    }
}
