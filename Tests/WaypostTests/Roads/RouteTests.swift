import Testing

@testable import Waypost

@Suite struct RouteTests {
    private func ways(_ route: RoadRoute) -> [Int64] { route.parts.map(\.road.wayNumber) }

    /// A square of four roads, 1 south, 2 east, 3 north, 4 west, with a diagonal footpath 5.
    private func square(_ tags: [Int64: KeyValuePairs<String, String>] = [:]) -> DrawnMap {
        var map = DrawnMap()
        let corners: [(Double, Double)] = [(0, 0), (400, 0), (400, 400), (0, 400)]
        for number in 0..<4 {
            map.road(
                Int64(number + 1), [corners[number], corners[(number + 1) % 4]], tags[Int64(number + 1)] ?? ["highway": "residential"])
        }
        map.road(5, [(0, 0), (400, 400)], ["highway": "footway"])
        return map
    }

    @Test func takesTheShorterWay() throws {
        let route = try square().roads().route([DrawnMap.place(100, 3), DrawnMap.place(402, 200)], mode: .car)
        #expect(route.offsetsMetres.map { $0.rounded() } == [3, 2])
        #expect(ways(route) == [1, 2])
        // 300 m and 200 m, from the drawing.
        #expect(abs(route.lengthMetres - 500) < 0.5)
        let first = DrawnMap.point(try #require(route.coordinates.first))
        let last = DrawnMap.point(try #require(route.coordinates.last))
        #expect(abs(first.east - 100) < 0.1 && abs(first.north) < 0.1 && abs(last.east - 400) < 0.1 && abs(last.north - 200) < 0.1)
        // A residential road is taken at 30 km/h: 60 s, and something for the turn.
        #expect(route.seconds > 60 && route.seconds < 70)
    }

    @Test func goesRoundAOneWayRoad() throws {
        let roads = try square([2: ["highway": "residential", "oneway": "-1"]]).roads()
        let places = [DrawnMap.place(100, 0), DrawnMap.place(400, 200)]
        #expect(ways(try roads.route(places, mode: .car)) == [1, 4, 3, 2])
        #expect(ways(try roads.route(places, mode: .foot)) == [1, 2])
    }

    @Test func takesTheFootpathOnFootOnly() throws {
        let roads = try square().roads()
        let places = [DrawnMap.place(0, 1), DrawnMap.place(399, 400)]
        #expect(ways(try roads.route(places, mode: .foot)) == [5])
        #expect(!ways(try roads.route(places, mode: .car)).contains(5))
        #expect(!ways(try roads.route(places, mode: .bicycle)).contains(5))
    }

    @Test func doesNotPassABarrier() throws {
        var map = square()
        map.close(400, 0, ["barrier": "bollard"])
        let roads = try map.roads()
        let places = [DrawnMap.place(100, 0), DrawnMap.place(400, 100)]
        #expect(ways(try roads.route(places, mode: .car)) == [1, 4, 3, 2])
        #expect(ways(try roads.route(places, mode: .bicycle)) == [1, 2])
    }

    @Test func keepsForbiddenTurns() throws {
        var map = square()
        let via = map.node(DrawnMap.Point(east: 400, north: 0))
        map.restrict(TurnRestriction(from: 1, via: via, to: 2, modes: [.car]))
        let roads = try map.roads()
        #expect(roads.summary.turnCount == 1)
        let places = [DrawnMap.place(100, 0), DrawnMap.place(400, 100)]
        #expect(ways(try roads.route(places, mode: .car)) == [1, 4, 3, 2])
        #expect(ways(try roads.route(places, mode: .bicycle)) == [1, 2])
        #expect(ways(try roads.route(Array(places.reversed()), mode: .car)) == [2, 1])
    }

    @Test func keepsTheOnlyTurnThatIsAllowed() throws {
        var map = square()
        map.road(6, [(400, 0), (800, 0)])
        let via = map.node(DrawnMap.Point(east: 400, north: 0))
        map.restrict(TurnRestriction(from: 1, via: via, to: 6, isOnly: true))
        let roads = try map.roads()
        #expect(ways(try roads.route([DrawnMap.place(100, 0), DrawnMap.place(400, 100)], mode: .car)) == [1, 4, 3, 2])
        #expect(ways(try roads.route([DrawnMap.place(100, 0), DrawnMap.place(700, 0)], mode: .car)) == [1, 6])
    }

    @Test func usesRoadsOfLimitedAccessToArriveOnly() throws {
        let roads = try square([2: ["highway": "residential", "access": "destination"]]).roads()
        #expect(ways(try roads.route([DrawnMap.place(350, 0), DrawnMap.place(350, 400)], mode: .car)) == [1, 4, 3])
        #expect(ways(try roads.route([DrawnMap.place(350, 0), DrawnMap.place(400, 200)], mode: .car)) == [1, 2])
    }

    @Test func goesOverEveryPlaceInOrder() throws {
        let roads = try square().roads()
        let route = try roads.route([DrawnMap.place(100, 0), DrawnMap.place(0, 200), DrawnMap.place(100, 400)], mode: .car)
        #expect(ways(route) == [1, 4, 3])
        #expect(abs(route.lengthMetres - 600) < 0.5)
    }

    @Test func crossesNothingBelowABridge() throws {
        var map = DrawnMap()
        map.road(1, [(-200, 0), (200, 0)])
        map.road(2, [(0, -200), (0, 200)], level: 1, ["highway": "residential", "bridge": "yes", "layer": "1"])
        let roads = try map.roads()
        #expect(throws: RouteError.noWay(from: 0)) { try roads.route([DrawnMap.place(-100, 0), DrawnMap.place(0, 100)], mode: .car) }
    }

    @Test func saysWhichPlaceHasNoRoad() throws {
        let roads = try square().roads()
        #expect(throws: RouteError.noRoad(place: 1)) { try roads.route([DrawnMap.place(0, 0), DrawnMap.place(5_000, 0)], mode: .car) }
        #expect(throws: RouteError.noRoad(place: 0)) {
            try roads.route([Coordinate(cuttingLatitudeDegrees: -33, wrappingLongitudeDegrees: 151), DrawnMap.place(0, 0)], mode: .foot)
        }
    }

    /// On seeded random grids A* finds what a plain search over all junctions finds.
    @Test(arguments: 0..<8) func findsTheQuickestWayOfAll(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let size = 6
        var map = DrawnMap()
        var cost: [[Double]] = Array(repeating: Array(repeating: .infinity, count: size * size), count: size * size)
        var number: Int64 = 0
        func place(_ index: Int) -> (Double, Double) { (Double(index % size) * 100, Double(index / size) * 100) }
        for index in 0..<size * size {
            for other in [index + 1, index + size] where other < size * size && (other != index + 1 || other % size != 0) {
                guard Double.random(in: 0..<1, using: &generator) < 0.8 else { continue }
                number += 1
                let isOneWay = Double.random(in: 0..<1, using: &generator) < 0.3
                map.road(number, [place(index), place(other)], ["highway": "residential", "oneway": isOneWay ? "yes" : "no"])
                cost[index][other] = 100
                if !isOneWay { cost[other][index] = 100 }
            }
        }
        for middle in cost.indices {
            for from in cost.indices {
                for to in cost.indices { cost[from][to] = min(cost[from][to], cost[from][middle] + cost[middle][to]) }
            }
        }
        let roads = try map.roads()
        for _ in 0..<20 {
            let from = Int.random(in: 0..<size * size, using: &generator)
            let to = Int.random(in: 0..<size * size, using: &generator)
            guard from != to, cost[from][to] < .infinity else { continue }
            let (start, end) = (place(from), place(to))
            let route = try? roads.route([DrawnMap.place(start.0, start.1), DrawnMap.place(end.0, end.1)], mode: .car)
            // Turns cost time, so that the quickest way may be a few blocks longer than the shortest one, but never shorter.
            let length = try #require(route).lengthMetres
            #expect(length > cost[from][to] - 1 && length < cost[from][to] + 401, "\(from) to \(to)")
        }
    }
}
