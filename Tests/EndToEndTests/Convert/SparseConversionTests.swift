import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// Recordings of telephones and watches, and logs that leave points out: one track between their own gaps, whatever the format.
    struct SparseConversionTests {
        private static let formats = ["nmea", "jsonl", "csv"]
        private static let pauses = [2, 17, 3, 9, 2, 2, 12, 5]

        /// The seconds of a recording whose points are 2 to 17 s apart.
        private func moments(_ count: Int, from start: Int = 0) -> [Int] {
            var moment = start
            return (0..<count).map { index in
                defer { moment += SparseConversionTests.pauses[index % SparseConversionTests.pauses.count] }
                return moment
            }
        }

        /// Writes a drive with fixes at those seconds to `in.FORMAT`, and returns its name.
        private func write(_ moments: [Int], as format: String, in folder: TestFolder) async throws -> String {
            let receiver = SimulatedReceiver()
            try folder.write(moments.map { receiver.epoch($0).text }.joined(), to: "in.nmea")
            if format != "nmea" { #expect(try await waypost("convert", "in.nmea", "made.\(format)", in: folder).code == 0) }
            // Without the rows that say where our own table is interrupted.
            if format == "csv" {
                let rows = try folder.text("made.csv").split(separator: "\n").filter { !$0.hasPrefix(",1,,") }
                try folder.write(rows.joined(separator: "\n") + "\n", to: "in.csv")
            } else if format != "nmea" {
                try folder.write(try folder.text("made.\(format)"), to: "in.\(format)")
            }
            return "in.\(format)"
        }

        /// How many stretches each written format has.
        private func stretches(of name: String, in folder: TestFolder) async throws -> [String: Int] {
            func text(_ format: String) async throws -> String {
                let run = try await waypost("convert", name, "-", "--to", format, in: folder)
                #expect(run.code == 0, "\(run)")
                return run.output
            }
            return [
                "gpx": try await text("gpx").ranges(of: "<trkseg>").count,
                "kml": try await text("kml").ranges(of: "<Placemark>").count,
                "csv": try await text("csv").split(separator: "\n").count { $0.hasPrefix(",1,,") } + 1,
                "geojson": try await text("geojson").contains("\"segment\":1") ? 2 : 1,
            ]
        }

        @Test(arguments: formats) func isOneTrackBetweenItsOwnGaps(format: String) async throws {
            let folder = try TestFolder()
            let whole = try await write(moments(200), as: format, in: folder)
            #expect(try await stretches(of: whole, in: folder).allSatisfy { $0.value == 1 }, "\(format)")
            // Longer than any step of a track.
            let halves = try await write(moments(100) + moments(100, from: 2_000), as: format, in: folder)
            #expect(try await stretches(of: halves, in: folder).allSatisfy { $0.value == 2 }, "\(format)")
        }

        /// What comes before and after a pause decides, also where the recording begins with it.
        @Test(arguments: [3, 100, 197]) func isCutWhereAReceiverWasLost(at index: Int) async throws {
            let folder = try TestFolder()
            for format in SparseConversionTests.formats {
                let name = try await write(Array(0..<index) + Array((index + 20)..<220), as: format, in: folder)
                #expect(try await stretches(of: name, in: folder).allSatisfy { $0.value == 2 }, "\(format)")
            }
        }

        /// Wherever the pieces of a pipe end.
        @Test func isTheSameOfAPipe() async throws {
            let folder = try TestFolder()
            _ = try await write(Array(0..<30) + Array(60..<90) + moments(100, from: 1_000), as: "nmea", in: folder)
            let whole = try await waypost("convert", "in.nmea", "-", "--to", "gpx", in: folder).output
            let command = "split --bytes=701 --filter='cat; sleep 0.01' in.nmea | waypost convert - - --from nmea --to gpx"
            #expect(try await shell(command, in: folder).output == whole)
        }

        /// Breaks that a recording states are its own gaps, whatever its rhythm.
        @Test func keepsTheBreaksOfAnExportAndOfATable() async throws {
            let folder = try TestFolder()
            let name = try await write(moments(100), as: "jsonl", in: folder)
            var lines = try folder.text(name).split(separator: "\n").map(String.init)
            for index in [40, 41] {
                let line = lines[index].dropLast()
                lines[index] = "\(line),\"seq\":\(index),\"break\":\"restart\"}"
            }
            try folder.write(lines.joined(separator: "\n") + "\n", to: "export.jsonl")
            #expect(try await waypost("convert", "export.jsonl", "export.gpx", in: folder).code == 0)
            #expect(try GPXFile(path: folder.path("export.gpx")).text.ranges(of: "<trkseg>").count == 3)
            #expect(try await waypost("convert", "export.jsonl", "export.csv", in: folder).code == 0)
            #expect(try await waypost("convert", "export.csv", "again.gpx", in: folder).code == 0)
            #expect(try GPXFile(path: folder.path("again.gpx")).text.ranges(of: "<trkseg>").count == 3)
        }

        /// A loss ends no visit, but its dwell waits for the next fix, and what was passed in it is not known.
        @Test(arguments: ["nmea", "jsonl", "csv", "gpx"], ["exact", "robust"])
        func dwellAndPassGoOn(format: String, rule: String) async throws {
            let folder = try TestFolder()
            let name = try await write(moments(100), as: format, in: folder)
            let receiver = SimulatedReceiver()
            // The mast between two points that are 17 s (255 m) apart.
            let (before, after) = (receiver.epoch(2 + 52).coordinate, receiver.epoch(2 + 52 + 17).coordinate)
            let latitude = (before.latitudeDegrees + after.latitudeDegrees) / 2
            let longitude = (before.longitudeDegrees + after.longitudeDegrees) / 2
            let yard = receiver.epoch(200).coordinate
            try folder.write(
                """
                {"type":"FeatureCollection","features":[
                 {"type":"Feature","properties":{"name":"Mast","radius":40},"geometry":{"type":"Point","coordinates":[\(longitude),\(latitude)]}},
                 {"type":"Feature","properties":{"name":"Yard","radius":700,"dwell_seconds":60},
                  "geometry":{"type":"Point","coordinates":[\(yard.longitudeDegrees),\(yard.latitudeDegrees)]}}]}
                """, to: "fences.geojson")
            try folder.write("[geofences]\nfile = \"fences.geojson\"\nrule = \"\(rule)\"\n", to: "waypost.toml")
            let times = format == "nmea" ? "" : "&times=original"
            let tracker = try ProgramProcess(
                [Program.waypostd.path, "--source", "\(format):\(name)?speed=0\(times)", "--config", "waypost.toml"]
                    + TrackerProcess.options,
                in: folder)
            #expect(try await tracker.exit() == ProgramExit(code: 0), "\(tracker.errors)")
            let log = try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }.map { try folder.text("log/\($0)") }.joined()
            #expect(log.ranges(of: "<trkseg>").count == 1)
            for (fence, events) in [("Mast", ["pass"]), ("Yard", ["enter", "dwell", "exit"])] {
                let found = log.split(separator: "<wpt ").dropFirst().filter { $0.contains("<name>\(fence)</name>") }
                #expect(found.count == events.count, "\(fence): \(found)")
                for event in events { #expect(found.contains { $0.contains(event) }, "\(fence), \(event): \(found)") }
            }
        }
    }
}
