import Foundation
import Testing
import WaypostTestKit

@testable import Waypost

struct LocalFrameTests {
    /// Origins everywhere, the poles and the antimeridian among them.
    private static let origins: [Coordinate] = {
        var random = SeededGenerator(seed: 3)
        var origins = (0..<200).map { _ in Coordinate.random(using: &random) }
        for latitude in [90.0, 89.99999, -90.0, -89.9, 0.0, 45.0] {
            for longitude in [180.0, -180.0, 0.0, 90.0, -179.99999] {
                origins.append(Coordinate(cuttingLatitudeDegrees: latitude, wrappingLongitudeDegrees: longitude))
            }
        }
        return origins
    }()

    @Test(arguments: [(0.001, 2e-8), (100, 2e-8), (10_000, 2e-5), (100_000, 2e-2)])
    func keepsDistanceAndDirectionFromItsOrigin(distance: Double, tolerance: Double) {
        for origin in Self.origins {
            let frame = LocalFrame(origin: origin)
            for azimuth in stride(from: 0.0, to: 360, by: 30) {
                let place = Geodesic.end(from: origin, azimuthDegrees: azimuth, distanceMetres: distance).coordinate
                let point = frame.point(place)
                #expect(abs(point.eastMetres - distance * sin(azimuth * .pi / 180)) < tolerance, "\(origin) \(azimuth)")
                #expect(abs(point.northMetres - distance * cos(azimuth * .pi / 180)) < tolerance, "\(origin) \(azimuth)")
            }
        }
    }

    @Test func keepsDistancesBetweenOtherPointsToAMicrometre() {
        var random = SeededGenerator(seed: 4)
        for origin in Self.origins {
            let frame = LocalFrame(origin: origin)
            let points = (0..<2).map { _ in
                PlanePoint(
                    eastMetres: Double.random(in: -70...70, using: &random), northMetres: Double.random(in: -70...70, using: &random))
            }
            let onPlane = hypot(points[0].eastMetres - points[1].eastMetres, points[0].northMetres - points[1].northMetres)
            let onEarth = Geodesic.distanceMetres(from: frame.coordinate(points[0]), to: frame.coordinate(points[1]))
            #expect(abs(onPlane - onEarth) < 1e-6)
        }
    }

    @Test func givesBackThePointItMadeAPlaceOf() {
        var random = SeededGenerator(seed: 5)
        for origin in Self.origins {
            let frame = LocalFrame(origin: origin)
            let point = PlanePoint(
                eastMetres: Double.random(in: -5_000...5_000, using: &random),
                northMetres: Double.random(in: -5_000...5_000, using: &random))
            let again = frame.point(frame.coordinate(point))
            #expect(hypot(again.eastMetres - point.eastMetres, again.northMetres - point.northMetres) < 5e-6)
        }
        let frame = LocalFrame(origin: Self.origins[0])
        #expect(frame.coordinate(PlanePoint(eastMetres: 0, northMetres: 0)) == Self.origins[0])
        #expect(frame.point(Self.origins[0]) == PlanePoint(eastMetres: 0, northMetres: 0))
    }
}
