import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem

/// What gpsd may say, sent by a server that follows a script, through the real libgps.
@Suite struct GPSDProtocolTests {
    @Test func takesAFixAndASkyViewAsTheyAre() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting + ScriptedGPSD.sky + ScriptedGPSD.fix(1))
            client.waitForTheEnd()
        }
        let source = GPSDSource(host: "127.0.0.1", port: server.port)
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            var expected = Position(
                time: UTCTime(year: 2026, month: 3, day: 1, millisecondOfDay: 43_201_000),
                coordinate: try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8.5)), mode: .threeDimensional)
            let position = try #require(log.positions.first)
            expected.status = position.status
            expected.altitudeMSLMetres = 400
            expected.altitudeHAEMetres = 448
            expected.accuracy = HorizontalAccuracy(radiusMetres: 6.2, origin: .gpsd)
            expected.quality.eph = 10
            expected.quality.hdop = 0.9
            expected.quality.vdop = 1.2
            expected.quality.pdop = 1.5
            expected.quality.satellitesUsed = 2
            expected.source = source.name
            #expect(position == expected)
            #expect(position.status.isMeasured)
            #expect(log.events.first == .status(.connected("gpsd 3.22")))
            guard case .sky(let view) = log.events.first(where: { if case .sky = $0 { true } else { false } }) else {
                Issue.record("no sky view")
                return
            }
            #expect(view.source == source.name)
            #expect(view.satellites.map(\.constellation) == [.gps, .glonass, .galileo])
            #expect(view.satellites.map(\.number) == [5, 70, 301])
            #expect(view.satellites.map(\.isUsed) == [true, false, true])
            #expect(view.satellites.map(\.elevationDegrees) == [10, 45.5, 5])
            #expect(view.satellites.map(\.azimuthDegrees) == [20, 359, 1])
            #expect(view.satellites.map(\.signalDecibelHertz) == [30, nil, 20])
        }
    }

    @Test func takesAFixOnlyFromATPVAndOnlyOnce() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting + ScriptedGPSD.fix(1))
            for _ in 0..<5 {
                client.send(ScriptedGPSD.sky + "{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":\"2026-03-01T12:00:00.000Z\"}\r\n")
                client.send("$GPGGA,junk\r\n{\"class\":\"NEWS\"}\r\n\r\nrubbish\r\n{\r\n" + ScriptedGPSD.fix(1))
            }
            client.send(ScriptedGPSD.fix(2))
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.positions.count >= 2 })
            #expect(log.positions.map { $0.time?.calendar.millisecondOfDay } == [43_201_000, 43_202_000])
        }
    }

    @Test func aTPVWithoutUsableCoordinatesIsNoFix() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting)
            client.send("{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"lat\":\"bad\",\"lon\":8.5}\r\n")
            client.send("{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"lat\":91.5,\"lon\":8.5}\r\n")
            client.send("{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":2}\r\n" + ScriptedGPSD.fix(3, mode: 1))
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.events.count >= 5 })
            #expect(log.positions.isEmpty)
            #expect(log.events.count { if case .noFix = $0 { true } else { false } } == 4)
        }
    }

    @Test func waitsForTheRestOfALineWithoutSpinning() async throws {
        let server = try ScriptedGPSD { client in
            let line = ScriptedGPSD.fix(1)
            client.send(ScriptedGPSD.greeting + String(line.prefix(60)))
            client.wait(2.5)
            client.send(String(line.dropFirst(60)))
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.events.count >= 1 })
            let before = try #require(cpuNanoseconds(ofThread: "gpsd:\(server.port)"))
            try await Task.sleep(for: .seconds(2))
            let used = try #require(cpuNanoseconds(ofThread: "gpsd:\(server.port)")) - before
            #expect(used < 200_000_000, "\(used) ns of CPU time in 2 s")
            #expect(await log.waits { $0.positions.count == 1 })
        }
    }

    @Test func connectsAgainAfterTheEndOfTheStreamAndTellsOneLoss() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting)
            // The second time nothing but the greeting: still the same loss.
            if client.number != 1 { client.send(ScriptedGPSD.fix(client.number + 1)) }
            if client.number >= 2 { client.waitForTheEnd() }
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.positions.count == 2 })
            #expect(log.losses == [.disconnected("gpsd has closed the connection")])
            #expect(log.events.count { $0 == .status(.connected("gpsd 3.22")) } == 3)
        }
    }

    @Test func connectsAgainAfterALineThatDoesNotFit() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting)
            if client.number == 0 { client.send(String(repeating: "x", count: 100_000)) } else { client.send(ScriptedGPSD.fix(1)) }
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            #expect(log.losses.count == 1)
        }
    }

    @Test func readsManyLinesOfOnePacket() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting + (0..<40).map { ScriptedGPSD.fix($0) }.joined())
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.positions.count == 40 })
        }
    }

    @Test func anUnpluggedReceiverIsLostAndItsFixNotRepeated() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting + ScriptedGPSD.fix(1))
            client.wait(0.2)
            client.send("{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":0}\r\n" + ScriptedGPSD.sky)
            client.wait(0.5)
            client.send("{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":\"2026-03-01T12:00:09.000Z\"}\r\n" + ScriptedGPSD.fix(9))
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits { $0.positions.count == 2 })
            #expect(log.losses == [.deviceGone("gpsd has deactivated /dev/a")])
            #expect(log.positions.map { $0.time?.calendar.millisecondOfDay } == [43_201_000, 43_209_000])
        }
    }

    @Test func aDaemonThatStopsAnsweringIsLeftAndFoundAgain() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting + ScriptedGPSD.fix(client.number + 1))
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { log in
            #expect(await log.waits(.seconds(20)) { $0.positions.count == 2 })
            #expect(log.losses == [.silent])
            #expect(log.laterReasons == [.disconnected("gpsd does not answer"), .silent])
            let lostAt = try #require(log.entries.first { $0.event == .lost(.silent) }?.at)
            let fixAt = try #require(log.entries.first { if case .position = $0.event { true } else { false } }?.at)
            #expect((4_900..<7_000).contains(lostAt - fixAt))
        }
    }

    @Test func aDeviceThatGPSDDoesNotHaveIsGoneOnceAndAskedForAgain() async throws {
        let server = try ScriptedGPSD { client in
            client.send(ScriptedGPSD.greeting)
            let missing = "{\"class\":\"ERROR\",\"message\":\"No such device as /dev/a\"}\r\n"
            client.send(client.number < 2 ? missing : ScriptedGPSD.fix(1))
            client.waitForTheEnd()
        }
        try await running(GPSDSource(host: "127.0.0.1", port: server.port, device: "/dev/a")) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            #expect(log.losses == [.deviceGone("gpsd: No such device as /dev/a")])
        }
    }

    @Test func refusesADevicePathThatGPSDCannotBeAskedFor() async {
        let source = GPSDSource(device: "/dev/\"};x")
        await #expect(throws: PositionSourceError.unusable(path: source.name, reason: "gpsd cannot be asked for a device of that path")) {
            try await source.run { _ in }
        }
    }

    @Test func aDaemonThatDoesNotRunIsLostOnceAndWaitedFor() async throws {
        let server = try ScriptedGPSD(isListening: false) { _ in }
        let port = server.port
        let duration = try await running(GPSDSource(host: "127.0.0.1", port: port)) { log in
            try await Task.sleep(for: .seconds(2))
            #expect(log.events.count == 1)
            guard case .lost(.disconnected(let reason)) = log.events.first else {
                Issue.record("\(log.events)")
                return
            }
            #expect(reason.words.contains("127.0.0.1:\(port)"))
            #expect(reason.obstacle == .noGPSD(isLocal: true))
        }
        withExtendedLifetime(server) {}
        #expect(duration < 1_000)
    }

    /// Each state that a cancellation may meet: waiting for the greeting, for a line's rest, for data, for the next try, in connect.
    @Test(arguments: ["", "{\"class\":\"TPV\"", ScriptedGPSD.greeting + ScriptedGPSD.fix(1)])
    func cancellationReturnsAtOnce(said: String) async throws {
        let server = try ScriptedGPSD { client in
            client.send(said)
            client.waitForTheEnd()
        }
        let duration = try await running(GPSDSource(host: "127.0.0.1", port: server.port)) { _ in
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(duration < 1_000)
    }

    /// 192.0.2.1 is a documentation address: connecting to it hangs, or fails at once where there is no route.
    @Test func cancellationReturnsAtOnceWhileConnecting() async throws {
        let duration = try await running(GPSDSource(host: "192.0.2.1")) { _ in try await Task.sleep(for: .milliseconds(300)) }
        #expect(duration < 1_000)
    }
}

/// CPU time of this process' thread of that name, from /proc.
private func cpuNanoseconds(ofThread name: String) -> Int? {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    for task in tasks where (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == name + "\n" {
        let schedule = try? String(contentsOfFile: "/proc/self/task/\(task)/schedstat", encoding: .utf8)
        return schedule?.split(separator: " ").first.flatMap { Int($0) }
    }
    return nil
}
