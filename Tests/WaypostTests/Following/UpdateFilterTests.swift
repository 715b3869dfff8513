import Testing
import Waypost

@Suite struct UpdateFilterTests {
    private func drive(_ filter: UpdateFilter, metresPerFix: Double, count: Int, lossAfter loss: Int? = nil) throws -> [Int] {
        var filter = filter
        let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        var passed: [Int] = []
        for index in 0..<count {
            let place = Geodesic.end(from: home, azimuthDegrees: 45, distanceMetres: Double(index) * metresPerFix).coordinate
            if filter.passes(Position(time: nil, coordinate: place)) { passed.append(index) }
            if index == loss { filter.lose() }
        }
        return passed
    }

    @Test func letsEverythingThroughByDefault() throws {
        #expect(try drive(UpdateFilter(), metresPerFix: 0, count: 4) == [0, 1, 2, 3])
    }

    @Test func waitsForTheDistance() throws {
        #expect(try drive(UpdateFilter(distanceMetres: 25), metresPerFix: 10, count: 10) == [0, 3, 6, 9])
    }

    @Test func takesTheLargerOfDistanceAndLevel() throws {
        let filter = UpdateFilter(distanceMetres: 25, accuracy: .nearestHundredMeters)
        #expect(filter.stepMetres == 100)
        #expect(try drive(filter, metresPerFix: 30, count: 10) == [0, 4, 8])
    }

    @Test func passesTheFirstPositionAfterALoss() throws {
        #expect(try drive(UpdateFilter(distanceMetres: 1_000), metresPerFix: 10, count: 10, lossAfter: 4) == [0, 5])
    }
}
