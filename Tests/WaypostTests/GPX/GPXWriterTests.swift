import Testing
import Waypost

@Suite struct GPXWriterTests {
    private func position(latitude: Double = 47.1003161, longitude: Double = 9.5248872, millisecond: Int64 = 0) throws -> Position {
        let coordinate = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
        return Position(time: UTCTime(millisecondsSince1970: 1_777_692_302_000 + millisecond), coordinate: coordinate)
    }

    private func written(_ position: Position, precision: GPXPrecision = .log, requiresTime: Bool = true) -> String {
        var writer = GPXWriter(creator: "waypost test", precision: precision, requiresTime: requiresTime)
        var text = TextBuffer()
        writer.point(position, into: &text)
        return text.string
    }

    @Test func writesEveryElementInTheOrderOfTheSchema() throws {
        var full = try position(millisecond: 250)
        full.mode = .threeDimensional
        full.status = .gps
        full.altitudeMSLMetres = 512.34
        full.geoidSeparationMetres = 47.26
        full.speedMetresPerSecond = 0.3
        full.courseDegrees = 96.125
        full.accuracy = HorizontalAccuracy(radiusMetres: 5, origin: .gst)
        full.quality.satellitesUsed = 12
        full.quality.hdop = 0.8
        full.quality.vdop = 1.25
        full.quality.pdop = 1.5
        #expect(
            written(full) == """
                <trk><trkseg>
                <trkpt lat="47.1003161" lon="9.5248872"><ele>512.3</ele><time>2026-05-02T03:25:02.250Z</time>\
                <geoidheight>47.3</geoidheight><fix>3d</fix><sat>12</sat><hdop>0.8</hdop><vdop>1.25</vdop><pdop>1.5</pdop>\
                <extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>0.3</gpxtpx:speed><gpxtpx:course>96.13</gpxtpx:course>\
                </gpxtpx:TrackPointExtension><waypost:accuracy>5</waypost:accuracy></extensions></trkpt>\n
                """)
    }

    @Test func writesOnlyWhatIsKnown() throws {
        #expect(
            written(try position())
                == "<trk><trkseg>\n<trkpt lat=\"47.1003161\" lon=\"9.5248872\"><time>2026-05-02T03:25:02Z</time><fix>2d</fix></trkpt>\n")
    }

    @Test(arguments: [
        (180.0, "-180.0000000"), (179.99999996, "-180.0000000"), (179.9999999, "179.9999999"), (-180, "-180.0000000"), (-0.0, "0.0000000"),
    ])
    func keepsTheLongitudeBelow180(longitude: Double, expected: String) throws {
        #expect(written(try position(longitude: longitude)).contains("lon=\"\(expected)\""))
    }

    @Test func writesMoreDecimalsOnlyWhereTheySaySomething() throws {
        let text = written(try position(latitude: 47.123456789, longitude: 9.5), precision: .exchange)
        #expect(text.contains("lat=\"47.123456789\" lon=\"9.5000000\""))
        #expect(written(try position(longitude: 179.9999999996), precision: .exchange).contains("lon=\"-180.0000000\""))
    }

    @Test func computesTheElevationOnlyFromWhatIsKnown() throws {
        var position = try position()
        position.altitudeHAEMetres = 559.6
        #expect(!written(position).contains("<ele>"))
        position.geoidSeparationMetres = 47.3
        #expect(written(position).contains("<ele>512.3</ele>"))
        #expect(written(position).contains("<geoidheight>47.3</geoidheight>"))
    }

    @Test func leavesOutWhatTheSchemaForbids() throws {
        var position = try position()
        position.quality.satellitesUsed = -1
        position.quality.hdop = .infinity
        position.altitudeMSLMetres = 1e300
        position.speedMetresPerSecond = -1
        position.courseDegrees = 361
        position.accuracy = HorizontalAccuracy(radiusMetres: .nan, origin: .hdop)
        let text = written(position)
        for element in ["<sat>", "<hdop>", "<ele>", "speed", "course", "accuracy>"] { #expect(!text.contains(element)) }
    }

    @Test(arguments: [
        (FixStatus.differential, "<fix>dgps</fix>"), (.rtkFixed, "<fix>dgps</fix>"), (.precise, "<fix>pps</fix>"),
        (.unknown, "<fix>2d</fix>"),
    ])
    func namesTheKindOfFix(status: FixStatus, expected: String) throws {
        var position = try position()
        position.status = status
        #expect(written(position).contains(expected))
    }

    @Test func saysNothingAboutAFixWithoutSatellites() throws {
        var position = try position()
        position.status = .deadReckoning
        #expect(!written(position).contains("<fix>"))
    }

    @Test func refusesPointsWithoutATimeUnlessToldOtherwise() throws {
        var untimed = try position()
        untimed.time = nil
        #expect(written(untimed) == "")
        #expect(written(untimed, requiresTime: false).contains("<trkpt lat=\"47.1003161\" lon=\"9.5248872\"><fix>2d</fix></trkpt>"))
        untimed.time = UTCTime(millisecondsSince1970: .max)
        #expect(written(untimed) == "")
    }

    @Test func neverWritesAnEmptySegmentOrTrack() throws {
        var writer = GPXWriter(creator: "waypost test")
        var text = TextBuffer()
        writer.begin(into: &text)
        writer.breakSegment(into: &text)
        writer.end(into: &text)
        #expect(!text.string.contains("<trk"))
        #expect(text.string.hasSuffix(">\n</gpx>\n"))

        text.removeAll()
        writer = GPXWriter(creator: "waypost test")
        writer.begin(name: "two", into: &text)
        for millisecond in [0, 1_000] as [Int64] {
            writer.breakSegment(into: &text)
            writer.breakSegment(into: &text)
            writer.point(try position(millisecond: millisecond), into: &text)
        }
        writer.end(into: &text)
        #expect(text.string.components(of: "<trkseg>") == 2 && text.string.components(of: "</trkseg>") == 2)
        #expect(text.string.components(of: "<trk>") == 1 && writer.segmentCount == 2 && writer.pointCount == 2)
    }

    @Test func escapesNames() {
        var writer = GPXWriter(creator: "a \"b\" & <c>")
        var text = TextBuffer()
        writer.begin(name: "x\u{1}\u{FFFF}é\n", time: UTCTime(millisecondsSince1970: 0), into: &text)
        #expect(text.string.contains("creator=\"a &quot;b&quot; &amp; &lt;c&gt;\""))
        #expect(text.string.contains("<metadata><name>x\u{FFFD}\u{FFFD}é&#10;</name><time>1970-01-01T00:00:00Z</time></metadata>"))
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
