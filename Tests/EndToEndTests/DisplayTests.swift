import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What people see is in their units and by their clocks; data is in SI units and UTC.
    struct DisplayTests {
        /// A tracker that does not answer at once: a terminal says what is waited for, and nothing else gets a byte of it.
        @Test func saysOnATerminalWhatItWaitsFor() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            let terminal = try PseudoTerminal()
            tracker.process.send(SIGSTOP)
            // Connected already, it has no answer.
            let script = #"exec "$0" dispatch now --socket socket 2>"$1""#
            let shown = try ProgramProcess(["bash", "-c", script, Program.waypost.path, terminal.path], in: folder)
            let quiet = try ProgramProcess([Program.waypost.path, "dispatch", "now", "--socket", "socket"], in: folder)
            try await Task.sleep(for: .milliseconds(3_500))
            tracker.process.send(SIGCONT)
            _ = try await (shown.exit(), quiet.exit())
            let text = String(decoding: terminal.received(), as: UTF8.self)
            #expect(text.contains("waiting for the tracker: "), "\(text)")
            // It is gone at the end.
            #expect(text.contains("\r\u{1B}[K"))
            #expect(!quiet.errors.contains("waiting for"))
            _ = try await tracker.stop()
        }

        /// Commands without a tracker, too: on the screen everything is in the units and by the clocks of who looks.
        @Test func showsLocalTimeAndUnitsOfFiles() async throws {
            let folder = try TestFolder()
            let nodes = ["n1 x8.69 y49.4", "n2 x8.7 y49.4", "n3 x8.71 y49.4", "w10 Thighway=primary,name=Hauptweg Nn1,n2,n3"]
            try folder.write(nodes.map { $0 + "\n" }.joined(), to: "village.opl")
            try folder.write(
                "time,lat,lon,speed,track\n2026-11-21T20:00:00Z,49.40004,8.699,10,90\n2026-11-21T20:00:05Z,49.40004,8.6997,10,90\n",
                to: "drive.csv")
            try folder.write(
                #"{"type":"Feature","properties":{"name":"a","radius":3,"expires":"2020-01-01T20:00:00Z"},"geometry":{"type":"Point","coordinates":[8,47]}}"#,
                to: "small.geojson")
            func run(_ arguments: String..., units: [String] = ["--units", "imperial"]) async throws -> Finished {
                try await finish(["env", "TZ=Asia/Tokyo", Program.waypost.path] + arguments + units, in: folder)
            }
            let built = try await run("roads", "build", "village.opl", "village.roads")
            #expect(built.output.contains(" mi of roads"), "\(built)")
            let match = try await run("match", "village.roads", "drive.csv")
            #expect(match.output.hasPrefix("2026-11-22 05:00:00 ") && match.output.contains(" ft, "), "\(match)")
            let data = try await run("match", "village.roads", "drive.csv", "--json")
            #expect(data.output.contains("2026-11-21T20:00:00.000Z") && data.output.contains("\"offset_m\":4.4"), "\(data)")
            let check = try await run("fences", "check", "small.geojson")
            #expect(check.errors.contains("its radius of 9.8 ft is less than a receiver's error (32.8 ft)"), "\(check)")
            #expect(check.errors.contains("has expired at 2020-01-02 05:00:00 (UTC+9)"), "\(check)")
            let route = try await run("route", "village.roads", "--from", "49.4009,8.691", "--to", "49.4,8.71")
            #expect(route.errors.contains("begins 328 ft from --from"), "\(route)")
            #expect(route.output.contains("begins 100 m from --from"), "a file is in metres")
            // [display] holds where nothing else is said.
            try FileManager.default.createDirectory(atPath: folder.path(".config/waypost"), withIntermediateDirectories: true)
            try folder.write("[display]\nunits = \"nautical\"\ntime_zone = \"Asia/Kathmandu\"\n", to: ".config/waypost/waypost.toml")
            let own = try await finish(["env", "-u", "TZ", Program.waypost.path, "match", "village.roads", "drive.csv"], in: folder)
            if getuid() != 0 { #expect(own.output.hasPrefix("2026-11-22 01:45:00 "), "\(own)") }
        }

        @Test func showsLocalTimeAndUnitsAndKeepsThemOutOfData() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let configuration = try folder.write("[display]\nunits = \"imperial\"\ntime_zone = \"Asia/Kathmandu\"\n", to: "waypost.toml")
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", configuration])
            // TZ would go before the tracker's settings.
            let bare = ["env", "-u", "TZ", Program.waypost.path]
            let words = try ProgramProcess(bare + ["watch", "--socket", "socket", "--count", "1"], in: folder)
            let json = try await tracker.watch("--json", "--count", "1")
            let receiver = SimulatedReceiver()
            var index = 0
            while words.ended == nil || index < 3 {
                try fifo.write(receiver.epoch(index).text)
                index += 1
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await words.exit() == ProgramExit(code: 0))
            #expect(try await json.exit() == ProgramExit(code: 0))
            // The tracker's own settings, without one word on this command line.
            #expect(words.output.hasPrefix("2026-03-01 17:4"), "\(words.output)")
            #expect(words.output.contains(" ft") && !words.output.contains(" m "))
            #expect(json.positions.first?.time == receiver.epoch(0).time)

            func status(_ arguments: String..., zone: String? = nil) async throws -> String {
                let program = zone.map { ["env", "TZ=\($0)", Program.waypost.path] } ?? bare
                return try await finish(program + ["status", "--socket", "socket"] + arguments, in: folder).output
            }
            #expect(try await status().contains("at 2026-03-01 17:4"))
            // Who asks has the last word.
            let mine = try await status("--units", "metric", zone: "Asia/Tokyo")
            #expect(mine.contains("at 2026-03-01 21:0") && !mine.contains(" ft"), "\(mine)")
            let data = try JSONParser().parse(Array(try await status("--json", zone: "Asia/Tokyo").utf8))
            #expect(data["position"]?["time"]?.string?.hasPrefix("2026-03-01T12:0") == true)
            let list = try await waypost("log", "list", "--log", "log", in: folder, environment: ["TZ": "Asia/Tokyo"])
            #expect(list.output.contains("  2026-03-01 21:00  "), "\(list.output)")
            #expect(list.output.contains("iB"))
            // A log of a tracker whose configuration is elsewhere: its own clocks.
            let own = try await finish(bare + ["log", "list", "--log", "log", "--socket", "socket"], in: folder)
            #expect(own.output.contains("  2026-03-01 17:45  "), "\(own)")
            let export = bare + ["log", "export", "--log", "log", "--socket", "socket", "--since"]
            #expect(try await finish(export + ["2026-03-01 17:45"], in: folder).output.contains("2026-03-01T12:00:00"))
            #expect(try await finish(export + ["2026-03-01 18:45"], in: folder).output.isEmpty)
            fifo.close()
            _ = try await tracker.process.exit()
            let track = try #require(try tracker.tracks.first)
            #expect(track.text.contains("2026-03-01T12:00:00Z"))
        }
    }
}
