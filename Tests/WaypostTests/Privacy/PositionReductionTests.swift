import Testing
import Waypost

/// What of a position is told at reduced accuracy.
@Suite struct PositionReductionTests {
    private func position(_ latitude: Double, _ longitude: Double, minutes: Double = 0) throws -> Position {
        let place = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
        var position = Position(time: UTCTime(millisecondsSince1970: 1_777_692_600_000 + Int64(minutes * 60_000)), coordinate: place)
        position.speedMetresPerSecond = 13
        position.courseDegrees = 96
        position.altitudeMSLMetres = 400
        position.quality.hdop = 0.9
        position.source = "gpsd://localhost"
        return position
    }

    /// What the reduction says of a position, with a place that must be told.
    private func tell(_ position: Position, _ reduction: inout PositionReduction) throws -> PositionReduction.Told {
        let told = reduction.process(position)
        return try #require(told)
    }

    private func first(_ position: Position) throws -> Position {
        var reduction = PositionReduction()
        let told = try tell(position, &reduction)
        #expect(told.isNew)
        return told.position
    }

    @Test func tellsOnePlaceForACellAndNothingBesides() throws {
        let told = try first(position(47.1, 9.5, minutes: 7.123))
        var expected = Position(time: UTCTime(millisecondsSince1970: 1_777_692_600_000), coordinate: told.coordinate)
        expected.accuracy = HorizontalAccuracy(radiusMetres: 5_000, origin: .reduced)
        #expect(told == expected)
        // Anywhere in the cell, whatever the noise: the same bytes, so that an average says nothing.
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let latitude = told.coordinate.latitudeDegrees + Double.random(in: -0.0224...0.0224, using: &generator)
            let longitude = told.coordinate.longitudeDegrees + Double.random(in: -0.0325...0.0325, using: &generator)
            #expect(try first(position(latitude, longitude)) == told)
        }
    }

    @Test func liesWithinTheRadiusThatItTells() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let place = try position(Double.random(in: -90...90, using: &generator), Double.random(in: -180...180, using: &generator))
            let told = try first(place)
            let distance = Geodesic.distanceMetres(from: told.coordinate, to: place.coordinate)
            #expect(distance <= 5_000, "\(place.coordinate)")
        }
    }

    @Test(arguments: [(90.0, 0.0), (-90, 180), (0, 0), (0, 180), (0, -180), (89.999, -180), (-0.0, -0.0), (51, 179.9999999)])
    func tellsAPlaceEverywhere(latitude: Double, longitude: Double) throws {
        let place = try position(latitude, longitude)
        #expect(Geodesic.distanceMetres(from: try first(place).coordinate, to: place.coordinate) <= 5_000)
    }

    @Test func doesNotFlickerAtAnEdge() throws {
        // The edge between two bands lies at 47.115.
        var reduction = PositionReduction()
        var places: Set<Coordinate> = []
        for quarter in 0..<200 {
            let noise = quarter.isMultiple(of: 2) ? 0.004 : -0.004
            let told = try tell(position(47.115 + noise, 9.5, minutes: Double(15 * quarter)), &reduction)
            places.insert(told.position.coordinate)
        }
        #expect(places.count == 1)
        let beyond = try tell(position(47.125, 9.5, minutes: 9_000), &reduction)
        let back = try tell(position(47.105, 9.5, minutes: 9_015), &reduction)
        #expect(beyond.position.coordinate != back.position.coordinate)
    }

    @Test func tellsFourAnHourWhateverHappens() throws {
        var reduction = PositionReduction()
        var told: [PositionReduction.Told] = []
        for second in 0..<7_200 {
            let answer = try tell(position(47 + Double(second) / 3_600, 9.5, minutes: Double(second) / 60), &reduction)
            if answer.isNew { told.append(answer) }
            #expect(answer.position == told.last?.position)
        }
        #expect(told.count == 8 && Set(told.map(\.quarter)).count == 8)
        // A clock that goes back tells nothing new.
        let before = try tell(position(60, 9.5, minutes: -60), &reduction)
        #expect(!before.isNew)
    }

    /// A receiver whose date was wrong at first.
    @Test(arguments: [60.0, 1_440]) func aDateThatWasAheadSilencesOnlyItsQuarter(minutes: Double) throws {
        var reduction = PositionReduction()
        let first = try tell(position(47, 9.5, minutes: minutes), &reduction)
        #expect(first.isNew)
        var told: [Int64] = []
        for minute in 1..<120 {
            // To and fro, too, tells none twice.
            if minute == 20 { #expect(try !tell(position(47.5, 9.5, minutes: minutes), &reduction).isNew) }
            let answer = try tell(position(47 + Double(minute) / 60, 9.5, minutes: Double(minute)), &reduction)
            if answer.isNew { told.append(answer.quarter - first.quarter + Int64(minutes) / 15) }
        }
        #expect(told == (minutes == 60 ? [1, 2, 3, 5, 6, 7] : Array(1...7)))
    }

    @Test func tellsNothingBeforeItKnowsATime() throws {
        var reduction = PositionReduction()
        var timeless = try position(47.1, 9.5)
        timeless.time = nil
        let nothing = reduction.process(timeless)
        #expect(nothing == nil)
        _ = reduction.process(try position(47.1, 9.5))
        timeless.coordinate = try position(60, 9.5).coordinate
        let told = try tell(timeless, &reduction)
        #expect(!told.isNew && told.position.coordinate.latitudeDegrees < 48)
    }

    // MARK: - Attacks

    /// 10 000 polls of a device that wanders about in its cell say one place.
    @Test func tellsNothingMoreHoweverOftenItIsAsked() throws {
        var reduction = PositionReduction()
        var generator = SystemRandomNumberGenerator()
        let first = try tell(position(47.1, 9.5), &reduction)
        var places: Set<Coordinate> = [first.position.coordinate]
        var times: Set<UTCTime?> = []
        for poll in 1...10_000 {
            let place = try position(
                47.1 + Double.random(in: -0.002...0.002, using: &generator), 9.5 + Double.random(in: -0.002...0.002, using: &generator),
                minutes: Double(poll) / 10)
            let told = try tell(place, &reduction).position
            places.insert(told.coordinate)
            times.insert(told.time)
            #expect(told.speedMetresPerSecond == nil && told.courseDegrees == nil && told.altitudeMSLMetres == nil)
        }
        #expect(places.count == 1)
        #expect(times.allSatisfy { $0.map { $0.millisecondsSince1970 % 900_000 == 0 } ?? false })
        #expect(times.count <= 10_000 / 10 / 15 + 2)
    }

    /// A walk along a cell's edge, to and fro across it by 400 m, shows one cell; asking at each step does not show on which side it is.
    @Test func aWalkAlongAnEdgeShowsOneCell() throws {
        let middle = try first(position(47.1, 9.5)).coordinate
        let edge = middle.latitudeDegrees + (180.0 / 4_000) / 2
        var reduction = PositionReduction()
        var places: Set<Coordinate> = []
        for step in 0..<10_000 {
            let across = (step % 2 == 0 ? 1.0 : -1.0) * 0.0036
            let along = middle.longitudeDegrees + 0.02 * Double(step % 100 - 50) / 50
            places.insert(
                try tell(position(edge + (step == 0 ? -0.001 : across), along, minutes: Double(step)), &reduction).position.coordinate)
        }
        #expect(places == [middle])
    }

    /// A walk of 100 km along an edge, ten metres to both sides of it, through some twenty columns: the band is always the same.
    @Test func aLongWalkAlongAnEdgeShowsOneBand() throws {
        for upper in [false, true] {
            var reduction = PositionReduction()
            var latitudes: Set<Double> = []
            for step in 0..<1_000 {
                let isAbove = step == 0 ? upper : !(step * 7 / 5).isMultiple(of: 2)
                let place = try position(47.115 + (isAbove ? 0.000_1 : -0.000_1), 9.5 + Double(step) * 0.001_3, minutes: Double(step) * 15)
                latitudes.insert(try tell(place, &reduction).position.coordinate.latitudeDegrees)
            }
            #expect(latitudes.count == 1)
        }
    }

    /// A restart on the far side of an edge does not show that the device is there.
    @Test func aRestartDoesNotShowTheSideOfAnEdge() throws {
        var reduction = PositionReduction()
        let told = try tell(position(47.1, 9.5), &reduction)
        let beyond = told.position.coordinate.latitudeDegrees + (180.0 / 4_000) * 0.55
        #expect(try first(position(beyond, 9.5)).coordinate != told.position.coordinate)
        for minutes in [1.0, 20, 60] {
            var resumed = PositionReduction(resuming: told.position)
            #expect(resumed.lastTold?.position == told.position)
            let place = try position(beyond, 9.5, minutes: minutes)
            #expect(try tell(place, &resumed).position == told.position, "what was told before, with its time")
            let later = try tell(position(beyond, 9.5, minutes: minutes + 16), &resumed)
            #expect(later.position.coordinate == told.position.coordinate && later.isNew)
        }
        // One that has really gone is told where it is, a quarter of an hour after the restart at the latest.
        var resumed = PositionReduction(resuming: told.position)
        #expect(try tell(position(48, 9.5, minutes: 5), &resumed).position.coordinate == told.position.coordinate)
        #expect(try tell(position(48, 9.5, minutes: 14), &resumed).isNew == false)
        #expect(try tell(position(48, 9.5, minutes: 15), &resumed).position.coordinate.latitudeDegrees > 47.9)
    }
}
