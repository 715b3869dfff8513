import Foundation
import Testing
import Waypost
import WaypostTestKit

/// One rule each, on documents made here.
@Suite struct GPXReaderTests {
    private func read(_ text: String) -> GPXContract.Reading { read(Array(text.utf8)) }
    private func read(_ bytes: [UInt8]) -> GPXContract.Reading { GPXContract.read(bytes) { bytes.count } }
    private func track(_ points: String) -> String { "<gpx version=\"1.1\"><trk><trkseg>\(points)</trkseg></trk></gpx>" }
    private func first(_ text: String) throws -> Position { try #require(read(track(text)).items.compactMap(\.point).first).position }

    @Test func readsEveryValueOfAPoint() throws {
        let text = """
            <gpx version="1.1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:w="urn:waypost:gpx:1"><trk>
            <name>Morning</name><trkseg><trkpt lat="47.1003161" lon="-9.5248872"><ele>512.3</ele><time>2026-05-02T03:25:02.250Z</time>
            <geoidheight>47.3</geoidheight><name>p</name><desc>d</desc><fix>dgps</fix><sat>12</sat><hdop>0.8</hdop><vdop>1.25</vdop>
            <pdop>1.5</pdop><extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>99</gpxtpx:hr><gpxtpx:speed>3.2</gpxtpx:speed>
            <gpxtpx:course>271.5</gpxtpx:course></gpxtpx:TrackPointExtension><w:accuracy>4.2</w:accuracy></extensions></trkpt>
            </trkseg></trk></gpx>
            """
        let reading = read(text)
        #expect(reading.items.first == .track(GPXPath(number: 0, name: "Morning")))
        guard case .trackPoint(let point, segment: 0) = try #require(reading.items.last) else {
            Issue.record("no point")
            return
        }
        var expected = Position(
            time: UTCTime(millisecondsSince1970: 1_777_692_302_250),
            coordinate: try #require(Coordinate(latitudeDegrees: 47.1003161, longitudeDegrees: -9.5248872)), mode: .threeDimensional,
            status: .differential)
        expected.altitudeMSLMetres = 512.3
        expected.geoidSeparationMetres = 47.3
        expected.altitudeHAEMetres = 559.6
        expected.speedMetresPerSecond = 3.2
        expected.courseDegrees = 271.5
        expected.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .receiver)
        expected.quality.hdop = 0.8
        expected.quality.vdop = 1.25
        expected.quality.pdop = 1.5
        expected.quality.satellitesUsed = 12
        #expect(point == GPXPoint(expected, name: "p", description: "d"))
        #expect(reading.summary.remarks == [])
    }

    @Test func countsSegmentsThroughTheFileEmptyOnesToo() {
        let reading = read(
            """
            <gpx version="1.0"><trk><trkseg><trkpt lat="1" lon="1"/></trkseg><trkseg/></trk>
            <trk><trkseg><trkpt lat="2" lon="2"/></trkseg></trk></gpx>
            """)
        let segments = reading.items.compactMap { if case .trackPoint(_, let segment) = $0 { segment } else { nil } }
        #expect(segments == [0, 2])
        #expect(reading.summary.segments == 3 && reading.summary.tracks == 2)
    }

    @Test(arguments: ["abc", "", "91", "-90.0000001", "47,2852", "NaN", "INF", "0x10", "1e400", "47.1.2", "٤٧", "--4", "4 7", "1_0"])
    func leavesOutPointsWithoutAPlace(latitude: String) {
        let reading = read(track("<trkpt lat=\"1\" lon=\"2\"/>\n<trkpt lat=\"\(latitude)\" lon=\"8.5\"/><trkpt lat=\"3\" lon=\"4\"/>"))
        #expect(reading.summary.trackPoints == 2)
        #expect(reading.summary[.badPlace].count == 1 && reading.summary[.badPlace].firstLine == 2)
        #expect(reading.summary.badPoints == 1)
    }

    @Test(arguments: [
        (" 47.5 ", 47.5), ("+47.5", 47.5), ("4.75e1", 47.5), (".5", 0.5), ("5.", 5), ("047.10", 47.1), ("&#52;7", 47), ("-0.0", 0),
        ("47.123456789012345678901234567890", 47.123456789012345678901234567890), ("36.44834803417325", 36.44834803417325),
    ])
    func readsNumbersAsPeopleWriteThem(text: String, value: Double) throws {
        let position = try first("<trkpt lat='\(text)'\n lon = \"8\"/>")
        #expect(position.coordinate.latitudeDegrees == value && position.coordinate.latitudeDegrees.sign == .plus)
    }

    @Test func roundsLongNumbersAsTheStandardLibraryDoes() throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<2_000 {
            let digits = Int.random(in: 15...19, using: &generator)
            let text = "8." + (1..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            #expect(try first("<trkpt lat=\"\(text)\" lon=\"0\"/>").coordinate.latitudeDegrees == Double(text), "\(text)")
        }
    }

    @Test(
        arguments: [
            ("2026-03-01T06:00:00", "2026-03-01T06:00:00.000Z"), ("2026-03-01T06:00:00+02:00", "2026-03-01T04:00:00.000Z"),
            ("2026-03-01T06:00:00.123456789Z", "2026-03-01T06:00:00.123Z"), ("2026-03-01T24:00:00Z", "2026-03-02T00:00:00.000Z"),
            ("2026-03-01T06:00:00,5Z", "2026-03-01T06:00:00.500Z"), ("  2026-03-01T06:00:00Z\n", "2026-03-01T06:00:00.000Z"),
            ("2026-03-01 06:00:00", "2026-03-01T06:00:00.000Z"), ("2026-03-01T06:00Z", "2026-03-01T06:00:00.000Z"),
            ("2026-03-01T06:00:00-0530", "2026-03-01T11:30:00.000Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
            ("2026-03-01T06:00:60", nil), ("2026-02-30T06:00:00", nil), ("2026-03-01", nil), ("10000-01-01T00:00:00Z", nil),
            ("20260301T060000Z", nil), ("yesterday", nil), ("2026-03-01T06:00:00+2", nil), ("2026-03-01T24:00:01", nil),
        ] as [(String, String?)])
    func readsTimesAsPeopleWriteThem(text: String, expected: String?) throws {
        let reading = read(track("<trkpt lat=\"1\" lon=\"2\"><time>\(text)</time></trkpt>"))
        let position = try #require(reading.items.last?.point).position
        #expect(position.time == expected.flatMap { UTCTime(rfc3339: $0) })
        #expect(reading.summary[.badValue].count == (expected == nil ? 1 : 0))
    }

    @Test func takesSpeedAndCourseOfVersion1AndOfLooseExtensions() throws {
        for text in [
            "<speed>1.5</speed><course>360</course>", "<extensions><osmand:speed>1.5</osmand:speed><course>0</course></extensions>",
        ] {
            let position = try first("<trkpt lat=\"1\" lon=\"2\">\(text)</trkpt>")
            #expect(position.speedMetresPerSecond == 1.5 && position.courseDegrees == 0)
        }
    }

    @Test func takesOnlyItsOwnAccuracy() throws {
        let foreign = try first("<trkpt lat=\"1\" lon=\"2\"><extensions><a:accuracy xmlns:a=\"urn:x\">3</a:accuracy></extensions></trkpt>")
        #expect(foreign.accuracy == nil)
        let own = try first(
            "<trkpt lat=\"1\" lon=\"2\"><extensions><accuracy xmlns=\"urn:waypost:gpx:1\">3</accuracy></extensions></trkpt>")
        #expect(own.accuracy == HorizontalAccuracy(radiusMetres: 3, origin: .receiver))
    }

    @Test func readsAnyPrefixAndNone() {
        let text = "<gpx version=\"1.1\"><wpt lat=\"1\" lon=\"2\"><name>n</name></wpt></gpx>"
        let prefixed = text.replacing("</", with: "\u{1}").replacing("<", with: "<g:").replacing("\u{1}", with: "</g:")
        #expect(read(prefixed).items == read(text).items)
        #expect(read(prefixed).summary.waypoints == 1)
        // Another prefix is another vocabulary.
        #expect(read("<gpx><x:wpt lat=\"1\" lon=\"2\"/></gpx>").summary.points == 0)
    }

    @Test func countsNothingInsideExtensions() {
        let reading = read(
            track("<trkpt lat=\"1\" lon=\"2\"><extensions><x><trkpt lat=\"3\" lon=\"4\"/><time>x</time></x><trkpt/></extensions></trkpt>"))
        #expect(reading.summary.trackPoints == 1)
        #expect(reading.summary.remarks == [])
    }

    @Test func readsEveryEncoding() throws {
        func document(_ encoding: String) -> String {
            "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>\n<gpx version=\"1.1\"><wpt lat=\"1\" lon=\"2\"><name>Zürich “é”</name></wpt></gpx>"
        }
        func name(_ data: Data?) throws -> String? { read([UInt8](try #require(data))).items.first?.point?.name }
        #expect(try name(document("UTF-8").data(using: .utf8)) == "Zürich “é”")
        #expect(try name(Data([0xEF, 0xBB, 0xBF]) + Data(document("utf-8").utf8)) == "Zürich “é”")
        #expect(try name(document("UTF-16").data(using: .utf16LittleEndian)) == "Zürich “é”")
        #expect(try name(document("UTF-16").data(using: .utf16BigEndian)) == "Zürich “é”")
        #expect(try name(document("UTF-16").data(using: .utf16)) == "Zürich “é”")
        #expect(try name(document("UTF-16").data(using: .utf8)) == "Zürich “é”")
        #expect(try name(document("windows-1252").data(using: .windowsCP1252)) == "Zürich “é”")
        #expect(try name(document("ISO-8859-1").data(using: .windowsCP1252)) == "Zürich “é”")
        let undeclared = read([UInt8](try #require(document("UTF-8").data(using: .windowsCP1252))))
        #expect(undeclared.items.first?.point?.name == "Zürich “é”")
        #expect(undeclared.summary[.wrongEncoding].count == 1)
    }

    @Test(
        arguments: [
            ("a&amp;b &lt;c&gt; &quot;&apos; &#128690;&#x41;", "a&b <c> \"' 🚲A"),
            ("<![CDATA[a < b & c &amp; ]]>]]<![CDATA[> d]]>", "a < b & c &amp; ]]> d"),
            ("Tom & Jerry", "Tom & Jerry"), ("caf&eacute;", "caf&eacute;"), ("a&#0;b", "a\u{FFFD}b"), ("a<!-- & -->b", "ab"), (" \n ", nil),
            ("a\r\nb\rc", "a\nb\nc"), ("a\u{1}b", "a\u{FFFD}b"),
        ] as [(String, String?)])
    func readsNames(text: String, name: String?) {
        #expect(read("<gpx><wpt lat=\"1\" lon=\"2\"><name>\(text)</name></wpt></gpx>").items.first?.point?.name == name)
    }

    @Test func keepsWhatIsWholeBeforeACut() throws {
        let whole = Array(track((0..<5).map { "<trkpt lat=\"\($0)\" lon=\"2\"><time>2026-03-01T00:00:00Z</time></trkpt>\n" }.joined()).utf8)
        let text = String(decoding: whole, as: UTF8.self)
        for count in 6..<whole.count {
            let reading = GPXContract.read(Array(whole[..<count])) { count }
            #expect(reading.failure == nil && reading.summary.isCut, "\(count)")
            let complete = String(decoding: text.utf8.prefix(count), as: UTF8.self).ranges(of: "</trkpt>").count
            #expect(reading.summary.trackPoints == complete, "\(count)")
            #expect(reading.summary.badPoints == 0, "\(count)")
        }
    }

    @Test func goesOnBehindALostSector() {
        let points = (0..<60).map { "<trkpt lat=\"\($0)\" lon=\"2\"><ele>1</ele><extensions><x>1</x></extensions></trkpt>\n" }
        let bytes = Array(track(points.joined()).utf8)
        for start in stride(from: 1_000, to: 2_000, by: 7) {
            var damaged = bytes
            damaged.replaceSubrange(start..<start + 512, with: repeatElement(0, count: 512))
            let reading = read(damaged)
            // 512 bytes touch ten points of 71 bytes at most.
            #expect(reading.summary.trackPoints >= 50, "\(start)")
            #expect(reading.summary[.nulBytes].count <= 1 && !reading.summary.remarks.isEmpty, "\(start)")
            #expect(reading.items.compactMap(\.point).allSatisfy { $0.position.coordinate.longitudeDegrees == 2 })
        }
    }

    @Test func readsASecondDocumentBehindACut() {
        let whole = "<?xml version=\"1.0\"?>" + track("<trkpt lat=\"1\" lon=\"2\"/>")
        for cut in [whole.utf8.count, whole.utf8.count - 8, whole.utf8.count - 20] {
            let reading = read(String(decoding: whole.utf8.prefix(cut), as: UTF8.self) + whole)
            #expect(reading.summary.trackPoints == 2, "\(cut)")
            #expect(!reading.summary.remarks.isEmpty, "\(cut)")
        }
    }

    @Test(arguments: [
        ("", GPXError.noRoot), ("\u{FEFF}", .noRoot), ("  \n", .noRoot), ("<?xml version=\"1.0\"?>", .noRoot), ("{\"type\":1}", .noRoot),
        ("\0\0\0\0\0\0", .noRoot), ("<kml xmlns=\"x\"/>", .notGPX(root: "kml", line: 1)),
        ("<!DOCTYPE html>\n<html>", .notGPX(root: "html", line: 2)), ("<GPX/>", .notGPX(root: "GPX", line: 1)),
        ("<!DOCTYPE gpx [<!ENTITY a \"b\">]><gpx/>", .documentTypeDeclarations(line: 1)),
    ])
    func refusesWhatIsNoGPX(text: String, error: GPXError) {
        #expect(read(text).failure == error)
    }

    @Test func neverReadsAnExternalDocumentType() {
        let reading = read("<!DOCTYPE gpx SYSTEM \"http://127.0.0.1:9/x.dtd\"><gpx version=\"1.1\"><wpt lat=\"1\" lon=\"2\"/></gpx>")
        #expect(reading.summary.waypoints == 1 && reading.summary.remarks == [])
    }

    @Test func staysSmallWhateverComes() {
        let long = String(repeating: "9", count: 300_000)
        let point = "<trkpt lat=\"1\" lon=\"2\"/>"
        let deep = String(repeating: "<a>", count: 50_000) + String(repeating: "</a>", count: 50_000)
        for (odd, count) in [
            ("<trkpt lat=\"\(long)\" lon=\"8\"/>", 1), ("<trkpt lat=\"1\" lon=\"2\"><name>\(long)</name></trkpt>", 2),
            ("<!--\(long)-->", 1),
            ("<trkpt lat=\"1\" lon=\"2\" " + (0..<20_000).map { "a\($0)='x' " }.joined() + "/>", 2), (deep, 1), ("<\(long)>", 1),
            ("&\(long);", 1),
        ] {
            let reading = read(track(odd + point))
            #expect(reading.failure == nil && reading.summary.trackPoints == count, "\(odd.prefix(40))")
            #expect(reading.items.compactMap(\.point?.name).allSatisfy { $0.utf8.count <= GPXReader.longestText })
        }
    }

    @Test func countsLinesOfEveryKind() {
        for end in ["\n", "\r", "\r\n"] {
            let reading = read(track("<trkpt lat=\"1\" lon=\"2\"/>\(end)\(end)<trkpt lat=\"x\" lon=\"2\"/>"))
            #expect(reading.summary[.badPlace].firstLine == 3)
        }
    }

    @Test func readsTheSameInPiecesOfAnySize() throws {
        let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/Corpus/gpx/full").standardized
        let full = [UInt8](try Data(contentsOf: corpus))
        let whole = GPXContract.read(full) { full.count }
        #expect(whole.summary.points == 7)
        for length in 1...64 { #expect(GPXContract.read(full) { length } == whole, "\(length)") }
    }
}
