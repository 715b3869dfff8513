import Testing
import WaypostTestKit

@testable import Waypost

struct BoundingBoxTests {
    private func box(_ south: Double, _ west: Double, _ north: Double, _ east: Double) throws -> BoundingBox {
        try #require(BoundingBox(southDegrees: south, westDegrees: west, northDegrees: north, eastDegrees: east))
    }

    private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
    }

    @Test func refusesSidesThatAreNotOnTheEarth() {
        #expect(BoundingBox(southDegrees: 10, westDegrees: 0, northDegrees: 9, eastDegrees: 1) == nil)
        #expect(BoundingBox(southDegrees: -91, westDegrees: 0, northDegrees: 9, eastDegrees: 1) == nil)
        #expect(BoundingBox(southDegrees: 0, westDegrees: 0, northDegrees: 9, eastDegrees: .nan) == nil)
        #expect(BoundingBox(southDegrees: 0, westDegrees: -180.5, northDegrees: 9, eastDegrees: 1) == nil)
    }

    @Test func holdsItsSidesAcrossTheAntimeridianToo() throws {
        let fiji = try box(-21, 176, -12, -178)
        #expect(fiji.crossesAntimeridian)
        #expect(fiji.widthDegrees == 6)
        for longitude in [176, 179, 180, -180, -178.0] { #expect(fiji.contains(try place(-17, longitude))) }
        for longitude in [175.9, -177.9, 0] { #expect(!fiji.contains(try place(-17, longitude))) }
        #expect(!fiji.contains(try place(-11.9, 179)))
        // The same meridian under both its names.
        #expect(try box(-1, 170, 1, 180).contains(try place(0, -180)))
        #expect(try box(-1, -180, 1, -170).contains(try place(0, 180)))
    }

    @Test func knowsThatAPoleHasEveryLongitude() throws {
        #expect(try box(80, 10, 90, 20).contains(try place(90, -100)))
        #expect(try box(80, 10, 90, 20).intersects(try box(85, 100, 90, 110)))
        #expect(try !box(80, 10, 89, 20).intersects(try box(85, 100, 90, 110)))
    }

    @Test func intersectsWhatItTouches() throws {
        #expect(try box(0, 0, 10, 10).intersects(try box(10, 10, 20, 20)))
        #expect(try !box(0, 0, 10, 10).intersects(try box(0, 10.1, 10, 20)))
        #expect(try box(-5, 170, 5, -170).intersects(try box(0, -175, 1, -160)))
        #expect(try box(-5, 170, 5, -170).intersects(try box(0, -180, 1, 180)))
        #expect(try !box(-5, 170, 5, -170).intersects(try box(0, -169, 1, 169)))
    }

    @Test func joinsByTheShorterWay() throws {
        #expect(try box(0, 170, 1, 175).union(try box(2, -175, 3, -170)) == (try box(0, 170, 3, -170)))
        #expect(try box(0, 10, 1, 20).union(try box(-2, 0, 0, 5)) == (try box(-2, 0, 1, 20)))
        #expect(try box(0, 0, 10, 10).union(try box(1, 1, 2, 2)) == (try box(0, 0, 10, 10)))
        let all = try box(0, -120, 1, 60).union(try box(0, 50, 1, -110))
        #expect(all.widthDegrees == 360)
        #expect(all.contains(try place(0.5, 179)))
    }

    @Test func growsByMetresOverPolesAndTheAntimeridian() throws {
        let grown = BoundingBox(around: try place(0, 179.9), radiusMetres: 100_000)
        #expect(grown.crossesAntimeridian)
        let polar = BoundingBox(around: try place(89.5, 0), radiusMetres: 100_000)
        #expect(polar.widthDegrees == 360 && polar.northDegrees == 90)
        #expect(BoundingBox(around: try place(0, 0), radiusMetres: 30_000_000).widthDegrees == 360)
    }

    @Test func holdsEverythingWithinTheRadius() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<3_000 {
            let centre = Coordinate.random(using: &random)
            let radius = Double.random(in: 1...500_000, using: &random)
            let box = BoundingBox(around: centre, radiusMetres: radius)
            let end = Geodesic.end(
                from: centre, azimuthDegrees: Double.random(in: 0..<360, using: &random), distanceMetres: radius)
            #expect(box.contains(end.coordinate), "\(radius) m round \(centre)")
        }
    }
}
