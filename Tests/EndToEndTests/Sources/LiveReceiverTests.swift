import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// The tracker on a real gpsd, which reads a terminal that the test writes to.
    @Suite(.enabled(if: GPSDServer.isInstalled, "gpsd is not installed")) struct LiveReceiverTests {
        private let receiver = SimulatedReceiver(periodMilliseconds: 100)

        @Test func showsWhatTheReceiverSentAndLogsWhatItShows() async throws {
            let server = try await GPSDServer()
            defer { server.stop() }
            let tracker = try await TrackerProcess(source: "gpsd://127.0.0.1:\(server.port)", in: TestFolder())
            #expect(await eventually { tracker.process.errors.contains("connected to") })
            let watcher = try await tracker.watch("--json")
            try await server.play(receiver, epochs: 0..<50)
            #expect(await eventually { watcher.positions.count >= 30 })

            let sent = Dictionary(uniqueKeysWithValues: (0..<50).map { (receiver.epoch($0).time, receiver.epoch($0)) })
            let exit = try await tracker.stop()
            #expect(exit == ProgramExit(code: 0))
            #expect(try await watcher.exit() == ProgramExit(code: 69))
            let positions = watcher.positions
            for position in positions {
                let epoch = try #require(position.time.flatMap { sent[$0] })
                // gpsd writes nine decimals of a degree: a tenth of a millimetre.
                #expect(abs(position.coordinate.latitudeDegrees - epoch.coordinate.latitudeDegrees) < 1e-9)
                #expect(abs(position.coordinate.longitudeDegrees - epoch.coordinate.longitudeDegrees) < 1e-9)
                #expect(position.altitudeMSLMetres.map { abs($0 - epoch.altitudeMSLMetres) < 0.001 } == true)
                #expect(position.mode == .threeDimensional)
                #expect(position.speedMetresPerSecond.map { abs($0 - 15) < 0.01 } == true)
                #expect(position.courseDegrees == 45)
                #expect(position.accuracy?.origin == .gpsd)
                #expect(position.source == "gpsd://127.0.0.1:\(server.port)")
            }
            let track = try #require(try tracker.tracks.first)
            #expect(try await track.objections() == "")
            #expect(Set(positions.compactMap(\.time)).isSubset(of: Set(track.times)))
            #expect(track.segmentCount == 1)
        }

        @Test func goesOnAfterGpsdWasKilledAndNeverShowsAnOldFix() async throws {
            let server = try await GPSDServer()
            defer { server.stop() }
            let tracker = try await TrackerProcess(source: "gpsd://127.0.0.1:\(server.port)", in: TestFolder())
            let watcher = try await tracker.watch("--json")
            let receiver = SimulatedReceiver(periodMilliseconds: 200)
            let player = Task { try await server.play(receiver, epochs: 0..<1_000) }
            defer { player.cancel() }
            try #require(await eventually { watcher.positions.count >= 5 })

            server.kill()
            #expect(await eventually { watcher.count(class: "LOST") == 1 })
            let before = watcher.positions.count
            try await Task.sleep(for: .seconds(2))
            #expect(watcher.positions.count == before)
            try await server.start()
            let restarted = ContinuousClock.now
            #expect(await eventually { watcher.positions.count >= before + 5 })
            // Five seconds are promised; a machine that builds beside the tests gets more.
            #expect(ContinuousClock.now - restarted < .seconds(20))

            let exit = try await tracker.stop()
            #expect(exit == ProgramExit(code: 0))
            let times = watcher.positions.compactMap(\.time)
            #expect(times.count == watcher.positions.count)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(watcher.count(class: "LOST") == 1)
            let track = try #require(try tracker.tracks.first)
            #expect(track.segmentCount == 2)
            #expect(try await track.objections() == "")
        }

        @Test func waitsForAGpsdThatDoesNotRunYetAndSaysSoOnce() async throws {
            let server = try await GPSDServer(starts: false)
            defer { server.stop() }
            let tracker = try await TrackerProcess(source: "gpsd://127.0.0.1:\(server.port)", in: TestFolder())
            let watcher = try await tracker.watch("--json")
            #expect(await eventually { tracker.process.errors.contains("not connected") })
            // Three attempts more.
            try await Task.sleep(for: .seconds(4))
            #expect(tracker.process.ended == nil)
            #expect(tracker.process.errorLines.count { $0.contains("not connected") } == 1)
            let status = try await waypost("status", "--socket", "socket", in: tracker.folder)
            #expect(status.code == 1)
            #expect(status.output.contains("degraded") && status.output.contains("not connected"))

            try await server.start()
            let player = Task { [receiver] in try await server.play(receiver, epochs: 0..<1_000) }
            defer { player.cancel() }
            #expect(await eventually { watcher.positions.count >= 3 })
            let exit = try await tracker.stop()
            #expect(exit == ProgramExit(code: 0))
        }

        @Test func keepsEveryFixItHasShownWhenItIsKilled() async throws {
            let server = try await GPSDServer()
            defer { server.stop() }
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "gpsd://127.0.0.1:\(server.port)", in: folder)
            let watcher = try await tracker.watch("--json")
            let player = Task { [receiver] in try await server.play(receiver, epochs: 0..<1_000) }
            defer { player.cancel() }
            try #require(await eventually { watcher.positions.count >= 40 })
            let exit = try await tracker.stop(with: SIGKILL)
            #expect(exit == ProgramExit(signal: SIGKILL))
            #expect(try await watcher.exit() == ProgramExit(code: 69))
            let shown = Set(watcher.positions.compactMap(\.time))
            #expect(try tracker.tracks.isEmpty)

            // The socket's name is still there; the next start replaces it.
            let next = try ProgramProcess(
                [Program.waypostd.path, "--source", "nmea:\(Package.drive)?speed=0"] + TrackerProcess.options, in: folder)
            #expect(try await next.exit() == ProgramExit(code: 0))
            #expect(next.errors.contains("recovered \(folder.path("log"))/"))
            let tracks = try tracker.tracks
            #expect(tracks.count == 2)
            for track in tracks { #expect(try await track.objections() == "") }
            #expect(shown.count >= 40)
            #expect(shown.isSubset(of: Set(tracks.flatMap(\.times))))
        }
    }
}
