import Testing
import Waypost

@Suite struct KMLWriterTests {
    private func position(_ second: Int64, latitude: Double = 47.1, longitude: Double = 9.5) throws -> Position {
        let coordinate = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
        return Position(time: UTCTime(millisecondsSince1970: 1_777_692_302_000 + second * 1_000), coordinate: coordinate)
    }

    /// What the closure writes between the head and the end of a document.
    private func body(_ write: (inout KMLWriter, inout TextBuffer) throws -> Void) rethrows -> String {
        var writer = KMLWriter()
        var text = TextBuffer()
        writer.begin(into: &text)
        let head = text.count
        try write(&writer, &text)
        writer.end(into: &text)
        return String(String(decoding: text.bytes[head...], as: UTF8.self).dropLast("</Document>\n</kml>\n".count))
    }

    @Test func listsTimesBeforePlaces() throws {
        var first = try position(0)
        first.altitudeMSLMetres = 512.34
        first.speedMetresPerSecond = 1.5
        first.accuracy = HorizontalAccuracy(radiusMetres: 3, origin: .gst)
        let second = try position(1, longitude: 9.5000001)
        #expect(
            body {
                $0.point(first, into: &$1)
                $0.point(second, into: &$1)
            } == """
                <Placemark><name>Segment 1</name><styleUrl>#track</styleUrl>
                <gx:MultiTrack><gx:interpolate>1</gx:interpolate>
                <gx:Track>
                <when>2026-05-02T03:25:02Z</when>
                <when>2026-05-02T03:25:03Z</when>
                <gx:coord>9.5 47.1 512.34</gx:coord>
                <gx:coord>9.5000001 47.1</gx:coord>
                <ExtendedData><SchemaData schemaUrl="#fix">
                <gx:SimpleArrayData name="speed">
                <gx:value>1.5</gx:value>
                <gx:value></gx:value>
                </gx:SimpleArrayData>
                <gx:SimpleArrayData name="accuracy">
                <gx:value>3</gx:value>
                <gx:value></gx:value>
                </gx:SimpleArrayData>
                </SchemaData></ExtendedData>
                </gx:Track>
                </gx:MultiTrack>
                </Placemark>\n
                """)
    }

    @Test func opensAPlacemarkForEachSegment() throws {
        let fixes = try (0..<4).map { try position($0) }
        let text = body {
            $0.breakSegment(into: &$1)
            $0.point(fixes[0], into: &$1)
            $0.breakSegment(into: &$1)
            $0.breakSegment(into: &$1)
            for fix in fixes[1...] { $0.point(fix, into: &$1) }
            #expect($0.segmentCount == 2 && $0.pointCount == 4)
        }
        #expect(text.split(separator: "<Placemark>").count == 2)
        #expect(text.contains("<name>Segment 2</name>"))
    }

    @Test func cutsLongTracksIntoPiecesThatAreJoined() throws {
        let fixes = try (0..<2_500).map { try position($0) }
        var largest = 0
        let text = body { writer, text in
            for fix in fixes {
                let before = text.count
                writer.point(fix, into: &text)
                largest = max(largest, text.count - before)
            }
        }
        #expect(text.split(separator: "<gx:Track>").count == 4)
        #expect(text.split(separator: "<when>").count == 2_501)
        #expect(text.split(separator: "<Placemark>").count == 1)
        #expect(largest < 100_000)
    }

    @Test func writesFixesWithoutTimeAsALine() throws {
        var first = try position(0)
        var second = try position(1, longitude: 9.6)
        first.time = nil
        second.time = nil
        let alone = body { $0.point(first, into: &$1) }
        #expect(alone.contains("<Point><coordinates>9.5,47.1</coordinates></Point>"))
        let line = body {
            $0.point(first, into: &$1)
            $0.point(second, into: &$1)
        }
        #expect(line.contains("<coordinates>\n9.5,47.1\n9.6,47.1\n</coordinates></LineString>"))
        #expect(!line.contains("Point"))
    }

    @Test func holdsWaypointsBackUntilTheSegmentEnds() throws {
        let fix = try position(0)
        let text = body {
            $0.waypoint(name: "Start", coordinate: fix.coordinate, into: &$1)
            $0.point(fix, into: &$1)
            $0.waypoint(
                name: "Home & <office>", description: "a\nb", coordinate: fix.coordinate, altitudeMSLMetres: 12, time: fix.time, into: &$1)
            $0.point(fix, into: &$1)
        }
        #expect(text.hasPrefix("<Placemark><name>Start</name><Point><coordinates>9.5,47.1</coordinates></Point></Placemark>\n<Placemark>"))
        #expect(
            text.hasSuffix(
                """
                </gx:MultiTrack>
                </Placemark>
                <Placemark><name>Home &amp; &lt;office&gt;</name><description>a&#10;b</description><TimeStamp><when>2026-05-02T03:25:02Z\
                </when></TimeStamp><Point><coordinates>9.5,47.1,12</coordinates></Point></Placemark>\n
                """))
    }

    @Test func endsAPlacemarkRatherThanHoldingWaypointsWithoutEnd() throws {
        let fix = try position(0)
        let text = body { writer, text in
            writer.point(fix, into: &text)
            for number in 0..<2_000 { writer.waypoint(name: "\(number)", coordinate: fix.coordinate, into: &text) }
            #expect(text.count > 100_000)
            writer.point(fix, into: &text)
            #expect(writer.segmentCount == 1)
        }
        #expect(text.split(separator: "<name>Segment 1</name>").count == 3)
    }

    @Test func writesNothingForNothing() {
        #expect(body { $0.breakSegment(into: &$1) } == "")
    }
}
