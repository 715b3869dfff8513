import Testing
import Waypost
import WaypostTestKit

/// What goes from one GPX file into another: everything.
@Suite struct GPXCarryingTests {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="waypost test" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        """
    private static let schemas = """
         xsi:schemaLocation="http://www.topografix.com/GPX/1/1 https://www.topografix.com/GPX/1/1/gpx.xsd \
        http://www.garmin.com/xmlschemas/TrackPointExtension/v2 https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">

        """
    private static let ownPrefixes =
        " xmlns:gpxtpx=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\" xmlns:waypost=\"urn:waypost:gpx:1\""

    /// What the items of that document are written as, behind the declarations of the root.
    private func carried(_ text: String, root: String = "<gpx version=\"1.1\">") -> String {
        let input = Array((root + text + "</gpx>").utf8)
        let written = String(
            decoding: GPXContract.write(GPXContract.read(input, keepsOtherElements: true) { input.count }.items), as: UTF8.self)
        return written.replacing("contract", with: "waypost test").replacing(GPXCarryingTests.schemas, with: "|")
            .replacing(GPXCarryingTests.head, with: "").replacing("</gpx>\n", with: "").replacing("\n", with: "")
    }

    /// A document without a head of its own, and without foreign prefixes.
    private func body(_ text: String) -> String { carried(text).replacing(GPXCarryingTests.ownPrefixes + "|", with: "") }

    @Test func carriesEveryElementOfAPoint() {
        let point = """
            <wpt lat="1.0000000" lon="2.0000000"><ele>3.000</ele><time>2026-03-01T12:00:00Z</time><magvar>4.5</magvar>\
            <geoidheight>47.000</geoidheight><name>n</name><cmt>c &amp; c</cmt><desc>d</desc><src>s</src>\
            <link href="https://example.org/?a=1&amp;b=2"><text>t</text><type>text/html</type></link><link href="b"/>\
            <sym>Flag, Blue</sym><type>y</type><fix>dgps</fix><sat>5</sat><hdop>1</hdop><vdop>2</vdop><pdop>3</pdop>\
            <ageofdgpsdata>6.25</ageofdgpsdata><dgpsid>123</dgpsid></wpt>
            """
        #expect(body(point) == point)
    }

    /// What nobody means costs the element and no memory: of what is too deep only the depth is counted.
    @Test func carriesElementsWithinEachOtherUpToADepth() {
        func track(_ depth: Int) -> String {
            let inner = String(repeating: "<a>", count: depth) + "x" + String(repeating: "</a>", count: depth)
            return "<trk><trkseg><trkpt lat=\"1.0000000\" lon=\"2.0000000\"><extensions>\(inner)</extensions></trkpt>"
                + "<trkpt lat=\"1.5000000\" lon=\"2.0000000\"></trkpt></trkseg></trk>"
        }
        #expect(body(track(256)) == track(256))
        let bare =
            "<trk><trkseg><trkpt lat=\"1.0000000\" lon=\"2.0000000\"></trkpt><trkpt lat=\"1.5000000\" lon=\"2.0000000\"></trkpt></trkseg></trk>"
        for depth in [257, 100_000] { #expect(body(track(depth)) == bare) }
        let input = Array(("<gpx version=\"1.1\">" + track(300) + "</gpx>").utf8)
        let summary = GPXContract.read(input, keepsOtherElements: true) { input.count }.summary
        #expect(summary[.unkeptElement].count == 1 && summary.trackPoints == 2)
    }

    @Test(arguments: ["none", "2d", "3d", "dgps", "pps"]) func carriesTheKindOfFix(kind: String) {
        let track = "<trk><trkseg><trkpt lat=\"1.0000000\" lon=\"2.0000000\"><ele>3.000</ele><fix>\(kind)</fix></trkpt></trkseg></trk>"
        #expect(body(track) == track)
    }

    @Test func inventsNoFix() {
        let track = "<trk><trkseg><trkpt lat=\"1.0000000\" lon=\"2.0000000\"><ele>3.000</ele></trkpt></trkseg></trk>"
        #expect(body(track) == track)
    }

    @Test func carriesTracksRoutesAndSegmentsWithoutPoints() {
        let text = """
            <rte><name>r</name><cmt>c</cmt><src>s</src><link href="l"/><number>3</number><type>t</type></rte>\
            <trk><name>a</name></trk><trk><trkseg></trkseg><trkseg><trkpt lat="1.0000000" lon="2.0000000"></trkpt></trkseg>\
            <trkseg></trkseg></trk><trk><number>7</number></trk>
            """
        #expect(body(text) == text)
    }

    @Test func carriesForeignExtensionsEverywhere() {
        let text = """
            <metadata><name>m</name><author><email id="a" domain="b.c"/></author><extensions><x:m xmlns:x="urn:x"/></extensions></metadata>\
            <wpt lat="1.0000000" lon="2.0000000"><extensions><x:a xmlns:x="urn:x" x:k="1 &quot;2&quot;">t<x:b/>u</x:a></extensions></wpt>\
            <trk><extensions><x:c xmlns:x="urn:x"></x:c></extensions><trkseg>\
            <trkpt lat="1.0000000" lon="2.0000000"></trkpt><extensions><x:d xmlns:x="urn:x">4</x:d></extensions></trkseg></trk>\
            <extensions><x:e xmlns:x="urn:x">5</x:e></extensions>
            """
        #expect(body(text) == text)
    }

    @Test func keepsTheMeaningOfPrefixes() {
        let point = "<wpt lat=\"1.0000000\" lon=\"2.0000000\"><extensions>%</extensions></wpt>"
        func carry(_ extensions: String, root: String, expected: String, declared: String) {
            let written = carried(point.replacing("%", with: extensions), root: root)
            #expect(written == declared + "|" + point.replacing("%", with: expected))
        }
        // Declared at the root: declared at the root again.
        carry(
            "<x:a>1</x:a>", root: "<gpx xmlns:x=\"urn:x\">", expected: "<x:a>1</x:a>",
            declared: GPXCarryingTests.ownPrefixes + " xmlns:x=\"urn:x\"")
        // Our own prefix for another version of the extension: theirs stands.
        let old = "http://www.garmin.com/xmlschemas/TrackPointExtension/v1"
        carry(
            "<gpxtpx:TrackPointExtension><gpxtpx:hr>99</gpxtpx:hr></gpxtpx:TrackPointExtension>", root: "<gpx xmlns:gpxtpx=\"\(old)\">",
            expected: "<gpxtpx:TrackPointExtension><gpxtpx:hr>99</gpxtpx:hr></gpxtpx:TrackPointExtension>",
            declared: " xmlns:waypost=\"urn:waypost:gpx:1\" xmlns:gpxtpx=\"\(old)\"")
        // Declared on the way, or not at all: declared where it is used.
        carry(
            "<x:a xmlns:x=\"urn:x\"/><x:a/>", root: "<gpx><wpt xmlns:x=\"urn:y\"/>",
            expected: "<x:a xmlns:x=\"urn:x\"/><x:a xmlns:x=\"urn:undeclared:x\"/>", declared: GPXCarryingTests.ownPrefixes)
        carry("<x:a/>", root: "<gpx>", expected: "<x:a xmlns:x=\"urn:undeclared:x\"/>", declared: GPXCarryingTests.ownPrefixes)
    }

    @Test func writesSpeedCourseAndAccuracyOnce() {
        let point = """
            <wpt lat="1.0000000" lon="2.0000000"><extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>99</gpxtpx:hr>\
            <gpxtpx:speed>3</gpxtpx:speed><gpxtpx:course>90</gpxtpx:course></gpxtpx:TrackPointExtension>\
            <waypost:accuracy>5</waypost:accuracy></extensions></wpt>
            """
        #expect(carried(point, root: "<gpx\(GPXCarryingTests.ownPrefixes)>").hasSuffix("|" + point))
        // Version 1.0 has it beside: in extensions now, even where theirs has the prefix for something else.
        let old = "<wpt lat=\"1\" lon=\"2\"><speed>3</speed><extensions><x:a/></extensions></wpt>"
        #expect(
            carried(old, root: "<gpx xmlns:gpxtpx=\"urn:g\" xmlns:x=\"urn:x\">").contains(
                """
                <extensions><x:a/><TrackPointExtension xmlns="http://www.garmin.com/xmlschemas/TrackPointExtension/v2"><speed>3</speed>\
                </TrackPointExtension></extensions>
                """))
    }

    @Test func makesVersion11OfVersion10() {
        let old = """
            <name>n</name><desc>d</desc><author>A &amp; B</author><email>a@b.c</email><url>u</url><urlname>un</urlname>\
            <time>2026-03-01T12:00:00Z</time><keywords>k</keywords><bounds minlat="1" minlon="2" maxlat="3" maxlon="4"/>\
            <wpt lat="1" lon="2"><url>http://x/?a&amp;b</url><urlname>page</urlname><x:y>1</x:y></wpt>
            """
        #expect(
            carried(old, root: "<gpx version=\"1.0\" xmlns:x=\"urn:x\">") == """
                \(GPXCarryingTests.ownPrefixes) xmlns:x="urn:x"|<metadata><name>n</name><desc>d</desc>\
                <author><name>A &amp; B</name><email id="a" domain="b.c"/></author><link href="u"><text>un</text></link>\
                <time>2026-03-01T12:00:00Z</time><keywords>k</keywords><bounds minlat="1" minlon="2" maxlat="3" maxlon="4"/></metadata>\
                <wpt lat="1.0000000" lon="2.0000000"><link href="http://x/?a&amp;b"><text>page</text></link>\
                <extensions><x:y>1</x:y></extensions></wpt>
                """)
    }

    /// GPX 1.1 has no such elements, but places for their texts.
    @Test func keepsTextsOfVersion10ThatAreNoAddresses() {
        #expect(body("<email>joe at home</email>") == "<metadata><author><email id=\"joe at home\" domain=\"\"/></author></metadata>")
        #expect(body("<urlname>n</urlname>") == "<metadata><link href=\"\"><text>n</text></link></metadata>")
        let point = "<wpt lat=\"1.0000000\" lon=\"2.0000000\">"
        #expect(body("\(point)<urlname>n</urlname></wpt>") == "\(point)<link href=\"\"><text>n</text></link></wpt>")
        for text in ["<email>joe at home</email>", "<urlname>n</urlname>"] {
            #expect(GPXContract.violations(reading: Array("<gpx version=\"1.0\">\(text)</gpx>".utf8), seed: 1) == [])
        }
    }

    @Test func writesPrefixedDocumentsWithoutPrefix() {
        let input =
            "<g:wpt lat=\"1\" lon=\"2\"><g:cmt>c</g:cmt><g:link href=\"l\"><g:text>t</g:text></g:link><g:extensions><a/></g:extensions></g:wpt>"
        let bytes = Array("<g:gpx xmlns:g=\"urn:gpx\" xmlns=\"urn:a\">\(input)</g:gpx>".utf8)
        let written = String(
            decoding: GPXContract.write(GPXContract.read(bytes, keepsOtherElements: true) { 3 }.items), as: UTF8.self)
        #expect(written.contains("<cmt>c</cmt><link href=\"l\"><text>t</text></link><extensions><a xmlns=\"urn:a\"/></extensions>"))
    }

    @Test(arguments: [
        "<x:a 1=\"\"/>", "<a:b:c/>", "<x:a \(String(repeating: "b", count: 20_000))=\"\"/>",
        "<x:a b=\"\(String(repeating: "b", count: 20_000))\"/>",
        "<x:&amp;/>", "<x:a>\(String(repeating: "b", count: 1_100_000))</x:a>", "<x:1/>",
    ])
    func leavesOutWhatCannotBeXML(element: String) {
        let input = Array("<gpx><wpt lat=\"1\" lon=\"2\"><extensions>\(element)</extensions></wpt></gpx>".utf8)
        let reading = GPXContract.read(input, keepsOtherElements: true) { 4_096 }
        #expect(reading.summary.waypoints == 1 || !reading.summary.remarks.isEmpty)
        #expect(!reading.summary.remarks.isEmpty, "\(element.prefix(40))")
        #expect(!String(decoding: GPXContract.write(reading.items), as: UTF8.self).contains("<x"))
    }

    @Test func saysWhatComesTooLate() {
        let text = "<trk><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg><name>n</name><cmt>c</cmt></trk><metadata><name>m</name></metadata>"
        let input = Array("<gpx>\(text)</gpx>".utf8)
        #expect(GPXContract.read(input, keepsOtherElements: true) { 7 }.summary[.lateElement].count == 3)
    }

    @Test func readsAnExtensionRightInItsPointAsItsCopyIsRead() {
        let point =
            "<trk><trkseg><trkpt lat=\"1\" lon=\"2\"><waypost:accuracy>4.2</waypost:accuracy><o:course>12</o:course></trkpt></trkseg></trk>"
        let copy = """
            <trk><trkseg><trkpt lat="1.0000000" lon="2.0000000"><extensions><waypost:accuracy>4.2</waypost:accuracy>\
            <o:course xmlns:o="urn:undeclared:o">12</o:course></extensions></trkpt></trkseg></trk>
            """
        #expect(body(point) == copy)
        let input = Array("<gpx version=\"1.1\">\(point)</gpx>".utf8)
        for keeps in [false, true] {
            let positions = GPXContract.read(input, keepsOtherElements: keeps) { input.count }.items.compactMap {
                if case .trackPoint(let point, _) = $0 { point.position } else { nil }
            }
            #expect(positions.map(\.accuracy?.radiusMetres) == [4.2] && positions.map(\.courseDegrees) == [12])
        }
    }

    /// What an element of another program declares ends with it, as XML has it.
    @Test(arguments: [
        "<a xmlns:waypost=\"urn:other\"/>", "<a xmlns:waypost=\"urn:other\"><waypost:b/></a>",
        "<a><waypost:b xmlns:waypost=\"urn:other\"/></a>",
    ])
    func knowsItsPrefixBehindAnotherMeaning(other: String) throws {
        let point = "<trkpt lat=\"1.0000000\" lon=\"2.0000000\"><extensions>\(other)<waypost:accuracy>4.2</waypost:accuracy>"
        let track = "<trk><trkseg>\(point)</extensions></trkpt></trkseg></trk><extensions><waypost:c/></extensions>"
        for keeps in [false, true] {
            let input = Array("<gpx version=\"1.1\">\(track)</gpx>".utf8)
            let reading = GPXContract.read(input, keepsOtherElements: keeps) { input.count }
            #expect(GPXContract.points(reading.items).map(\.position.accuracy?.radiusMetres) == [4.2] && reading.summary.remarks.isEmpty)
        }
        #expect(body(track).contains(other) && body(track).contains("<extensions><waypost:c/></extensions>"))
    }

    /// Names are bytes: a letter that combines with the colon before it, and one that can be written in two ways.
    @Test func keepsNamesOfCombiningLetters() {
        let point = """
            <trk><trkseg><trkpt lat="1" lon="2"><extensions><\u{F74}:n/><\u{E9}:a/><e\u{301}:a/></extensions></trkpt></trkseg></trk>
            """
        let copy = carried(point)
        for name in ["\u{F74}", "\u{E9}", "e\u{301}"] {
            let element = "<\(name):\(name == "\u{F74}" ? "n" : "a") xmlns:\(name)=\"urn:undeclared:\(name)\"/>"
            #expect(copy.utf8.firstRange(of: element.utf8) != nil, "\(copy)")
        }
        let input = Array("<gpx version=\"1.1\">\(point)</gpx>".utf8)
        #expect(GPXContract.violations(reading: input, seed: 1) == [])
        #expect(GPXContract.read(input, keepsOtherElements: true) { input.count }.summary[.unkeptElement].count == 0)
    }

    /// An accuracy that another tag ends was not read, so it must not be read from the copy.
    @Test func carriesNoValueThatAnotherTagEnds() {
        let point = "<trk><trkseg><trkpt lat=\"1\" lon=\"2\"><waypost:accuracy>4.2</o>.</waypost:accuracy></trkpt></trkseg></trk>"
        #expect(!body(point).contains("accuracy"), "\(body(point))")
        #expect(GPXContract.violations(reading: Array("<gpx version=\"1.1\">\(point)</gpx>".utf8), seed: 1) == [])
    }

    @Test(arguments: [
        // One whose copy fails, behind one that is kept; an empty one; one that the point itself overrules.
        (
            "<extensions><speed>1</speed></extensions><extensions><speed>2</speed><o:a:b/></extensions>",
            "<speed>1</speed><gpxtpx:TrackPointExtension><gpxtpx:speed>2</gpxtpx:speed></gpxtpx:TrackPointExtension>"
        ),
        (
            "<speed>3</speed><extensions><speed/></extensions>",
            "<speed/><gpxtpx:TrackPointExtension><gpxtpx:speed>3</gpxtpx:speed></gpxtpx:TrackPointExtension>"
        ),
        (
            "<extensions><speed>1</speed></extensions><speed>3</speed>",
            "<speed>1</speed><gpxtpx:TrackPointExtension><gpxtpx:speed>3</gpxtpx:speed></gpxtpx:TrackPointExtension>"
        ),
    ]) func writesAFigureThatTheCopyDoesNotSay(point: String, extensions: String) {
        #expect(
            body("<wpt lat=\"1\" lon=\"2\">\(point)</wpt>")
                == "<wpt lat=\"1.0000000\" lon=\"2.0000000\"><extensions>\(extensions)</extensions></wpt>")
    }

    @Test func keepsTrackAndHeadOverAStartTagThatIsLost() {
        #expect(
            carried("", root: "<gpx version=\"1.1\" xmlns:o=\"urn:o\" <gpx><trk><name>a</name><trk><name>b</name></trk><o:of/>")
                == GPXCarryingTests.ownPrefixes + " xmlns:o=\"urn:o\"|<trk><name>a</name></trk><trk><name>b</name></trk>"
                + "<extensions><o:of/></extensions>")
    }

    @Test func knowsThePrefixOfEveryDocumentInAFile() {
        #expect(body("</gpx><?xml version=\"1.0\"?><g:gpx><g:rte><g:number>7</g:number></g:rte>") == "<rte><number>7</number></rte>")
    }

    @Test func keepsAnElementOfNoNamespaceInOneOfGPX() {
        let text = "<g:wpt lat=\"1\" lon=\"2\"><g:cmt><t n=\"\"></t></g:cmt></g:wpt>"
        #expect(
            carried(text, root: "<g:gpx version=\"1.1\">").contains("<cmt><t n=\"\" xmlns=\"\"></t></cmt>"))
        #expect(body("<wpt lat=\"1\" lon=\"2\"><cmt><t xmlns=\"\"></t></cmt></wpt>").contains("<cmt><t xmlns=\"\"></t></cmt>"))
    }
}
