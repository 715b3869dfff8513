import Testing

@testable import Waypost

/// What map matching must get right, each on a small map of its own, with a receiver's errors.
@Suite struct MapMatcherTests {
    /// The part of the fixes that are on one of these ways.
    private func share(_ ways: [Int64], on wanted: Int64...) -> Double {
        Double(ways.count { wanted.contains($0) }) / Double(ways.count)
    }

    /// Offline, and online at once.
    private static let lags: [Duration?] = [nil, .zero]

    @Test(arguments: lags) func staysOnTheRoadBesideAParallelOne(lag: Duration?) throws {
        var map = DrawnMap()
        map.road(1, [(0, 0), (300, 0), (1_500, 0)])
        map.road(2, [(300, 0), (350, 25), (1_500, 25)])
        let roads = try map.roads()
        for seed: UInt64 in 1...5 {
            var main = DrawnTrack(seed: seed, sigma: 10)
            main.drive([(0, 0), (1_500, 0)], speed: 14)
            #expect(share(main.ways(roads, lag: lag), on: 1) > (lag == nil ? 0.95 : 0.85), "seed \(seed)")
            var frontage = DrawnTrack(seed: seed, sigma: 10)
            frontage.drive([(0, 0), (300, 0), (350, 25), (1_500, 25)], speed: 14)
            #expect(share(Array(frontage.ways(roads, lag: lag).dropFirst(30)), on: 2) > (lag == nil ? 0.9 : 0.75), "seed \(seed)")
        }
    }

    @Test(arguments: lags) func keepsBridgesAndTunnelsApart(lag: Duration?) throws {
        var map = DrawnMap()
        map.road(1, [(-800, 0), (800, 0)], ["highway": "primary"])
        map.road(
            2, [(0, -800), (0, -20), (0, 20), (0, 800)], level: 1, ["highway": "motorway", "oneway": "no", "bridge": "yes", "layer": "1"])
        // A tunnel right below the primary road.
        map.road(3, [(-700, -300), (-600, 8), (600, 8), (700, -300)], level: -1, ["highway": "trunk", "tunnel": "yes", "layer": "-1"])
        let roads = try map.roads()
        var above = DrawnTrack(seed: 3)
        above.drive([(0, -800), (0, 800)], speed: 30)
        #expect(share(above.ways(roads, lag: lag), on: 2) > 0.98)
        var ground = DrawnTrack(seed: 4)
        ground.drive([(-800, 0), (800, 0)], speed: 20)
        #expect(share(ground.ways(roads, lag: lag), on: 1) > 0.95)
    }

    /// Where no fix comes, the way through the hill is taken for it, not the road over it.
    @Test(arguments: lags) func goesThroughATunnelWithoutFixes(lag: Duration?) throws {
        var map = DrawnMap()
        map.road(1, [(-1_000, 0), (-300, 0)], ["highway": "primary"])
        map.road(2, [(-300, 0), (300, 0)], ["highway": "primary", "tunnel": "yes", "layer": "-1"])
        map.road(3, [(300, 0), (1_000, 0)], ["highway": "primary"])
        map.road(4, [(-300, 0), (-300, 80), (300, 80), (300, 0)])
        let roads = try map.roads()
        var track = DrawnTrack(seed: 19)
        track.drive([(-1_000, 0), (-310, 0)], speed: 15)
        track.wait(seconds: 620 / 15)
        track.drive([(310, 0), (1_000, 0)], speed: 15)
        let ways = track.ways(roads, lag: lag)
        #expect(ways.prefix(40).allSatisfy { $0 == 1 } && ways.suffix(40).allSatisfy { $0 == 3 })
        #expect(!ways.contains(4) && !ways.contains(0))
    }

    @Test(arguments: lags) func goesRoundARoundabout(lag: Duration?) throws {
        var map = DrawnMap()
        let ring: [(Double, Double)] = [(25, 0), (18, 18), (0, 25), (-18, 18), (-25, 0), (-18, -18), (0, -25), (18, -18), (25, 0)]
        map.road(1, ring, ["highway": "tertiary", "junction": "roundabout"])
        map.road(2, [(-400, 0), (-25, 0)], ["highway": "tertiary"])
        map.road(3, [(25, 0), (400, 0)], ["highway": "tertiary"])
        map.road(4, [(0, 25), (0, 400)], ["highway": "tertiary"])
        let roads = try map.roads()
        var track = DrawnTrack(seed: 5)
        // From the west counter-clockwise over the south and the east to the north.
        track.drive([(-400, 0), (-25, 0)], speed: 10)
        track.drive([(-25, 0), (-18, -18), (0, -25), (18, -18), (25, 0), (18, 18), (0, 25)], speed: 7)
        track.drive([(0, 25), (0, 400)], speed: 10)
        let ways = track.ways(roads, lag: lag)
        #expect(ways.prefix(30).allSatisfy { $0 == 2 } && ways.suffix(30).allSatisfy { $0 == 4 })
        #expect(ways.count { $0 == 1 } >= 10)
        #expect(ways.count { $0 == 3 } <= 3)
    }

    @Test(arguments: lags) func turnsRound(lag: Duration?) throws {
        var map = DrawnMap()
        map.road(1, [(0, 0), (1_000, 0)])
        map.road(2, [(1_000, 0), (2_000, 0)])
        map.road(3, [(600, 0), (600, 300)])
        let roads = try map.roads()
        var track = DrawnTrack(seed: 6)
        track.drive([(0, 0), (750, 0)], speed: 14)
        track.drive([(750, 0), (600, 0), (600, 300)], speed: 10)
        let ways = track.ways(roads, lag: lag)
        #expect(!ways.contains(2) && ways.suffix(20).allSatisfy { $0 == 3 })
    }

    @Test(arguments: lags) func standsStillAtALight(lag: Duration?) throws {
        var map = DrawnMap()
        map.road(1, [(-600, 0), (0, 0), (600, 0)], ["highway": "primary"])
        map.road(2, [(0, -400), (0, 0), (0, 400)])
        let roads = try map.roads()
        var shares: [Double] = []
        for seed: UInt64 in 1...5 {
            var track = DrawnTrack(seed: seed, sigma: 8)
            track.drive([(-600, 0), (-60, 0)], speed: 14)
            track.drive([(-60, 0), (-20, 0)], speed: 8)
            track.drive([(-20, 0), (-6, 0)], speed: 3)
            track.stand((-6, 0), seconds: 90)
            track.drive([(-6, 0), (10, 0)], speed: 4)
            track.drive([(10, 0), (600, 0)], speed: 14)
            let share = share(track.ways(roads, lag: lag), on: 1)
            #expect(share > (lag == nil ? 0.97 : 0.7), "seed \(seed)")
            shares.append(share)
        }
        // At once nobody knows on which side of the crossing a car stands when the receiver is 10 m off.
        #expect(shares.reduce(0, +) / Double(shares.count) > 0.9)
    }

    @Test func takesTheRoadOnlyWhereTheCarParkHasNone() throws {
        var map = DrawnMap()
        map.road(1, [(-600, 0), (0, 0), (600, 0)], ["highway": "primary"])
        map.road(2, [(0, 0), (0, 60), (60, 60)], ["highway": "service", "service": "parking_aisle"])
        let roads = try map.roads()
        var track = DrawnTrack(seed: 8)
        track.drive([(-600, 0), (0, 0)], speed: 12)
        track.drive([(0, 0), (0, 60), (50, 60)], speed: 4)
        track.stand((50, 60), seconds: 60)
        let ways = track.ways(roads)
        #expect(ways.prefix(45).allSatisfy { $0 == 1 })
        #expect(ways.suffix(60).allSatisfy { $0 == 2 })
    }

    @Test func doesNotTakeAOneWayRoadTheWrongWay() throws {
        var map = DrawnMap()
        // A dual carriageway, 14 m apart: east in the south, west in the north.
        map.road(1, [(-1_000, -7), (1_000, -7)], ["highway": "primary", "oneway": "yes"])
        map.road(2, [(1_000, 7), (-1_000, 7)], ["highway": "primary", "oneway": "yes"])
        let roads = try map.roads()
        for seed: UInt64 in 1...5 {
            var east = DrawnTrack(seed: seed, sigma: 12)
            east.drive([(-1_000, -7), (1_000, -7)], speed: 20)
            #expect(share(east.ways(roads, lag: .zero), on: 1) > 0.97, "seed \(seed)")
            var west = DrawnTrack(seed: seed, sigma: 12)
            west.drive([(1_000, 7), (-1_000, 7)], speed: 20)
            #expect(share(west.ways(roads, lag: .zero), on: 2) > 0.97, "seed \(seed)")
        }
    }

    /// Whoever does drive the wrong way is not moved to a road on which nobody is.
    @Test func isNotMovedAwayByDrivingTheWrongWay() throws {
        var map = DrawnMap()
        map.road(1, [(-800, 0), (800, 0)], ["highway": "residential", "oneway": "yes"])
        map.road(2, [(-800, 150), (800, 150)])
        map.road(3, [(-800, 0), (-800, 150)])
        map.road(4, [(800, 0), (800, 150)])
        let roads = try map.roads()
        var track = DrawnTrack(seed: 9)
        track.drive([(700, 0), (-700, 0)], speed: 8)
        #expect(share(track.ways(roads, lag: .zero), on: 0, 1) == 1)
        #expect(share(track.ways(roads, mode: .foot, lag: .zero), on: 1) > 0.98)
    }

    @Test func goesByFerry() throws {
        var map = DrawnMap()
        map.road(1, [(-500, 0), (0, 0)])
        map.road(2, [(0, 0), (100, 400), (0, 900)], ["route": "ferry"])
        map.road(3, [(0, 900), (500, 900)])
        let roads = try map.roads()
        var track = DrawnTrack(seed: 10)
        track.drive([(-500, 0), (0, 0)], speed: 12)
        track.drive([(0, 0), (100, 400), (0, 900)], speed: 4)
        track.drive([(0, 900), (500, 900)], speed: 12)
        let ways = track.ways(roads)
        #expect(share(ways, on: 1, 2, 3) > 0.98)
        #expect(ways[60..<240].allSatisfy { $0 == 2 })
    }

    @Test(arguments: lags) func leavesTheRoads(lag: Duration?) throws {
        var map = DrawnMap()
        map.road(1, [(-800, 0), (800, 0)])
        let roads = try map.roads()
        var track = DrawnTrack(seed: 11)
        track.drive([(-600, 0), (0, 0)], speed: 12)
        track.drive([(0, 0), (0, 400)], speed: 6)
        track.drive([(0, 400), (300, 400)], speed: 6)
        let ways = track.ways(roads, lag: lag)
        #expect(ways.prefix(45).allSatisfy { $0 == 1 })
        #expect(ways.suffix(100).allSatisfy { $0 == 0 })
    }

    /// A field path that the map does not know, beside a road.
    @Test func doesNotTakeARoadForAPathBesideIt() throws {
        var map = DrawnMap()
        map.road(1, [(-800, 0), (800, 0)])
        var track = DrawnTrack(seed: 12)
        track.drive([(-600, 70), (600, 70)], speed: 10)
        #expect(share(track.ways(try map.roads(), lag: .zero), on: 0) == 1)
    }

    @Test func findsNoRoadInAnotherRegion() throws {
        let roads = try RoadFileTests.map().roads()
        var matcher = MapMatcher(roads: roads)
        for (latitude, longitude) in [(52.4, 8.7), (49.4, -170), (-90, 0), (90, 180), (0, 0)] {
            let place = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
            let matches = matcher.process(Position(time: nil, coordinate: place))
            #expect(matches.count == 1 && matches.allSatisfy { $0.match == nil })
        }
    }

    // MARK: Input

    private func street() throws -> Roads {
        var map = DrawnMap()
        map.road(1, [(-800, 0), (0, 0), (800, 0)])
        map.road(2, [(0, -800), (0, 0), (0, 800)])
        return try map.roads()
    }

    @Test func answersEveryFixOnceAndInOrder() throws {
        let roads = try street()
        var track = DrawnTrack(seed: 13)
        track.drive([(-700, 0), (700, 0)], speed: 5)
        for lag: Duration? in [nil, .zero, .seconds(5), .seconds(1_000)] {
            var matcher = MapMatcher(roads: roads, lag: lag)
            var answers: [MapMatcher.FixMatch] = []
            for (index, fix) in track.fixes.enumerated() {
                answers += matcher.process(fix)
                if lag == .zero { #expect(answers.count == index + 1) }
                if lag == .seconds(5) { #expect(answers.count == max(0, index - 4)) }
            }
            answers += matcher.finish()
            #expect(answers.map(\.position) == track.fixes)
            #expect(matcher.finish().isEmpty)
        }
    }

    /// Without a lag what all hypotheses agree on is let go: memory does not grow with the track.
    @Test func decidesOfALongTrackWhatIsCertain() throws {
        let roads = try street()
        var track = DrawnTrack(seed: 14)
        track.drive([(-700, 0), (700, 0), (-700, 0), (700, 0), (-700, 0)], speed: 5)
        var matcher = MapMatcher(roads: roads, lag: nil)
        let early = track.fixes.flatMap { matcher.process($0) }
        #expect(early.count > track.fixes.count / 2)
        #expect(early.count + matcher.finish().count == track.fixes.count)
    }

    @Test func matchesFixesWithoutTimeSpeedAndCourse() throws {
        let roads = try street()
        var track = DrawnTrack(seed: 15)
        track.drive([(-700, 0), (700, 0)], speed: 10, interval: 5, hasCourse: false)
        #expect(share(track.ways(roads), on: 1) > 0.97)
        for index in track.fixes.indices {
            track.fixes[index].time = nil
            track.fixes[index].accuracy = nil
        }
        #expect(share(track.ways(roads), on: 1) > 0.97)
    }

    @Test func goesOnAfterAGap() throws {
        let roads = try street()
        for gap in [40.0, 600] {
            var track = DrawnTrack(seed: 16)
            track.drive([(-700, 0), (-400, 0)], speed: 10)
            track.wait(seconds: gap)
            track.drive([(0, 100), (0, 700)], speed: 10)
            let ways = track.ways(roads)
            #expect(ways.prefix(30).allSatisfy { $0 == 1 } && ways.suffix(58).allSatisfy { $0 == 2 }, "\(gap) s")
        }
    }

    @Test func matchesASinglePoint() throws {
        let roads = try street()
        for lag in MapMatcherTests.lags {
            var track = DrawnTrack(seed: 17)
            track.stand((300, 0), seconds: 1)
            var matcher = MapMatcher(roads: roads, lag: lag)
            let match = try #require((matcher.process(track.fixes[0]) + matcher.finish()).first?.match)
            #expect(match.wayID == 1 && match.confidence > 0.9)
            #expect(abs(DrawnMap.point(match.position.coordinate).north) < 0.1)
        }
    }

    @Test func beginsAnewWhenTimeGoesBack() throws {
        let roads = try street()
        var track = DrawnTrack(seed: 18)
        track.drive([(-700, 0), (-300, 0)], speed: 10)
        let fixes = track.fixes + track.fixes.reversed()
        var matcher = MapMatcher(roads: roads)
        let answers = fixes.flatMap { matcher.process($0) } + matcher.finish()
        #expect(answers.count == fixes.count && answers.allSatisfy { $0.match?.wayID == 1 })
    }

    @Test func isSureOnALonelyRoadAndNotBetweenTwo() throws {
        var map = DrawnMap()
        map.road(1, [(-800, 0), (800, 0)])
        map.road(2, [(1_000, -5), (2_800, -5)])
        map.road(3, [(1_000, 5), (2_800, 5)])
        let roads = try map.roads()
        func confidence(_ points: [(Double, Double)]) -> Double {
            var all: [Double] = []
            for seed: UInt64 in 1...10 {
                var track = DrawnTrack(seed: seed, sigma: 10)
                track.drive(points, speed: 15)
                var matcher = MapMatcher(roads: roads)
                all += track.fixes.flatMap { matcher.process($0) }.compactMap { $0.match?.confidence }
            }
            return all.reduce(0, +) / Double(max(all.count, 1))
        }
        #expect(confidence([(-700, 0), (700, 0)]) > 0.99)
        #expect(confidence([(1_100, 0), (2_700, 0)]) < 0.9)
    }
}
