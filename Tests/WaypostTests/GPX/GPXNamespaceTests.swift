import Testing
import Waypost
import WaypostTestKit

/// What is GPX, what is waypost's and what is another program's, wherever it is declared.
@Suite struct GPXNamespaceTests {
    private static let gpx = "http://www.topografix.com/GPX/1/1"

    private func document(_ text: String, root: String = "", prefix: String = "") -> [UInt8] {
        let name = prefix.isEmpty ? "gpx" : "\(prefix):gpx"
        let declared = prefix.isEmpty ? "xmlns" : "xmlns:\(prefix)"
        return Array("<\(name) version=\"1.1\" \(declared)=\"\(GPXNamespaceTests.gpx)\" \(root)>\(text)</\(name)>".utf8)
    }

    /// What a document becomes as another one, behind its root.
    private func carried(_ input: [UInt8]) -> String {
        #expect(GPXContract.violations(reading: input, seed: 7) == [])
        let reading = GPXContract.read(input, keepsOtherElements: true) { input.count }
        #expect(reading.summary.remarks == [])
        let text = String(decoding: GPXContract.write(reading.items), as: UTF8.self)
        return text.split(separator: ">\n", maxSplits: 2).last.map(String.init)?.replacing("\n", with: "").replacing("</gpx>", with: "")
            ?? ""
    }

    private func point(_ extensions: String) -> String {
        "<wpt lat=\"1.0000000\" lon=\"2.0000000\"><extensions>\(extensions)</extensions></wpt>"
    }

    /// A declaration ends with its element, whichever of GPX's it is.
    @Test(arguments: [
        ("<wpt lat=\"1\" lon=\"2\" xmlns:a=\"urn:x\"><extensions><a:q/></extensions></wpt>", "<a:q xmlns:a=\"urn:x\"/>"),
        ("<wpt lat=\"1\" lon=\"2\"><extensions xmlns:a=\"urn:y\"><a:q/></extensions></wpt>", "<a:q xmlns:a=\"urn:y\"/>"),
        ("<wpt lat=\"1\" lon=\"2\"><extensions xmlns=\"urn:d\"><q/></extensions></wpt>", "<extensions xmlns=\"urn:d\"><q/></extensions>"),
    ]) func endsADeclarationWithItsElement(first: String, element: String) {
        let rest = point("<a:q/><q/>")
        #expect(carried(document(first + rest, root: "xmlns:a=\"urn:a\"")) == point(element) + rest)
    }

    @Test func endsTheDeclarationsOfTracksAndSegments() {
        let point = "<trkpt lat=\"1.0000000\" lon=\"2.0000000\"><extensions>%</extensions></trkpt>"
        let input = """
            <trk xmlns:a="urn:t"><extensions><a:h/></extensions><trkseg xmlns:a="urn:s">\(point.replacing("%", with: "<a:q a:z=\"1\"/>"))\
            </trkseg><trkseg>\(point.replacing("%", with: "<a:q/>"))</trkseg></trk><trk><extensions><a:h/></extensions></trk>
            """
        let output = """
            <trk><extensions><a:h xmlns:a="urn:t"/></extensions><trkseg>\
            \(point.replacing("%", with: "<a:q a:z=\"1\" xmlns:a=\"urn:s\"/>"))</trkseg>\
            <trkseg>\(point.replacing("%", with: "<a:q xmlns:a=\"urn:t\"/>"))</trkseg></trk><trk><extensions><a:h/></extensions></trk>
            """
        #expect(carried(document(input, root: "xmlns:a=\"urn:a\"")) == output)
    }

    /// An element is GPX by its namespace: under any prefix, even one that its own start tag declares.
    @Test(arguments: [
        ("", "xmlns:g=\"http://www.topografix.com/GPX/1/1\"", "<g:wpt lat=\"1\" lon=\"2\"><g:name>n</g:name><g:sym>s</g:sym></g:wpt>"),
        ("", "", "<g:wpt lat=\"1\" lon=\"2\" xmlns:g=\"http://www.topografix.com/GPX/1/1\"><g:name>n</g:name><sym>s</sym></g:wpt>"),
        ("g", "", "<wpt xmlns='http://www.topografix.com/GPX/1/1' lat=\"1\" lon=\"2\"><g:name>n</g:name><sym>s</sym></wpt>"),
        ("g", "", "<h:wpt lat=\"1\" lon=\"2\" xmlns:h=\"http://www.topografix.com/GPX/1/0\"><h:name>n</h:name><g:sym>s</g:sym></h:wpt>"),
    ]) func readsGPXUnderEveryPrefix(prefix: String, root: String, text: String) {
        let wanted = "<wpt lat=\"1.0000000\" lon=\"2.0000000\"><name>n</name><sym>s</sym></wpt>"
        #expect(carried(document(text, root: root, prefix: prefix)) == wanted)
    }

    /// An element of another namespace is not GPX, whatever its name: it goes where other programs' elements are.
    @Test(arguments: [
        "<wpt lat=\"1\" lon=\"2\"><name xmlns=\"urn:z\">f</name><name>n</name></wpt>",
        "<wpt lat=\"1\" lon=\"2\"><name>n</name><name xmlns=\"urn:z\">f</name></wpt>",
    ]) func readsNothingElseAsGPX(text: String) {
        let wanted =
            "<wpt lat=\"1.0000000\" lon=\"2.0000000\"><name>n</name><extensions><name xmlns=\"urn:z\">f</name></extensions></wpt>"
        #expect(carried(document(text)) == wanted)
        let foreign = "<wpt xmlns=\"urn:z\" lat=\"7\" lon=\"8\"><ele>5</ele></wpt>"
        #expect(carried(document(foreign)) == "<extensions>\(foreign)</extensions>")
    }

    /// Some XML libraries write `xmlns=""` at what is added to a document: nobody means that it is not GPX.
    @Test func readsGPXThatIsSaidToHaveNoNamespace() {
        let text = "<trk%><trkseg><trkpt lat=\"1.0000000\" lon=\"2.0000000\"><name%>n</name><cmt%>c</cmt></trkpt></trkseg></trk>"
        let metadata = "<metadata%><name>m</name></metadata>"
        let wanted = (metadata + text).replacing("%", with: "")
        #expect(carried(document((metadata + text).replacing("%", with: " xmlns=\"\""))) == wanted)
        #expect(carried(document("<x xmlns=\"\">\(wanted)</x>")) == "<extensions><x xmlns=\"\">\(wanted)</x></extensions>")
    }

    /// The points behind torn markup are found again, whether or not the other elements are kept.
    @Test(arguments: ["cmt", "src", "link", "extensions"]) func findsTheNextPointBehindATornElementWithoutNamespace(name: String) {
        let torn = "<trkpt lat=\"2\" lon=\"2\"><\(name) xmlns=\"\"><t a=b>"
        let input = document("<trk><trkseg>\(torn)<trkpt lat=\"3\" lon=\"3\"/><trkpt lat=\"4\" lon=\"4\"/></trkseg></trk>")
        for keeps in [false, true] {
            let points = GPXContract.points(GPXContract.read(input, keepsOtherElements: keeps) { 9 }.items)
            #expect(points.map(\.position.coordinate.latitudeDegrees) == [3, 4])
        }
        #expect(GPXContract.violations(reading: input, seed: 3) == [])
    }

    /// A document that was appended without its declarations: its prefixes mean what they meant before.
    @Test func knowsThePrefixesOfAnEarlierDocument() {
        let input = document(point("<a:q/>"), root: "xmlns:a=\"urn:a\"") + Array("<gpx>\(point("<a:q/>"))</gpx>".utf8)
        let reading = GPXContract.read(input, keepsOtherElements: true) { 9 }
        #expect(String(decoding: GPXContract.write(reading.items), as: UTF8.self).contains(point("<a:q/>") + "\n" + point("<a:q/>")))
        #expect(GPXContract.violations(reading: input, seed: 3) == [])
    }

    /// Inside an element of GPX that is copied, elements of GPX lose their prefix, and others keep theirs.
    @Test func keepsNamespacesWithinMetadata() {
        let input = """
            <g:metadata><g:name>m</g:name><x:o xmlns:x="urn:x"><g:a/><x:b/></x:o><g:desc xmlns="urn:d">d</g:desc>\
            <g:extensions><g:c/><q/></g:extensions></g:metadata>
            """
        #expect(
            carried(document(input, prefix: "g")) == """
                <metadata><name>m</name><x:o xmlns:x="urn:x"><g:a/><x:b/></x:o><desc>d</desc>\
                <extensions><g:c/><q xmlns=""/></extensions></metadata>
                """)
    }

    @Test func givesXsiTheMeaningOfItsFile() {
        let element = "<xsi:x xsi:y=\"1\"/>"
        #expect(
            carried(document(point(element), root: "xmlns:xsi=\"urn:other\"")) == point("<xsi:x xsi:y=\"1\" xmlns:xsi=\"urn:other\"/>"))
        #expect(carried(document(point(element))) == point(element))
        #expect(carried(document(point(element), root: "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"")) == point(element))
    }

    /// The namespace decides, however it is written and wherever it is declared.
    @Test(arguments: [
        "<w:accuracy xmlns:w=\"urn:waypost:gpx:&#49;\">5</w:accuracy>", "<accuracy xmlns='urn:waypost:gpx:1'>5</accuracy>",
        "<waypost:accuracy>5</waypost:accuracy>",
    ]) func knowsItsAccuracyByItsNamespace(element: String) {
        for (extensions, radius) in [(element, 5.0), ("<w:accuracy xmlns:w=\"urn:other\">6</w:accuracy>\(element)", 5)] {
            let input = document(point(extensions))
            #expect(GPXContract.violations(reading: input, seed: 3) == [])
            for keeps in [false, true] {
                let points = GPXContract.points(GPXContract.read(input, keepsOtherElements: keeps) { 5 }.items)
                #expect(points.map(\.position.accuracy?.radiusMetres) == [radius])
            }
        }
        let other = document(point(element.replacing("urn:waypost:gpx:", with: "urn:other:")), root: "xmlns:waypost=\"urn:other\"")
        #expect(GPXContract.points(GPXContract.read(other) { 5 }.items).map(\.position.accuracy) == [nil])
    }

    /// A start tag longer than any sensible one is read in pieces, wherever the input is cut; what it declares late counts inside it.
    @Test func readsALongStartTagAlikeWhereverItIsCut() {
        let long = String(repeating: " k=\"\(String(repeating: "v", count: 5_000))\"", count: 5)
        let input = document("<wpt\(long) xmlns:a=\"urn:x\" lat=\"1\" lon=\"2\"><extensions><a:q/></extensions></wpt>")
        #expect(GPXContract.violations(reading: input, seed: 5) == [])
        let reading = GPXContract.read(input, keepsOtherElements: true) { 64 }
        #expect(reading.summary[.unkeptAttribute].count == 5 && reading.summary.waypoints == 1)
        let written = String(decoding: GPXContract.write(reading.items), as: UTF8.self)
        #expect(written.contains(point("<a:q xmlns:a=\"urn:x\"/>")))
    }

    /// More declarations at once than are kept: what uses a prefix is left out and counted, and memory stays bounded.
    @Test func leavesOutWhatUsesAPrefixThatIsNotKnown() {
        let many = (0..<1_100).map { " xmlns:p\($0)=\"u\($0)\"" }.joined()
        let input = document(
            "<wpt lat=\"1\" lon=\"2\"\(many)><extensions><p1:q/></extensions></wpt>" + point("<p1:q xmlns:p1=\"urn:x\"/>"))
        let reading = GPXContract.read(input, keepsOtherElements: true) { 64 }
        #expect(reading.summary[.unkeptElement].count == 1 && reading.summary.waypoints == 2)
        #expect(String(decoding: GPXContract.write(reading.items), as: UTF8.self).contains(point("<p1:q xmlns:p1=\"urn:x\"/>")))
        #expect(GPXContract.violations(reading: input, seed: 5) == [])
    }

    /// What was kept once is kept again, however long it becomes when it is escaped, and however many prefixes the root has.
    @Test func keepsAgainWhatItHasKept() {
        let many = (0..<255).map { "xmlns:p\($0)=\"urn:\($0)\"" }.joined(separator: " ")
        let elements = (0..<255).map { "<p\($0):e/>" }.joined()
        let input = document(point(elements), root: many)
        #expect(GPXContract.violations(reading: input, seed: 3) == [])
        let once = GPXContract.write(GPXContract.read(input, keepsOtherElements: true) { input.count }.items)
        #expect(GPXContract.read(once, keepsOtherElements: true) { once.count }.summary.remarks == [])
        for attribute in ["k='\(String(repeating: "\"", count: 10_000))'", "xmlns:a='\(String(repeating: "\"", count: 8_000))' a:k=''"] {
            let input = document(point("<q/><a \(attribute)/>"))
            #expect(GPXContract.violations(reading: input, seed: 3) == [])
            #expect(GPXContract.read(input, keepsOtherElements: true) { 9 }.summary[.unkeptElement].count == 1)
        }
    }

    /// One name twice, or under two prefixes of one namespace, and namespaces that are XML's own.
    @Test(arguments: [
        "<a:b xmlns:a=\"urn:a\" xmlns:c=\"urn:a\" a:k=\"1\" c:k=\"2\"/>", "<z:a xmlns:q=\"urn:undeclared:z\" z:k=\"1\" q:k=\"2\"/>",
        "<a:b xmlns:a=\"http://www.w3.org/2000/xmlns/\"/>", "<a:b xmlns:a=\"http://www.w3.org/XML/1998/namespace\"/>",
        "<b xmlns=\"http://www.w3.org/XML/1998/namespace\"/>", "<b xmlns=\"urn:b\" k=\"1\" k=\"2\"/>",
        "<b xmlns:a=\"urn:a\" xmlns:a=\"urn:c\"/>",
    ]) func leavesOutWhatNamespacesForbid(element: String) {
        let input = document(point(element + "<q/>"))
        #expect(GPXContract.violations(reading: input, seed: 3) == [])
        let reading = GPXContract.read(input, keepsOtherElements: true) { 9 }
        #expect(reading.summary[.unkeptElement].count == 1 && reading.summary.waypoints == 1)
        let other = document(point("<a:b xmlns:a=\"urn:a\" xmlns:c=\"urn:c\" a:k=\"1\" c:k=\"2\" k=\"3\"/>"))
        #expect(GPXContract.read(other, keepsOtherElements: true) { 9 }.summary.remarks == [])
    }

    /// GPX 1.0's own namespace among the extensions of a later version stays what it is; that of a root of version 1.0 becomes the later one.
    @Test func tellsTheVersionsOfGPXApart() {
        let (old, new) = ("http://www.topografix.com/GPX/1/0", "http://www.topografix.com/GPX/1/1")
        let inner = "<g:wpt lat=\"1.0000000\" lon=\"2.0000000\"><g:extensions>%</g:extensions></g:wpt>"
        func converted(_ root: String, _ element: String) -> String {
            let input = Array("<g:gpx \(root)>\(inner.replacing("%", with: element))</g:gpx>".utf8)
            #expect(GPXContract.violations(reading: input, seed: 3) == [])
            return String(
                decoding: GPXContract.write(GPXContract.read(input, keepsOtherElements: true) { input.count }.items), as: UTF8.self)
        }
        #expect(converted("xmlns=\"\(old)\" xmlns:g=\"\(new)\"", "<foo/>").contains("<foo xmlns=\"\(old)\"/>"))
        #expect(converted("xmlns=\"\(new)\" xmlns:g=\"\(new)\"", "<foo/>").contains("<extensions><foo/></extensions>"))
        #expect(converted("xmlns=\"\(old)\" xmlns:g=\"\(old)\"", "<foo/>").contains("<extensions><foo/></extensions>"))
    }

    /// An element with a name of GPX within one that is read is another program's, as in any other of its elements.
    @Test(arguments: ["<a:course xmlns:a=\"urn:a\">%</a:course>", "<a:box xmlns:a=\"urn:a\">%</a:box>"])
    func keepsAPointWithAnElementLikeOneInItsExtensions(element: String) {
        let inner = element.replacing("%", with: "<trkpt a:k=\"x\"></trkpt>")
        let point = "<trkpt lat=\"1.0000000\" lon=\"2.0000000\"><extensions>\(inner)</extensions></trkpt>"
        let track = "<trk><trkseg>\(point)\(point)</trkseg></trk>"
        #expect(carried(document(track)) == track)
    }

    /// What has no place in the other file is counted.
    @Test(arguments: [
        ("<wpt lat=\"1\" lon=\"2\" a:q=\"1\"><name a:r=\"2\" xml:lang=\"fr\">n</name></wpt><trk a:t=\"1\"><trkseg a:s=\"3\"/></trk>", 5, 0),
        ("<trk><desc><b>bold</b> text</desc></trk>", 0, 1), ("<url>a</url><urlname>a</urlname><url>b</url><urlname>b</urlname>", 0, 2),
        ("<metadata><name>m</name></metadata><name>n</name><author>a</author>", 0, 2), ("<url a:z=\"1\">u</url>", 1, 0),
        ("<name>n</name><desc>d</desc><metadata><name>m</name></metadata>", 0, 2),
        ("<extensions a:z=\"1\"><a:k a:z=\"1\"/></extensions>", 1, 0),
        ("<wpt lat=\"1\" lon=\"2\"><name>a</name><name>b</name><cmt>c</cmt><cmt>d</cmt><link href=\"x\"/><link href=\"y\"/></wpt>", 0, 2),
    ]) func countsWhatHasNoPlace(text: String, attributes: Int, elements: Int) {
        let root = "xmlns:a=\"urn:a\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"a b\" creator=\"c\""
        let input = document(text, root: root)
        let summary = GPXContract.read(input, keepsOtherElements: true) { 11 }.summary
        #expect(summary[.unkeptAttribute].count == attributes && summary[.unkeptElement].count == elements, "\(summary.remarks)")
        #expect(GPXContract.read(input) { 11 }.summary.remarks == [])
        #expect(GPXContract.violations(reading: input, seed: 5) == [])
    }

    /// Version 1.0 has addresses as texts, where white space around them is not part of them.
    @Test func leavesWhiteSpaceOutOfAddresses() {
        let text =
            "<author>\n J\n</author><email> <!-- x -->jo@<![CDATA[x.org]]>&#10;</email><url>\n http://e \n</url><urlname> a b </urlname>"
        #expect(
            carried(document(text)) == """
                <metadata><author><name>J</name><email id="jo" domain="x.org"/></author>\
                <link href="http://e"><text>a b</text></link></metadata>
                """)
        #expect(carried(document("<url> </url><email>\n</email>")) == "")
    }
}
