import Testing
import Waypost

@Suite struct RouteSimulatorTests {
    private func corners(_ places: (Double, Double)...) throws -> [Coordinate] {
        try places.map { try #require(Coordinate(latitudeDegrees: $0.0, longitudeDegrees: $0.1)) }
    }

    @Test func drivesAtAConstantSpeedToTheEnd() throws {
        let route = try corners((47, 8), (47.01, 8), (47.01, 8.01))
        var simulator = try #require(RouteSimulator(route: route))
        var positions: [Position] = []
        while let position = simulator.next() { positions.append(position) }
        // 1111.8 m and 760.4 m, 20 m at a time: the last step is shorter.
        #expect(positions.count == Int((simulator.lengthMetres / 20).rounded(.up)) + 1)
        #expect(positions.first?.coordinate == route[0])
        #expect(positions.last?.coordinate == route[2])
        #expect(positions.last?.speedMetresPerSecond == 0)
        let inTheFirstLeg = Int(Geodesic.distanceMetres(from: route[0], to: route[1]) / 20)
        for (start, end) in zip(positions, positions.dropFirst()).prefix(inTheFirstLeg) {
            #expect(abs(Geodesic.distanceMetres(from: start.coordinate, to: end.coordinate) - 20) < 0.001)
            #expect(start.speedMetresPerSecond == 20)
            #expect(abs((try #require(start.courseDegrees) + 180).truncatingRemainder(dividingBy: 360) - 180) < 1e-9)
        }
        #expect(simulator.next() == nil)
    }

    @Test func standsStillWhileItIsTold() throws {
        var simulator = try #require(RouteSimulator(route: corners((47, 8), (47.01, 8))))
        _ = simulator.next()
        let before = simulator.progressMetres
        simulator.isStationary = true
        let held = [simulator.next(), simulator.next()].compactMap { $0 }
        #expect(held.count == 2)
        #expect(held[0].coordinate == held[1].coordinate)
        #expect(held.allSatisfy { $0.speedMetresPerSecond == 0 })
        #expect(simulator.progressMetres == before)
        simulator.isStationary = false
        #expect(simulator.next()?.coordinate == held[0].coordinate)
        #expect(simulator.progressMetres == before + 20)
    }

    @Test func beginsAgainAfterAReset() throws {
        let route = try corners((47, 8), (47.001, 8))
        var simulator = try #require(RouteSimulator(route: route))
        while simulator.next() != nil {}
        simulator.reset()
        #expect(simulator.next()?.coordinate == route[0])
    }

    @Test func goesRoundAndRound() throws {
        var options = RouteSimulator.Options()
        options.repeats = true
        var simulator = try #require(RouteSimulator(route: corners((47, 8), (47.001, 8), (47.001, 8.001)), options: options))
        let rounds = 3
        for _ in 0..<Int(simulator.lengthMetres / 20) * rounds {
            let next = simulator.next()
            let position = try #require(next)
            #expect(position.speedMetresPerSecond == 20)
        }
    }

    @Test func standsAtASinglePlace() throws {
        let place = try corners((47, 8))
        var simulator = try #require(RouteSimulator(route: place + place))
        let first = simulator.next()
        let position = try #require(first)
        #expect(position.coordinate == place[0])
        #expect(position.courseDegrees == nil)
        #expect(RouteSimulator(route: []) == nil)
    }

    @Test func isTheSameInEveryRunOfASeed() throws {
        func drive(seed: UInt64) throws -> [Coordinate] {
            var options = RouteSimulator.Options()
            options.noise = NoiseModel(sigmaMetres: 4, seed: seed)
            var simulator = try #require(RouteSimulator(route: corners((47, 8), (47.01, 8)), options: options))
            return (0..<50).compactMap { _ in simulator.next()?.coordinate }
        }
        #expect(try drive(seed: 7) == drive(seed: 7))
        #expect(try drive(seed: 7) != drive(seed: 8))
    }

    @Test func makesNoiseOfTheSizeAndDurationAskedFor() {
        var noise = NoiseModel(sigmaMetres: 4, correlationSeconds: 30, seed: 3)
        var values: [Double] = []
        for _ in 0..<100_000 {
            noise.advance(bySeconds: 1)
            values.append(noise.errorMetres.north)
        }
        let variance = values.reduce(0) { $0 + $1 * $1 } / Double(values.count)
        let covariance = zip(values, values.dropFirst(30)).reduce(0) { $0 + $1.0 * $1.1 } / Double(values.count - 30)
        // 100 000 s hold some 3 300 independent values: a few per cent.
        #expect(abs(variance.squareRoot() - 4) < 0.3)
        #expect(abs(covariance / variance - 0.368) < 0.08)
    }

    @Test(arguments: [(BuiltInRoute.walk, 1_100.0...1_500), (.city, 4_000...7_000), (.freeway, 70_000...95_000)])
    func hasBuiltInRoundsOfASensibleLength(route: BuiltInRoute, metres: ClosedRange<Double>) throws {
        var options = RouteSimulator.Options()
        options.repeats = true
        options.speedMetresPerSecond = route.speedMetresPerSecond
        let simulator = try #require(RouteSimulator(route: route.corners, options: options))
        #expect(metres.contains(simulator.lengthMetres))
    }
}
