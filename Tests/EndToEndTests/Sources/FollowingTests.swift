import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// How closely the tracker follows the device, and what one can do about it from outside.
    struct FollowingTests {
        @Test func steersASimulatedDriveWhileItRuns() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:freeway", in: folder)
            let watcher = try await tracker.watch("--json")
            #expect(try await waypost("playback", "stationary", "on", "--socket", "socket", in: folder).code == 0)
            #expect(
                await eventually {
                    let last = watcher.positions.suffix(2).map(\.coordinate)
                    return last.count == 2 && last.first == last.last
                })
            #expect(try await waypost("playback", "position-lost", "on", "--socket", "socket", in: folder).code == 0)
            #expect(await eventually { watcher.count(class: "LOST") == 1 })
            let switches = try await waypost("playback", "--socket", "socket", in: folder)
            #expect(switches.outputLines == ["stationary on", "position-lost on"])
            #expect(try await waypost("playback", "position-lost", "off", "--socket", "socket", in: folder).code == 0)
            #expect(try await waypost("playback", "stationary", "off", "--socket", "socket", in: folder).code == 0)
            let count = watcher.positions.count
            #expect(await eventually { watcher.positions.count > count })
            #expect(try await waypost("playback", "reset", "--socket", "socket", in: folder).code == 0)
            _ = try await tracker.stop()
        }

        @Test func refusesToSteerAReceiver() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "nmea-tcp://127.0.0.1:1", in: folder)
            let run = try await waypost("playback", "reset", "--socket", "socket", in: folder)
            #expect(run.code == 66)
            #expect(run.complaints.count == 1)
            #expect(run.errors.contains("no recording"))
            _ = try await tracker.stop()
        }

        @Test func showsAHoldForAsLongAsItsCommandRuns() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            let hold = try ProgramProcess(.waypost, ["hold", "--reason", "photo walk", "--socket", "socket"], in: folder)
            #expect(await eventually { hold.errors.contains("kept on") })
            #expect(try await reasons(in: folder).contains("photo walk"))
            hold.send(SIGKILL)
            _ = try await hold.exit()
            var names = try await reasons(in: folder)
            for _ in 0..<100 where names.contains("photo walk") { names = try await reasons(in: folder) }
            #expect(!names.contains("photo walk"))
            let short = try await waypost("hold", "--reason", "a moment", "--seconds", "0.2", "--socket", "socket", in: folder)
            #expect(short.code == 0)
            _ = try await tracker.stop()
        }

        @Test func keepsTheLastPositionForTheNextRun() async throws {
            let folder = try TestFolder()
            let first = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try await waypost("watch", "--count", "1", "--socket", "socket", in: folder).code == 0)
            _ = try await first.stop()
            // A receiver was not where the simulation was.
            let real = try await TrackerProcess(source: "nmea-tcp://127.0.0.1:1", in: folder)
            let none = try await waypost(
                "watch", "--significant", "--json", "--count", "1", "--timeout", "1s", "--socket", "socket", in: folder)
            #expect(none.code == 75 && none.output.isEmpty)
            _ = try await real.stop()
            let second = try await TrackerProcess(source: "sim:none", in: folder)
            let run = try await waypost("watch", "--significant", "--json", "--count", "1", "--socket", "socket", in: folder)
            #expect(run.code == 0)
            let change = try JSONParser().parse(Array(run.output.utf8).dropLast())
            #expect(change["cached"]?.bool == true)
            #expect(change["source"]?.string == "sim:walk")
            _ = try await second.stop()
        }

        @Test func filtersWhatIsWatched() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:freeway", in: folder)
            let far = try await tracker.watch("--json", "--distance", "60", "--count", "3")
            #expect(try await far.exit() == ProgramExit(code: 0))
            let steps = zip(far.positions, far.positions.dropFirst()).map {
                Geodesic.distanceMetres(from: $0.coordinate, to: $1.coordinate)
            }
            #expect(steps.count == 2)
            #expect(steps.allSatisfy { $0 >= 60 })
            let events = try await waypost("watch", "--events", "--timeout", "1.5", "--socket", "socket", in: folder)
            #expect(events.code == 75)
            #expect(events.output.isEmpty)
            _ = try await tracker.stop()
        }

        @Test(arguments: [
            ["--significant", "--distance", "5"], ["--events", "--significant"], ["--distance", "-1"], ["--accuracy", "superb"],
        ]) func refusesFiltersThatContradictEachOther(options: [String]) async throws {
            let run = try await finish([Program.waypost.path, "watch"] + options, in: TestFolder())
            #expect(run.code == 64)
            #expect(run.complaints.count == 1)
        }

        @Test(.enabled(if: GPSDServer.isInstalled, "gpsd is not installed")) func letsGoOfGpsdBetweenSamples() async throws {
            let server = try await GPSDServer()
            defer { server.stop() }
            let folder = try TestFolder()
            let configuration = try folder.write(
                "[tracking]\nhigh_accuracy = false\n[power]\nhook = \"echo >>hook.log\"\n", to: "waypost.toml")
            let tracker = try await TrackerProcess(
                source: "gpsd://127.0.0.1:\(server.port)", in: folder, options: ["--config", configuration])
            let player = Task { try await server.play(SimulatedReceiver(periodMilliseconds: 200), epochs: 0..<1_000) }
            defer { player.cancel() }
            var pace: String?
            for _ in 0..<200 where pace != "asleep" {
                pace = try await status(in: folder)["following"]?["pace"]?.string
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(pace == "asleep")
            let asleep = try await status(in: folder)
            #expect(asleep["health"]?.string == "healthy")
            #expect(asleep["position"] != nil)
            #expect(await eventually { (try? folder.text("hook.log")) == "off\n" })
            // Somebody who wants every fix has it at once.
            let watcher = try await tracker.watch("--json", "--count", "5")
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            #expect(watcher.count(class: "LOST") == 0)
            #expect(try folder.text("hook.log").hasPrefix("off\non\n"))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            #expect(!tracker.process.errors.contains("position lost"))
        }

        private func status(in folder: TestFolder) async throws -> JSONValue {
            try JSONParser().parse(Array(try await waypost("status", "--json", "--socket", "socket", in: folder).output.utf8))
        }

        private func reasons(in folder: TestFolder) async throws -> [String] {
            (try await status(in: folder)["following"]?["for"]?.array ?? []).compactMap { $0["reason"]?.string }
        }
    }
}
