import Foundation
import Glibc
import Testing
import Waypost

extension EndToEnd {
    /// `waypost doctor --bench` beside a real tracker.
    struct BenchTests {
        @Test func measuresTheTrackerAndTellsNoPlace() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:city", in: folder)
            let watcher = try await tracker.watch("--json")
            try #require(await eventually { watcher.positions.count > 2 })
            let bench = try await waypost("doctor", "--bench", "--seconds", "4", "--socket", "socket", in: folder)
            #expect(bench.code == 0, "\(bench.errors)")
            let lines = bench.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
            let names = lines.map { $0.prefix { $0 != " " } }
            #expect(
                names == [
                    "waypost", "waypost", "board", "system", "kernel", "processor", "memory", "nmea", "gpx", "geodesic", "sha256", "disk",
                    "tracker",
                    "receiver", "clock", "power", "checksum",
                ], "\(bench.output)")
            func figure(_ name: String, _ pattern: Regex<(Substring, Substring)>) -> Double {
                lines.first { $0.hasPrefix(name + " ") }.flatMap { $0.firstMatch(of: pattern) }.flatMap { Double($0.1) } ?? -1
            }
            #expect(figure("nmea", /(\d+) sentences\/s$/) > 1_000 && figure("gpx", /(\d+) points\/s$/) > 1_000)
            #expect(figure("disk", /^disk +(\d+) fdatasyncs/) > 0 && figure("disk", /median ([\d.]+) ms/) > 0)
            // The kernel's own numbers, at about the same time.
            let resident = Double(try #require(tracker.process.statusField("VmRSS"))) / 1_000
            #expect(abs(figure("tracker", /resident ([\d.]+) MB/) - resident) < 8)
            #expect((4...6).contains(figure("tracker", /over (\d+) s/)) && figure("receiver", /([\d.]+) positions\/s logged/) > 0.5)
            for position in watcher.positions {
                let place = [position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees].map { String($0).prefix(5) }
                for degrees in place { #expect(!bench.output.contains(degrees)) }
            }
            // Another program finds the same checksum, and another one when a line is missing.
            try folder.write(bench.output, to: "whole")
            let sum = try await finish(["sh", "-c", "head -n -1 whole | sha256sum"], in: folder).output.prefix(64)
            #expect(lines.last == "checksum   \(sum)")
            #expect(try folder.names(in: "state/kept/state").allSatisfy { !$0.contains("bench") })
            watcher.send(SIGTERM)
            _ = try await watcher.exit()
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func refusesWhatItCannotMeasure() async throws {
            let folder = try TestFolder()
            for options in [["--root", "."], ["--json"]] {
                let result = try await finish([Program.waypost.path, "doctor", "--bench"] + options, in: folder)
                #expect(result.code == 64 && result.errors.contains("--bench measures this system, as text"), "\(result.errors)")
            }
            #expect(try await waypost("doctor", "--seconds", "5", in: folder).code == 64)
            #expect(try await waypost("doctor", "--bench", "--seconds", "0", in: folder).code == 64)
        }
    }
}
