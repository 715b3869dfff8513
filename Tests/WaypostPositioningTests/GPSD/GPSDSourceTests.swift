import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// The real gpsd, as a user without rights, on a terminal that the test writes to.
@Suite(.enabled(if: GPSDServer.isInstalled, "gpsd is not installed")) struct GPSDSourceTests {
    @Test func givesWhatTheReceiverSaid() async throws {
        let server = try await GPSDServer()
        defer { server.stop() }
        let receiver = SimulatedReceiver(periodMilliseconds: 200)
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.events.contains { if case .status(.connected) = $0 { true } else { false } } })
            try await server.play(receiver, epochs: 0..<30)
            #expect(await log.waits { $0.positions.count >= 27 })
            let sent = Dictionary(uniqueKeysWithValues: (0..<30).map { (receiver.epoch($0).time, receiver.epoch($0)) })
            var times: [UTCTime] = []
            for position in log.positions {
                let time = try #require(position.time)
                let epoch = try #require(sent[time])
                times.append(time)
                // gpsd writes nine decimals of a degree: a tenth of a millimetre.
                #expect(abs(position.coordinate.latitudeDegrees - epoch.coordinate.latitudeDegrees) < 1e-9)
                #expect(abs(position.coordinate.longitudeDegrees - epoch.coordinate.longitudeDegrees) < 1e-9)
                #expect(position.altitudeMSLMetres.map { abs($0 - epoch.altitudeMSLMetres) < 0.001 } == true)
                #expect(position.altitudeHAEMetres.map { abs($0 - epoch.altitudeMSLMetres - 47.5) < 0.001 } == true)
                #expect(position.geoidSeparationMetres == 47.5)
                #expect(position.mode == .threeDimensional)
                #expect(position.speedMetresPerSecond.map { abs($0 - 15) < 0.01 } == true)
                #expect(position.courseDegrees == 45)
                #expect(position.quality.hdop == 0.9)
                #expect(position.quality.satellitesUsed == 8)
                #expect(position.accuracy?.origin == .gpsd)
                #expect(position.accuracy?.radiusMetres == position.quality.eph.map(RangeErrorModel.radius68(radius95Metres:)))
            }
            #expect(times == times.sorted() && Set(times).count == times.count)
            #expect(log.losses.isEmpty)
            let views = log.events.compactMap { if case .sky(let view) = $0 { view } else { nil } }
            #expect(views.last?.satellites.count == 8)
            #expect(views.last?.satellites.first { $0.number == 5 }?.signalDecibelHertz == 44)
            #expect(views.last?.satellites.allSatisfy { $0.constellation == .gps && $0.isUsed } == true)
        }
    }

    @Test(.enabled(if: SystemAccounts.ownUserID == 0, "only root can start a gpsd of somebody else's"))
    func believesNobodyWhoTakesTheDaemonsPort() async throws {
        let server = try await GPSDServer(userID: 65_534)
        defer { server.stop() }
        let receiver = SimulatedReceiver(periodMilliseconds: 200)
        let player = Task { try await server.play(receiver, epochs: 0..<400) }
        defer { player.cancel() }
        try await running(GPSDSource(host: "localhost", port: server.port)) { log in
            #expect(await log.waits { !$0.losses.isEmpty })
            #expect(log.positions.isEmpty)
            guard case .disconnected(let detail) = log.losses.first else { return #expect(Bool(false), "\(log.losses)") }
            #expect(detail.words.contains("user 65534 listens there"), "\(detail)")
            #expect(detail.advice?.hasPrefix("to trust that user, add gpsd_user = \"65534\" to this [[source]]") == true, "\(detail)")
        }
        #expect(GPSDDevices.list(port: server.port).isEmpty)
        for user in ["65534", "nobody", "any"] {
            try await running(GPSDSource(host: "127.0.0.1", port: server.port, user: user)) { log in
                #expect(await log.waits { !$0.positions.isEmpty })
            }
        }
    }

    @Test func positionsReturnWithinFiveSecondsOfARestartAndNoneIsStale() async throws {
        let server = try await GPSDServer()
        defer { server.stop() }
        let receiver = SimulatedReceiver(periodMilliseconds: 200)
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            let player = Task { try await server.play(receiver, epochs: 0..<400) }
            defer { player.cancel() }
            #expect(await log.waits { $0.positions.count >= 5 })
            server.kill()
            #expect(await log.waits { $0.losses.count == 1 })
            let before = log.positions.count
            try await Task.sleep(for: .seconds(4))
            #expect(log.positions.count == before)
            try await server.start()
            let restarted = MonotonicClock.milliseconds
            #expect(await log.waits(.seconds(5)) { $0.positions.count > before })
            print("positions returned \(MonotonicClock.milliseconds - restarted) ms after gpsd answered again")
            #expect(await log.waits { $0.positions.count >= before + 5 })
            let times = log.positions.compactMap(\.time)
            #expect(times.count == log.positions.count)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(log.losses == [.disconnected("gpsd has closed the connection")])
        }
    }

    @Test func aReceiverThatHasBeenUnpluggedIsLostOnce() async throws {
        let server = try await GPSDServer()
        defer { server.stop() }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            try await server.play(SimulatedReceiver(periodMilliseconds: 200), epochs: 0..<15)
            #expect(await log.waits { $0.positions.count >= 5 })
            server.unplug()
            #expect(await log.waits { $0.losses.count == 1 })
            let count = log.positions.count
            try await Task.sleep(for: .seconds(2))
            #expect(log.positions.count == count)
            #expect(log.losses.count == 1)
        }
    }

    @Test func aReceiverWithoutAFixSaysSoAndASilentOneIsLost() async throws {
        let server = try await GPSDServer()
        defer { server.stop() }
        let receiver = SimulatedReceiver(periodMilliseconds: 200)
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            for index in 0..<10 {
                try server.write(receiver.epochWithoutFix(index))
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(await log.waits { $0.events.contains { if case .noFix = $0 { true } else { false } } })
            #expect(log.positions.isEmpty)
            #expect(log.losses.isEmpty)
            #expect(await log.waits { $0.losses == [.silent] })
            // The daemon is still there and says so: nothing is torn down.
            try await Task.sleep(for: .seconds(6))
            #expect(log.losses == [.silent])
            #expect(log.events.count { if case .status = $0 { true } else { false } } == 1)
        }
    }

    @Test func listensToTheOneDeviceAskedFor() async throws {
        let server = try await GPSDServer()
        defer { server.stop() }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port, device: server.devicePath)) { log in
            try await server.play(SimulatedReceiver(periodMilliseconds: 200), epochs: 0..<15)
            #expect(await log.waits { $0.positions.count >= 5 })
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port, device: "/dev/not-there")) { log in
            #expect(await log.waits { $0.losses.count == 1 })
            guard case .deviceGone = log.losses.first else {
                Issue.record("\(log.events)")
                return
            }
        }
    }

    @Test func keepsTheContract() async throws {
        let server = try await GPSDServer()
        defer { server.stop() }
        let player = Task { try await server.play(SimulatedReceiver(periodMilliseconds: 100), epochs: 0..<2_000) }
        defer { player.cancel() }
        let violations = await PositionSourceContract().violations { GPSDSource(host: "127.0.0.1", port: server.port) }
        #expect(violations.isEmpty, "\(violations)")
    }
}
