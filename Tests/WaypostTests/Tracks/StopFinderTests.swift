import Testing
import Waypost

/// Stops, on days written minute by minute.
struct StopFinderTests {
    private let home: Coordinate

    init() throws {
        home = try #require(Coordinate(latitudeDegrees: 47.378, longitudeDegrees: 8.54))
    }

    /// A finder after fixes of a second, a place in metres east and north of home, and an accuracy.
    private func finder(_ fixes: [(second: Int64, east: Double, north: Double)], accuracy: Double? = nil) -> StopFinder {
        let frame = LocalFrame(origin: home)
        var finder = StopFinder()
        for fix in fixes {
            var position = Position(
                time: UTCTime(millisecondsSince1970: fix.second * 1_000),
                coordinate: frame.coordinate(PlanePoint(eastMetres: fix.east, northMetres: fix.north)))
            position.accuracy = accuracy.map { HorizontalAccuracy(radiusMetres: $0, origin: .receiver) }
            finder.add(position)
        }
        return finder
    }

    /// Eight hours parked are no less a stop because a clock is set back by a second afterwards.
    @Test func keepsAStopWhenTheTimeGoesBackward() {
        let found = finder(stand(from: 0, to: 3_600, at: 0) + drive(from: 3_598, to: 3_700))
        #expect(found.stops.map { $0.until.millisecondsSince1970 - $0.since.millisecondsSince1970 } == [3_599_000])
        #expect(found.stops.allSatisfy { !$0.isOpen })
    }

    private func drive(from second: Int64, to end: Int64, from east: Double = 0) -> [(second: Int64, east: Double, north: Double)] {
        (second..<end).map { ($0, east + Double($0 - second) * 14, 0) }
    }

    private func stand(from second: Int64, to end: Int64, at east: Double) -> [(second: Int64, east: Double, north: Double)] {
        // The wandering of a parked receiver: ten metres to each side.
        (second..<end).map { ($0, east + Double($0 % 21) - 10, Double($0 % 13) - 6) }
    }

    private func times(_ finder: StopFinder) -> [[Int64]] {
        finder.all.map { [$0.since.millisecondsSince1970 / 1_000, $0.until.millisecondsSince1970 / 1_000] }
    }

    @Test func findsAStopBetweenTwoDrives() throws {
        let found = finder(drive(from: 0, to: 100) + stand(from: 100, to: 700, at: 1_400) + drive(from: 700, to: 800, from: 1_400))
        let stop = try #require(found.all.first)
        #expect(found.all.count == 1 && !stop.isOpen)
        #expect(abs(times(found)[0][0] - 100) <= 5 && abs(times(found)[0][1] - 700) <= 5)
        let place = LocalFrame(origin: home).coordinate(PlanePoint(eastMetres: 1_400, northMetres: 0))
        #expect(Geodesic.distanceMetres(from: stop.place, to: place) < 12)
    }

    @Test func takesARedLightForNone() {
        #expect(finder(drive(from: 0, to: 50) + stand(from: 50, to: 170, at: 700) + drive(from: 170, to: 300, from: 700)).all.isEmpty)
    }

    @Test func takesAWalkForNone() {
        #expect(finder((0..<3_600).map { ($0, Double($0) * 1.1, 0) }).all.isEmpty)
    }

    /// Multipath drags a parked receiver 70 m away for twenty seconds.
    @Test func isNotEndedByMultipath() {
        let dragged = (400..<420).map { (second: Int64($0), east: 70.0, north: 0.0) }
        let found = finder(stand(from: 0, to: 400, at: 0) + dragged + stand(from: 420, to: 900, at: 0))
        #expect(times(found) == [[0, 899]])
    }

    @Test func lastsWhileTheTrackerIsOff() {
        // Switched off in the evening, and on again in the morning, twenty metres further on.
        let found = finder(
            drive(from: 0, to: 100) + stand(from: 100, to: 120, at: 1_400) + [(40_000, 1_420, 5)]
                + drive(from: 40_001, to: 40_100, from: 1_420))
        #expect(found.all.count == 1 && found.all[0].until.millisecondsSince1970 >= 40_000_000)
    }

    @Test func isOpenUntilSomebodyLeaves() {
        #expect(finder(stand(from: 0, to: 181, at: 0)).all.map(\.isOpen) == [true])
        #expect(finder(stand(from: 0, to: 180, at: 0)).all.isEmpty)
        // Thirty seconds on foot, fifty metres away.
        let left = finder(stand(from: 0, to: 300, at: 0) + (300..<331).map { (second: Int64($0), east: 50.0, north: 0.0) })
        #expect(left.all.map(\.isOpen) == [false] && times(left) == [[0, 299]])
    }

    /// Fixes of 40 m, 68 %: most of them are within 75 m.
    @Test func allowsForBadFixes() {
        #expect(finder((0..<600).map { ($0, $0 % 2 == 0 ? 60 : -10, 0) }, accuracy: 40).all.count == 1)
        #expect(finder((0..<600).map { ($0, $0 % 2 == 0 ? 60 : -10, 0) }).all.isEmpty)
    }
}
