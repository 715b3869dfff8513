import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

@Suite struct SimulatedRouteSourceTests {
    private func corners(_ places: (Double, Double)...) throws -> [Coordinate] {
        try places.map { try #require(Coordinate(latitudeDegrees: $0.0, longitudeDegrees: $0.1)) }
    }

    private var quick: RouteSimulator.Options {
        var options = RouteSimulator.Options()
        options.interval = .milliseconds(100)
        return options
    }

    @Test func drivesAWholeRouteAtOnce() async throws {
        let route = try corners((47, 8), (47.1, 8))
        let log = EventLog()
        try await SimulatedRouteSource(corners: route, playbackSpeed: 0).run { log.append($0) }
        let times = log.positions.compactMap { $0.time?.millisecondsSince1970 }
        // 11.1 km at 20 m/s, a second between positions.
        #expect(times.count == 557 && times.last.map { $0 - times[0] } == 556_000)
    }

    @Test(arguments: [(0, 1_000, 1), (-3, 1_000, 1), (.nan, 1_000, 1), (20, 50, 1), (20, 1_000, -1)] as [(Double, Int64, Double)])
    func refusesToDriveAtThatPace(speed: Double, intervalMilliseconds: Int64, playbackSpeed: Double) async throws {
        var options = RouteSimulator.Options()
        options.speedMetresPerSecond = speed
        options.interval = .milliseconds(intervalMilliseconds)
        let source = try SimulatedRouteSource(corners: corners((47, 8), (47.1, 8)), options: options, playbackSpeed: playbackSpeed)
        await #expect(throws: PositionSourceError.self) { try await source.run { _ in } }
    }

    @Test func changesSpeedIntervalAndNoiseWhileItDrives() async throws {
        let route = try corners((47, 8), (47.1, 8))
        let source = SimulatedRouteSource(corners: route, playbackSpeed: 0)
        let log = EventLog()
        try await source.run { event in
            log.append(event)
            var options = source.options
            switch log.positions.count {
            case 10: options.interval = .milliseconds(200)
            case 400: options.speedMetresPerSecond = 50
            case 700: (options.accuracyMetres, options.noise) = (25, NoiseModel(sigmaMetres: 20, seed: 4))
            default: return
            }
            do { try source.change(to: options) } catch { Issue.record(error) }
        }
        let found = log.positions
        /// The way and the time from a position to the next one.
        func step(_ number: Int) -> (metres: Double, milliseconds: Int64) {
            let (before, after) = (found[number], found[number + 1])
            return (
                Geodesic.distanceMetres(from: before.coordinate, to: after.coordinate),
                (after.time?.millisecondsSince1970 ?? 0) - (before.time?.millisecondsSince1970 ?? 0)
            )
        }
        let clean = found.firstIndex { $0.accuracy?.radiusMetres == 25 } ?? 0
        #expect(clean >= 700)
        // Every step is as long as its speed carries: 20 or 50 m/s, in 1 s or 0.2 s.
        for number in 0..<(clean - 1) {
            let (metres, milliseconds) = step(number)
            let speed = found[number + 1].speedMetresPerSecond ?? 0
            #expect(speed == 20 || speed == 50)
            #expect(milliseconds == 1_000 || milliseconds == 200)
            #expect(abs(metres - speed * Double(milliseconds) / 1_000) < 0.01, "\(number): \(metres) m in \(milliseconds) ms")
        }
        #expect(step(8).milliseconds == 1_000 && step(379).milliseconds == 200)
        #expect(found[..<clean].contains { $0.speedMetresPerSecond == 50 })
        #expect(Set(found[clean...].map(\.coordinate.longitudeDegrees)).count > 100, "the noise goes east and west")
        #expect(log.events.last == .finished)
    }

    @Test func drivesOnAtOnceWithAShorterInterval() async throws {
        var slow = RouteSimulator.Options()
        slow.interval = .seconds(86_400)
        let source = try SimulatedRouteSource(corners: corners((47, 8), (47.1, 8)), options: slow)
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            try source.change(to: quick)
            #expect(await log.waits { $0.positions.count >= 3 })
            let metres = Geodesic.distanceMetres(from: log.positions[0].coordinate, to: log.positions[1].coordinate)
            #expect(abs(metres - 2) < 0.01, "20 m/s for 0.1 s")
        }
    }

    @Test func refusesAChangeToWhatCannotBeDriven() async throws {
        let source = try SimulatedRouteSource(corners: corners((47, 8), (47.0001, 8)), options: quick, playbackSpeed: 0)
        for bad in [0, -1, Double.nan, .infinity] {
            var (fast, sure) = (quick, quick)
            (fast.speedMetresPerSecond, sure.accuracyMetres) = (bad, bad)
            #expect(throws: PlaybackError.self) { try source.change(to: fast) }
            #expect(throws: PlaybackError.self) { try source.change(to: sure) }
        }
        var options = quick
        for noise in [NoiseModel(sigmaMetres: -1), NoiseModel(sigmaMetres: .nan), NoiseModel(sigmaMetres: 1, correlationSeconds: 0)] {
            options.noise = noise
            #expect(throws: PlaybackError.self) { try source.change(to: options) }
        }
        #expect(source.options == quick)
        let log = EventLog()
        try await source.run { log.append($0) }
        #expect(log.positions.count == 7)
    }

    @Test func keepsTheContract() async throws {
        let route = try corners((47, 8), (47.0001, 8))
        let violations = await PositionSourceContract().violations { SimulatedRouteSource(corners: route, options: quick) }
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func drivesToTheEndAndFinishes() async throws {
        let route = try corners((47, 8), (47.0001, 8))
        let log = EventLog()
        try await SimulatedRouteSource(corners: route, options: quick).run { log.append($0) }
        #expect(log.events.last == .finished)
        #expect(log.positions.first?.coordinate == route[0])
        #expect(log.positions.last?.coordinate == route[1])
        // 11.1 m at 2 m per step.
        #expect(log.positions.count == 7)
    }

    @Test func drivesOnWhenSamplesWouldDo() async throws {
        let route = try corners((47, 8), (47.01, 8))
        let manager = PositioningManager(source: SimulatedRouteSource(corners: route, options: quick))
        let hold = await manager.hold(.within(.seconds(300)), reason: "samples")
        await manager.start(needing: nil)
        // A pause would start the drive again at its first corner.
        #expect(await manager.pace == .everyFix)
        #expect(await !manager.capabilities.canPause)
        hold.release()
        await manager.stop()
    }

    @Test func startsAgainAtTheFirstCornerInEachRun() async throws {
        let route = try corners((47, 8), (47.0001, 8))
        let source = SimulatedRouteSource(corners: route, options: quick)
        for _ in 1...2 {
            let log = EventLog()
            try await source.run { log.append($0) }
            #expect(log.positions.first?.coordinate == route[0])
        }
    }

    @Test(arguments: [BuiltInRoute.walk, .city, .freeway]) func drivesRoundAndRound(route: BuiltInRoute) async throws {
        try await running(SimulatedRouteSource(route)) { log in
            try #require(await log.waits { $0.positions.count >= 2 })
            #expect(log.positions.allSatisfy { $0.source == "sim:\(route.rawValue)" })
            let metres = Geodesic.distanceMetres(from: log.positions[0].coordinate, to: log.positions[1].coordinate)
            #expect(abs(metres - route.speedMetresPerSecond) < 0.1)
        }
    }

    @Test func standsStillAndGoesOnFromThere() async throws {
        let source = try SimulatedRouteSource(corners: corners((47, 8), (47.1, 8)), options: quick)
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count >= 3 })
            source.control.isStationary = true
            #expect(await log.waits { $0.positions.suffix(4).allSatisfy { $0.speedMetresPerSecond == 0 } })
            source.control.isStationary = false
            #expect(await log.waits { $0.positions.suffix(4).allSatisfy { $0.speedMetresPerSecond == 20 } })
            let latitudes = log.positions.map(\.coordinate.latitudeDegrees)
            #expect(latitudes == latitudes.sorted(), "never back")
        }
    }

    @Test func reportsNoFixWithoutARoute() async throws {
        try await running(SimulatedRouteSource(.none)) { log in
            #expect(await log.waits { $0.events.count >= 2 })
            #expect(log.positions.isEmpty)
        }
    }

    @Test(arguments: [
        (
            "<rte><rtept lat=\"1\" lon=\"2\"/><rtept lat=\"1.00001\" lon=\"2\"/></rte><trk><trkseg><trkpt lat=\"5\" lon=\"6\"/></trkseg></trk>",
            1.0
        ),
        ("<trk><trkseg><trkpt lat=\"5\" lon=\"6\"/></trkseg><trkseg><trkpt lat=\"5.00001\" lon=\"6\"/></trkseg></trk>", 5.0),
    ])
    func takesTheRouteOrElseTheTrackOfAFile(content: String, latitude: Double) async throws {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".gpx"
        try "<gpx version=\"1.1\">\(content)</gpx>".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let log = EventLog()
        try await SimulatedRouteSource(path: path, options: quick).run { log.append($0) }
        #expect(log.positions.count == 2)
        #expect(log.positions.first?.coordinate.latitudeDegrees == latitude)
        #expect(log.positions.first?.source == "route:\(path)")
    }

    @Test func refusesAFileWithoutPoints() async throws {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".gpx"
        try "<gpx version=\"1.1\"/>".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(throws: PositionSourceError.unusable(path: path, reason: "holds no point of a route or track")) {
            try await SimulatedRouteSource(path: path).run { _ in }
        }
    }
}
