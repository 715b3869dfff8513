import Foundation
import Testing
import Waypost

extension EndToEnd {
    /// `waypost convert` into the formats of other programs, as these read them.
    struct ConvertFormatsTests {
        @Test func makesKMLOfEveryStretch() async throws {
            let folder = try TestFolder()
            #expect(try await waypost("convert", Package.drive, "drive.kml", in: folder).code == 0)
            #expect(try await finish(["xmllint", "--noout", "--nonet", "drive.kml"], in: folder).code == 0)
            #expect(try await waypost("convert", Package.drive, "drive.gpx", in: folder).code == 0)
            let text = try folder.text("drive.kml")
            let track = try GPXFile(path: folder.path("drive.gpx"))
            #expect(text.split(separator: "<gx:coord>").count - 1 == track.pointCount)
            #expect(text.split(separator: "<when>").count - 1 == track.pointCount)
            #expect(text.split(separator: "<Placemark>").count - 1 == track.segmentCount)
        }

        @Test(arguments: ["=HYPERLINK(\\\"x\\\")", "+1", "-1", "@SUM(1)", "\\t=1", "a,=1", "gpsd://h:2947"])
        func makesCSVThatNoSpreadsheetComputes(source: String) async throws {
            let folder = try TestFolder()
            try folder.write("{\"class\":\"TPV\",\"mode\":2,\"lat\":-1,\"lon\":-2,\"source\":\"\(source)\"}\n", to: "in.jsonl")
            let run = try await waypost("convert", "in.jsonl", "-", "--to", "csv", in: folder)
            let row = try #require(run.output.split(separator: "\n").last)
            #expect(row.hasPrefix(",2,-1,-2,"), "numbers are numbers")
            let isFormula = !source.hasPrefix("a") && !source.hasPrefix("g")
            #expect(row.contains(",\"'") == isFormula, "\(row)")
        }

        /// Across a loss nobody knows where a fence was crossed, whichever format the drive was kept in.
        @Test(arguments: ["csv", "gpx", "kml"]) func keepsALossOfPosition(format: String) async throws {
            let folder = try TestFolder()
            func fix(_ second: Int, _ longitude: Double) -> String {
                #"{"class":"TPV","mode":3,"time":"2026-05-09T06:00:\#(second).000Z","lat":50,"lon":\#(longitude)}"# + "\n"
            }
            let noFix = #"{"class":"TPV","mode":1,"time":"2026-05-09T06:00:13.000Z"}"# + "\n"
            try folder.write(fix(11, 7) + fix(12, 7.001) + noFix + noFix + fix(45, 7.01) + fix(46, 7.011), to: "in.jsonl")
            try folder.write(
                #"{"type":"Feature","properties":{"name":"Home","radius":200},"geometry":{"type":"Point","coordinates":[7,50]}}"#,
                to: "f.geojson")
            #expect(try await waypost("convert", "in.jsonl", "out.\(format)", in: folder).code == 0)
            let first = try await waypost("fences", "replay", "f.geojson", "in.jsonl", in: folder)
            let again = try await waypost("fences", "replay", "f.geojson", "out.\(format)", in: folder)
            #expect(first.output.contains("exit Home") && first.output.contains("crossed at an unknown time"))
            #expect(again.output == first.output)
            if format == "csv" { #expect(try folder.text("out.csv").split(separator: "\n").count == 6, "a row for the whole loss") }
        }

        @Test func makesNMEAThatTellsTheSame() async throws {
            let folder = try TestFolder()
            #expect(try await waypost("convert", Package.drive, "again.nmea", in: folder).code == 0)
            func fixes(_ input: String) async throws -> [Position] {
                let run = try await waypost("convert", input, "-", "--to", "jsonl", in: folder)
                #expect(run.code == 0 && run.errors == "")
                return run.outputLines.compactMap { line in
                    guard case .position(let position)? = try? TPVCodec.decode(Array(line.utf8)) else { return nil }
                    return position
                }
            }
            let (before, after) = (try await fixes(Package.drive), try await fixes("again.nmea"))
            #expect(before.count > 500 && before.count == after.count)
            for (first, second) in zip(before, after) {
                #expect(first.time == second.time && first.mode == second.mode && first.status == second.status)
                #expect(abs(first.coordinate.latitudeDegrees - second.coordinate.latitudeDegrees) < 2e-8)
                #expect(abs(first.coordinate.longitudeDegrees - second.coordinate.longitudeDegrees) < 2e-8)
                #expect(first.quality.satellitesUsed == second.quality.satellitesUsed)
            }
        }

        @Test(.enabled(if: Program.hasGPSBabel, "gpsbabel is not installed")) func isReadByGPSBabel() async throws {
            let folder = try TestFolder()
            for (name, format) in [("drive.kml", "kml"), ("drive.nmea", "nmea"), ("drive.gpx", "gpx")] {
                #expect(try await waypost("convert", Package.drive, name, in: folder).code == 0)
                let run = try await finish(
                    ["gpsbabel", "-t", "-i", format, "-f", name, "-o", "gpx", "-F", "\(name).babel.gpx"], in: folder)
                #expect(run.code == 0, "\(run.errors)")
            }
            let counts = try ["drive.kml", "drive.nmea", "drive.gpx"].map { try GPXFile(path: folder.path("\($0).babel.gpx")).pointCount }
            #expect(counts[0] == counts[2] && counts[1] == counts[2] && counts[2] > 500, "\(counts)")
        }
    }
}

extension Program {
    /// Whether gpsbabel can read what we write.
    static let hasGPSBabel = FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsbabel")
}
