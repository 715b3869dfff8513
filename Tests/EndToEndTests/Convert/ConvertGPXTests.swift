import Foundation
import Testing
import WaypostTestKit

extension EndToEnd {
    /// `waypost convert` from GPX.
    struct ConvertGPXTests {
        private let document = """
            <?xml version="1.0"?>
            <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
            <wpt lat="1" lon="2"><name>Hut &amp; spring</name></wpt>
            <rte><name>R</name><rtept lat="3" lon="4"/><rtept lat="5" lon="6"/></rte><rte><rtept lat="7" lon="8"/></rte>
            <trk><name>T</name><trkseg><trkpt lat="9" lon="10"><ele>5</ele><time>2026-03-01T12:00:00Z</time></trkpt></trkseg>
            <trkseg><trkpt lat="11" lon="180"><time>2026-03-01T12:00:01Z</time></trkpt></trkseg></trk>
            </gpx>

            """

        @Test func givesALineForEachPoint() async throws {
            let folder = try TestFolder()
            try folder.write(document, to: "in.gpx")
            let run = try await waypost("convert", "in.gpx", "-", "--to", "jsonl", in: folder)
            #expect(run.code == 0 && run.errors == "")
            #expect(
                run.output == """
                    {"class":"WPT","mode":2,"lat":1,"lon":2,"name":"Hut & spring"}
                    {"class":"RTE","mode":2,"lat":3,"lon":4,"route":0}
                    {"class":"RTE","mode":2,"lat":5,"lon":6,"route":0}
                    {"class":"RTE","mode":2,"lat":7,"lon":8,"route":1}
                    {"class":"TPV","time":"2026-03-01T12:00:00.000Z","mode":3,"lat":9,"lon":10,"altMSL":5,"segment":0}
                    {"class":"TPV","time":"2026-03-01T12:00:01.000Z","mode":2,"lat":11,"lon":180,"segment":1}

                    """)
        }

        @Test func keepsSegmentsRoutesAndWaypointsInEitherDirection() async throws {
            let folder = try TestFolder()
            try folder.write(document, to: "in.gpx")
            #expect(try await waypost("convert", "in.gpx", "out.gpx", in: folder).code == 0)
            let direct = try GPXFile(path: folder.path("out.gpx"))
            #expect(try await direct.objections() == "")
            for part in ["<wpt ", "<name>Hut &amp; spring</name>", "<rte><name>R</name>", "<trk><name>T</name>"] {
                #expect(direct.text.contains(part), "\(part)")
            }
            #expect(try await waypost("convert", "in.gpx", "lines.jsonl", in: folder).code == 0)
            #expect(try await waypost("convert", "lines.jsonl", "again.gpx", in: folder).code == 0)
            let again = try GPXFile(path: folder.path("again.gpx"))
            #expect(try await again.objections() == "")
            for text in [direct.text, again.text] {
                #expect(
                    text.ranges(of: "<trkseg>").count == 2 && text.ranges(of: "<rte>").count == 2 && text.ranges(of: "<wpt ").count == 1)
            }
        }

        @Test(arguments: ["out.gpx", "-"]) func ordersWhatComesTooLate(output: String) async throws {
            let folder = try TestFolder()
            let track = "<trk><trkseg><trkpt lat=\"9\" lon=\"10\"/></trkseg></trk>"
            try folder.write("<gpx>\(track)<rte><rtept lat=\"3\" lon=\"4\"/></rte><wpt lat=\"1\" lon=\"2\"/>\(track)</gpx>", to: "in.gpx")
            let run = try await waypost("convert", "in.gpx", output, "--to", "gpx", in: folder)
            #expect(run.code == 0 && run.errors == "")
            if output == "-" { try folder.write(run.output, to: "out.gpx") }
            let written = try GPXFile(path: folder.path("out.gpx"))
            #expect(try await written.objections() == "")
            #expect(written.pointCount == 2 && written.text.contains("<wpt ") && written.text.contains("<rtept "))
        }

        @Test func saysWhatAPipeLoses() async throws {
            let folder = try TestFolder()
            let input = try folder.write(
                "<gpx><trk><trkseg><trkpt lat=\"9\" lon=\"10\"/></trkseg></trk><wpt lat=\"1\" lon=\"2\"/></gpx>", to: "in")
            let run = try await finish(
                [Program.waypost.path, "convert", "-", "out.gpx", "--from", "gpx"], in: folder, input: .file(input))
            #expect(run.code == 0)
            #expect(run.complaints.count == 1 && run.errors.contains("left out: 1"), "\(run.errors)")
        }

        @Test func tellsDamageInALineForEachKind() async throws {
            let folder = try TestFolder()
            try folder.write(
                "<gpx version=\"1.1\"><trk><trkseg>\n<trkpt lat=\"91\" lon=\"1\"/>\n<trkpt lat=\"x\" lon=\"1\"/><trkpt lat=\"1\" lon=\"1\"/>\n<trkpt",
                to: "in.gpx")
            let run = try await waypost("convert", "in.gpx", "-", "--to", "jsonl", in: folder)
            #expect(run.code == 0 && run.outputLines.count == 1)
            #expect(run.complaints.count == 2)
            #expect(run.errors.contains("waypost: in.gpx: the file ends within the document at line 4"))
            #expect(run.errors.contains("left out: 2, first at line 2"))
        }

        @Test func makesNoPositionOfAPointWithoutFix() async throws {
            let folder = try TestFolder()
            let points = ["3d", "none", "3d"].enumerated().map {
                "<trkpt lat=\"\($0)\" lon=\"\($0 == 1 ? 30 : 8)\"><ele>5</ele><time>2026-03-01T12:00:0\($0)Z</time><fix>\($1)</fix></trkpt>"
            }
            try folder.write("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>", to: "in.gpx")
            try folder.write(
                "{\"type\":\"Feature\",\"properties\":{\"name\":\"old\",\"radius\":1000},\"geometry\":{\"type\":\"Point\",\"coordinates\":[30,1]}}",
                to: "fence.geojson")
            let lines = try await waypost("convert", "in.gpx", "-", "--to", "jsonl", in: folder).outputLines
            #expect(lines.count == 3 && lines[1] == "{\"class\":\"TPV\",\"time\":\"2026-03-01T12:00:01.000Z\",\"mode\":1,\"segment\":0}")
            for format in ["csv", "geojson", "kml"] {
                let text = try await waypost("convert", "in.gpx", "-", "--to", format, in: folder).output
                #expect(!text.contains("1,30") && !text.contains("30,1"), "\(format)")
            }
            for rule in ["exact", "robust"] {
                let run = try await waypost("fences", "replay", "fence.geojson", "in.gpx", "--rule", rule, in: folder)
                #expect(run.code == 0 && run.output == "", "\(rule): \(run.output)")
            }
            #expect(try await waypost("convert", "in.gpx", "out.gpx", in: folder).code == 0)
            #expect(try folder.text("out.gpx").contains("<fix>none</fix>"))
        }

        @Test(arguments: ["csv", "nmea", "kml", "geojson"]) func countsWhatAFormatHasNoPlaceFor(format: String) async throws {
            let folder = try TestFolder()
            try folder.write(document, to: "in.gpx")
            let run = try await waypost("convert", "in.gpx", "-", "--to", format, in: folder)
            #expect(run.code == 0)
            let expected = ["csv": "1 waypoint and 3 route points", "nmea": "1 waypoint and 3 route points", "kml": "3 route points"][
                format]
            #expect(run.errors == (expected.map { "waypost: in.gpx: \($0) left out: \(format) has no place for them\n" } ?? ""))
        }

        /// Names that are not GPX's, an empty segment, and an end within a character.
        private static let useless: [(name: String, text: [UInt8])] = [
            (
                "root_uppercase",
                Array("<gpx><trk><name>T</name><trkseg><TRKPT lat=\"1\" lon=\"2\"><ele>5</ele></TRKPT></trkseg></trk></gpx>".utf8)
            ),
            ("seg_empty", Array("<gpx><trk><name>T</name><trkseg>\n\n</trkseg></trk></gpx>".utf8)),
            // Cut within the second character.
            ("cut_in_utf8", Array("<gpx>\n<trk><name>\u{6771}\u{4EAC}".utf8.dropLast(2))),
            ("cut_after_character", Array("<gpx>\n<trk><name>\u{e4}".utf8)),
        ]

        @Test(arguments: useless.indices) func refusesInOneLineWhatHoldsNoPoint(index: Int) async throws {
            let folder = try TestFolder()
            let (name, text) = Self.useless[index]
            try folder.write(text, to: "\(name).gpx")
            try folder.write("precious", to: "out.gpx")
            for format in ["gpx", "jsonl", "csv", "kml", "nmea", "geojson"] {
                let run = try await waypost("convert", "\(name).gpx", "out.\(format)", in: folder)
                #expect(run.code == 65 && run.output == "", "\(format): \(run)")
                #expect(
                    run.complaints.count == 1 && run.errors.hasPrefix("waypost: \(name).gpx: holds nothing usable as gpx"), "\(run.errors)")
            }
            #expect(try folder.text("out.gpx") == "precious")
        }

        /// The files that these stand for, where they are at hand.
        @Test(arguments: ["x_root_uppercase", "x_seg_empty", "x_cut_in_utf8"])
        func refusesThoseOfTheCollection(name: String) async throws {
            let shared = ProcessInfo.processInfo.environment["WAYPOST_SHARED"] ?? Package.file("../shared")
            let path = "\(shared)/data/gpx/\(name).gpx"
            guard FileManager.default.isReadableFile(atPath: path) else { return }
            let folder = try TestFolder()
            for format in ["gpx", "jsonl", "csv"] {
                let run = try await waypost("convert", path, "out.\(format)", in: folder)
                #expect(run.code == 65 && run.complaints.count == 1 && run.output == "", "\(format): \(run)")
                #expect(try !folder.names().contains("out.\(format)"))
            }
        }

        @Test(arguments: ["", "{}", "<kml/>", "<!DOCTYPE gpx [<!ENTITY a \"b\">]><gpx><wpt lat=\"1\" lon=\"2\"/></gpx>"])
        func refusesWhatIsNoGPX(text: String) async throws {
            let folder = try TestFolder()
            try folder.write(text, to: "in.gpx")
            try folder.write("precious", to: "out.jsonl")
            let run = try await waypost("convert", "in.gpx", "out.jsonl", in: folder)
            #expect(run.code == 65)
            #expect(run.complaints.count == 1 && run.errors.hasPrefix("waypost: in.gpx: is not gpx: "), "\(run.errors)")
            #expect(try folder.text("out.jsonl") == "precious")
        }
    }
}
