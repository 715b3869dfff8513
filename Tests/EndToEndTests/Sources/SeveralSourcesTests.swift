import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// The tracker with several sources in their order of preference.
    @Suite struct SeveralSourcesTests {
        @Test(.enabled(if: GPSDServer.isInstalled, "gpsd is not installed"))
        func theSecondSourceStandsInAndStatusSaysWhy() async throws {
            let (first, second) = (try await GPSDServer(), try await GPSDServer())
            defer { [first, second].forEach { $0.stop() } }
            let (firstURL, secondURL) = ("gpsd://127.0.0.1:\(first.port)", "gpsd://127.0.0.1:\(second.port)")
            let tracker = try await TrackerProcess(source: firstURL, in: TestFolder(), options: ["--source", secondURL])
            let watcher = try await tracker.watch("--json")
            let receiver = SimulatedReceiver(periodMilliseconds: 200)
            let players = [first, second].map { server in Task { try await server.play(receiver, epochs: 0..<1_000) } }
            defer { players.forEach { $0.cancel() } }
            try #require(await eventually { watcher.positions.count >= 5 })
            first.kill()
            #expect(await eventually { watcher.positions.last?.source == secondURL })

            let run = try await waypost("status", "--json", "--socket", "socket", in: tracker.folder)
            let status = try JSONParser().parse(Array(run.output.utf8))
            #expect(status["source"]?["url"]?.string == secondURL)
            #expect(status["sources"]?.array?.map { $0["url"]?.string } == [firstURL, secondURL])
            #expect(status["sources"]?.array?.map { $0["state"]?.string } == ["lost", "fix"])
            #expect(status["last_switch"]?["from"]?.string == firstURL)
            #expect(try await waypost("status", "--socket", "socket", in: tracker.folder).output.contains("instead of \(firstURL)"))
            #expect(tracker.process.errors.contains("source \(secondURL) instead of \(firstURL)"))

            let exit = try await tracker.stop()
            #expect(exit == ProgramExit(code: 0))
            let times = watcher.positions.compactMap(\.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(Set(watcher.positions.compactMap(\.source)) == [firstURL, secondURL])
        }

        @Test func recordingsArePlayedOneAfterTheOtherAndAMissingOneIsSaid() async throws {
            let folder = try TestFolder()
            let receiver = SimulatedReceiver()
            try folder.write((0..<20).map { receiver.epoch($0).text }.joined(), to: "first.nmea")
            try folder.write((20..<50).map { receiver.epoch($0).text }.joined(), to: "second.nmea")
            let sources = ["first", "missing", "second"].flatMap { ["--source", "nmea:\($0).nmea?speed=0"] }
            let process = try ProgramProcess([Program.waypostd.path] + sources + TrackerProcess.options, in: folder)
            #expect(try await process.exit() == ProgramExit(code: 0))
            #expect(process.errors.contains("nmea:missing.nmea: cannot be opened: No such file or directory"))
            let tracks = try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }.map { try GPXFile(path: folder.path("log/\($0)")) }
            #expect(tracks.flatMap(\.times) == (0..<50).map { receiver.epoch($0).time })
        }
    }
}
