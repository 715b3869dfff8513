import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What `fences replay` finds in a recording is what the tracker tells that plays it, whatever the format, also where the position was lost.
    @Suite struct FenceReplayTests {
        /// What happens in the middle of a stay, 30 s after it began.
        enum Fault: Sendable, CaseIterable {
            case none, shortSilence, silence, longSilence, shortNoFix, longNoFix, jump
        }

        /// A stay of 100 s in a fence with a dwell of 60 s, on the way north.
        private func recording(_ fault: Fault) -> String {
            (0..<400).map { second in
                let minutes = Double(second < 100 ? second : second < 200 ? 100 : second - 100) * 0.006
                let isIn = { (length: Int) in (130..<130 + length).contains(second) }
                let time = second + (fault == .jump && second >= 130 ? 40 : 0)
                let hasFix =
                    switch fault {
                    case .shortNoFix: !isIn(3)
                    case .longNoFix: !isIn(40)
                    default: true
                    }
                switch fault {
                case .shortSilence where isIn(3), .silence where isIn(8), .longSilence where isIn(40): return ""
                default: return sentences(second: time, minutesNorth: hasFix ? minutes : nil)
                }
            }.joined()
        }

        private func sentences(second: Int, minutesNorth minutes: Double?) -> String {
            let time = String(format: "12%02d%02d.00", second / 60, second % 60)
            let place = minutes.map { String(format: "47%07.4f,N,00800.0000,E", $0) }
            let bodies = [
                "GPGGA,\(time),\(place.map { "\($0),1,08,1.0,400.0,M,47.0,M,," } ?? ",,,,0,00,99.9,,,,,,")",
                "GPRMC,\(time),\(place.map { "A,\($0),11.0,0.0,010326,,,A" } ?? "V,,,,,,,010326,,,N")",
            ]
            return bodies.map { NMEAText.sentence($0) + "\r\n" }.joined()
        }

        /// The events among the waypoints of a track: what and when.
        private func events(inTrack text: String) -> [String] {
            text.matches(of: #/<wpt [^>]*><time>([^<]*)</time><name>[^<]*</name><desc>([^<]*)</desc>/#).map { "\($0.2) \($0.1)" }.sorted()
        }

        private func events(ofReplay output: String) throws -> [String] {
            try output.split(separator: "\n").map { line in
                let event = try JSONParser().parse(Array(line.utf8))
                let time = (event["time"]?.string ?? "").replacing(#/\.0+Z/#, with: "Z")
                return "\(event["event"]?.string ?? "") \(time)"
            }.sorted()
        }

        @Test(arguments: Fault.allCases) func tellsWhatTheTrackerTells(fault: Fault) async throws {
            let folder = try TestFolder()
            try folder.write(recording(fault), to: "drive.nmea")
            try folder.write(
                """
                {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Yard","radius":100,"dwell_seconds":60},\
                "geometry":{"type":"Point","coordinates":[8,47.01]}}]}
                """, to: "yard.geojson")
            try folder.write("[geofences]\nfile = \"yard.geojson\"\n", to: "w.toml")
            var seen: Set<[String]> = []
            for format in ["nmea", "jsonl", "csv", "gpx"] {
                let file = "drive.\(format)"
                if format != "nmea" { #expect(try await waypost("convert", "drive.nmea", file, in: folder).code == 0) }
                let options = ["--config", "w.toml", "--state", "state-\(format)", "--log", "log-\(format)", "--socket", "socket"]
                let times = format == "nmea" ? "" : "&times=original"
                let run = try await finish(
                    [Program.waypost.path, "run", "--source", "\(format):\(file)?speed=0\(times)"] + options, in: folder)
                #expect(run.code == 0, "\(run.errors)")
                let tracks = try folder.names(in: "log-\(format)").filter { $0.hasSuffix(".gpx") }
                let told = try events(inTrack: tracks.map { try folder.text("log-\(format)/\($0)") }.joined())
                let replay = try await waypost("fences", "replay", "yard.geojson", file, "--json", in: folder)
                #expect(try events(ofReplay: replay.output) == told, "\(format)")
                #expect(told.count == 2, "\(told)")
                seen.insert(told)
            }
            #expect(seen.count == 1, "\(seen)")
        }
    }
}
