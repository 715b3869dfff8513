import Foundation
import Testing
import Waypost
import WaypostSystem

extension EndToEnd {
    /// What `waypost convert` takes: packed recordings, tables, KML, gpsd's lines, several at once.
    struct ConvertInputsTests {
        @Test func tablesComeBackAsTheyWere() async throws {
            let folder = try TestFolder()
            #expect(try await waypost("convert", Package.drive, "drive.csv", in: folder).code == 0)
            #expect(try await waypost("convert", Package.drive, "drive.jsonl", in: folder).code == 0)
            #expect(try await waypost("convert", "drive.csv", "again.jsonl", in: folder).code == 0)
            // Of the reports without a fix, a table has the first of each loss.
            let isFix = { (line: Substring) in !line.contains("\"mode\":1") }
            let lines = try folder.text("drive.jsonl").split(separator: "\n").drop { !isFix($0) }
            let again = try folder.text("again.jsonl").split(separator: "\n")
            #expect(lines.filter(isFix) == again.filter(isFix) && again.count > 500)
            let losses = zip(lines, lines.dropFirst()).filter { isFix($0) && !isFix($1) }.map(\.1)
            #expect(again.filter { !isFix($0) } == losses && !losses.isEmpty)
            let table = try folder.text("drive.csv")
            #expect(!table.contains("\r"))
            #expect(table.firstMatch(of: /\.\d{11}/) == nil, "digits that only arithmetic made")
        }

        @Test func unpacksGzipOfEveryFormat() async throws {
            let folder = try TestFolder()
            for name in ["drive.gpx", "drive.csv", "drive.kml", "drive.jsonl"] {
                #expect(try await waypost("convert", Package.drive, name, in: folder).code == 0)
                try folder.write(try Gzip.compress(Array(try folder.text(name).utf8)), to: "\(name).gz")
                #expect(try await waypost("convert", name, "plain.out", "--to", "csv", in: folder).code == 0)
                #expect(try await waypost("convert", "\(name).gz", "packed.out", "--to", "csv", in: folder).code == 0)
                #expect(try folder.text("plain.out") == folder.text("packed.out"), "\(name)")
            }
        }

        /// A name that ends in .gz is packed, whatever the format; what was there before stays until the new file is whole.
        @Test func packsWhatIsCalledSo() async throws {
            let folder = try TestFolder()
            for format in ["gpx", "csv", "kml", "jsonl", "geojson", "nmea"] {
                #expect(try await waypost("convert", Package.drive, "plain.\(format)", in: folder).code == 0)
                #expect(try await waypost("convert", Package.drive, "packed.\(format).gz", in: folder).code == 0)
                let unpacked = try await shell("gzip -dc packed.\(format).gz | cmp - plain.\(format)", in: folder)
                #expect(unpacked.code == 0, "\(format): \(unpacked.output)\(unpacked.errors)")
            }
            #expect(try await waypost("convert", Package.drive, "drive.gz", "--to", "gpx", in: folder).code == 0)
            #expect(try await shell("gzip -t drive.gz", in: folder).code == 0)
            try folder.write("", to: "empty.nmea")
            #expect(try await waypost("convert", "empty.nmea", "packed.gpx.gz", in: folder).code == 65)
            #expect(try await shell("gzip -dc packed.gpx.gz | cmp - plain.gpx", in: folder).code == 0)
        }

        /// What --from takes is said where it is looked for.
        @Test func namesTheFormatsThatAreRead() async throws {
            let run = try await waypost("convert", Package.drive, "x.csv", "--from", "geojson", in: TestFolder())
            #expect(run.code == 64)
            #expect(
                run.complaints.first?.hasSuffix("use one of 'nmea', 'gpx', 'jsonl', 'csv' or 'kml'; see waypost convert --help") == true)
            let help = try await waypost("convert", "--help", in: TestFolder()).output
            #expect(help.replacing(/\s+/, with: " ").contains("The format of the input. (values: nmea, gpx, jsonl, csv, kml)"))
        }

        @Test func aCutGzipGivesWhatWasWhole() async throws {
            let folder = try TestFolder()
            #expect(try await waypost("convert", Package.drive, "drive.jsonl", in: folder).code == 0)
            let packed = try Gzip.compress(Array(try folder.text("drive.jsonl").utf8))
            try folder.write(Array(packed.prefix(packed.count / 2)), to: "cut.jsonl.gz")
            let run = try await waypost("convert", "cut.jsonl.gz", "cut.csv", in: folder)
            #expect(run.code == 65)
            #expect(run.errors.split(separator: "\n").last == "waypost: cut.jsonl.gz: the gzip file is cut; what came before that was read")
            #expect(try folder.text("cut.csv").split(separator: "\n").count > 100)
        }

        @Test func severalRecordingsBecomeOne() async throws {
            let folder = try TestFolder()
            let head = "<gpx version=\"1.1\" creator=\"t\" xmlns=\"http://www.topografix.com/GPX/1/1\">"
            func gpx(_ hour: Int) -> String {
                let points = (0..<2).map { "<trkpt lat=\"5\($0)\" lon=\"10\"><time>2026-05-09T0\(hour):00:0\($0)Z</time></trkpt>" }.joined()
                return
                    "\(head)<wpt lat=\"1\" lon=\"\(hour)\"><name>w\(hour)</name></wpt><trk><name>t\(hour)</name><trkseg>\(points)</trkseg></trk></gpx>"
            }
            try folder.write(gpx(8), to: "b.gpx")
            try folder.write(gpx(7), to: "a.gpx")
            try folder.write("time,lat,lon\n2026-05-09T06:00:00Z,1,2\n2026-05-09T06:00:01Z,1,3\n", to: "c.csv")
            let run = try await waypost("convert", "b.gpx", "a.gpx", "c.csv", "-o", "all.gpx", in: folder)
            #expect(run.code == 0 && run.errors == "")
            let all = try GPXFile(path: folder.path("all.gpx"))
            #expect(all.pointCount == 6 && all.segmentCount == 3)
            let text = try folder.text("all.gpx")
            #expect(
                text.matches(of: /<name>(\w+)<\/name>/).map { String($0.1) } == ["w8", "w7", "t8", "t7"], "waypoints stand before tracks")
            #expect(text.split(separator: "<trk>").count == 4, "the table is no part of t7")
            let sorted = try await waypost("convert", "b.gpx", "a.gpx", "c.csv", "--by-time", "-o", "-", "--to", "jsonl", in: folder)
            let hours = sorted.output.matches(of: /"TPV","time":"2026-05-09T0(\d)/).compactMap { Int($0.1) }
            #expect(hours == [6, 6, 7, 7, 8, 8])
            let refused = try await waypost("convert", "b.gpx", "a.gpx", "c.csv", in: folder)
            #expect(refused.code == 64 && refused.errors.contains("--output"))
            #expect(try folder.text("c.csv").hasPrefix("time,lat"), "no input is written over")
        }

        @Test func fixesOfGPSDHaveTheFiguresOfTheirSky() async throws {
            let folder = try TestFolder()
            try folder.write(
                """
                {"class":"VERSION","release":"3.22"}
                {"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2026-05-09T07:00:00.000Z","lat":51.5,"lon":10.25,"eph":6.8}
                {"class":"SKY","device":"/dev/ttyUSB0","time":"2026-05-09T07:00:00.000Z","hdop":0.9,"vdop":1.1,"pdop":1.4,"uSat":8,"satellites":[]}

                """, to: "pipe.json")
            let run = try await waypost("convert", "pipe.json", "-", "--to", "csv", in: folder)
            #expect(run.outputLines.last == "2026-05-09T07:00:00.000Z,3,51.5,10.25,,,,,,,4.216,gpsd,6.8,,,0.9,1.1,1.4,8,,/dev/ttyUSB0")
        }

        @Test func replaysFencesOnTablesAndPackedTracks() async throws {
            let folder = try TestFolder()
            try folder.write(
                "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[10,50]},\"properties\":{\"name\":\"Yard\",\"radius\":500}}",
                to: "y.geojson")
            let rows = (0..<60).map { "2026-05-09T07:00:\($0 < 10 ? "0" : "")\($0)Z,50,\(9.98 + Double($0) / 1_500),20,\n" }.joined()
            try folder.write(try Gzip.compress(Array(("time,lat,lon,speed,note\n" + rows).utf8)), to: "t.csv.gz")
            let run = try await waypost("fences", "replay", "y.geojson", "t.csv.gz", "--json", in: folder)
            #expect(run.code == 0 && run.output.contains("\"event\":\"enter\""), "\(run.errors)")
            #expect(run.errors == "waypost: t.csv.gz: columns that are not read: note\n")
        }
    }
}
