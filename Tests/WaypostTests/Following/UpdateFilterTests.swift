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

    // MARK: - Quality

    /// Which of these radii, a fix each second at places 10 m apart, the listener gets.
    private func received(
        _ filter: UpdateFilter, _ radii: [Double?], secondsApart: Double = 1, origin: HorizontalAccuracy.Origin = .receiver,
        lossAfter loss: Int? = nil
    ) throws -> [Double?] {
        var filter = filter
        let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        var received: [Double?] = []
        for (index, radius) in radii.enumerated() {
            let place = Geodesic.end(from: home, azimuthDegrees: 45, distanceMetres: 10.01 * Double(index)).coordinate
            let time = UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(Double(index) * secondsApart * 1_000))
            var position = Position(time: time, coordinate: place)
            position.accuracy = radius.map { HorizontalAccuracy(radiusMetres: $0, origin: origin) }
            if filter.passes(position) { received.append(radius) }
            if index == loss { filter.lose() }
        }
        return received
    }

    @Test func leavesOutWhatIsPoorWhileBetterOnesCome() throws {
        // A receiver that acquires, and an outlier.
        let radii: [Double?] = [800, 400, 101, 100, 30, 5, 400, 5, 4]
        #expect(try received(UpdateFilter(), radii) == [100, 30, 5, 5, 4])
        #expect(try received(UpdateFilter(accuracy: .bestForNavigation), radii) == [100, 30, 5, 5, 4])
        #expect(try received(UpdateFilter(accuracy: .nearestTenMeters), radii) == [5, 5, 4])
        #expect(try received(UpdateFilter(takesPoor: true), radii) == radii, "a log loses nothing")
    }

    @Test(
        arguments: [
            (.bestForNavigation, 100), (.best, 100), (.nearestTenMeters, 10), (.nearestHundredMeters, 100), (.withinOneKilometer, 1_000),
            (.withinThreeKilometers, 3_000), (.reduced, 5_000),
        ] as [(DesiredAccuracy, Double)]) func hasTheLimitOfItsLevel(level: DesiredAccuracy, metres: Double) throws
    {
        #expect(try received(UpdateFilter(accuracy: level), [metres.nextUp, metres]) == [metres])
        #expect(level.limitMetres == metres)
    }

    @Test func takesWhatThereIsWhenNothingBetterComes() throws {
        // In a street canyon: 10 s after the last good one, or after the first.
        let poor = [Double?](repeating: 40, count: 14)
        #expect(try received(UpdateFilter(accuracy: .nearestTenMeters), poor).count == 4)
        #expect(try received(UpdateFilter(accuracy: .nearestTenMeters), [8] + poor).count == 1 + 5)
        #expect(try received(UpdateFilter(accuracy: .nearestTenMeters), poor + [8, 40, 8]) == [40, 40, 40, 40, 8, 8])
        // A source that seldom says anything keeps nobody waiting for more than one position.
        #expect(try received(UpdateFilter(), [500, 500, 500], secondsApart: 60) == [500, 500])
        // After a loss the wait begins anew.
        #expect(try received(UpdateFilter(accuracy: .nearestTenMeters), poor, lossAfter: 11).count == 2)
    }

    @Test func takesWhatHasNoAccuracyOrIsCoarseOnPurpose() throws {
        #expect(try received(UpdateFilter(accuracy: .nearestTenMeters), [nil, nil]) == [nil, nil])
        #expect(try received(UpdateFilter(), [5_000, 5_000], origin: .reduced) == [5_000, 5_000])
        var filter = UpdateFilter()
        var untimed = Position(time: nil, coordinate: try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8)))
        untimed.accuracy = HorizontalAccuracy(radiusMetres: 900, origin: .receiver)
        let passes = filter.passes(untimed)
        #expect(passes)
    }
}
