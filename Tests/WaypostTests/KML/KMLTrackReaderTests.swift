import Testing
import Waypost
import WaypostTestKit

/// Tracks and places of KML.
struct KMLTrackReaderTests {
    private func read(_ placemarks: String) -> KMLTrackContract.Reading {
        let text =
            "<kml xmlns=\"http://www.opengis.net/kml/2.2\" xmlns:gx=\"http://www.google.com/kml/ext/2.2\"><Document>\n\(placemarks)</Document></kml>"
        return KMLTrackContract.read(Array(text.utf8)) { text.utf8.count }
    }

    private func track(_ points: KMLTrackContract.Reading) -> [(point: GPXPoint, segment: Int)] {
        points.elements.compactMap { if case .trackPoint(let point, let segment) = $0 { (point, segment) } else { nil } }
    }

    @Test func readsWhatItsWriterWrites() throws {
        var writer = KMLWriter()
        var text = TextBuffer()
        var positions: [Position] = []
        writer.begin(into: &text)
        for second in 0..<2_500 {
            if second == 1_700 { writer.breakSegment(into: &text) }
            var position = Position(
                time: UTCTime(millisecondsSince1970: 1_795_341_600_000 + Int64(second) * 250),
                coordinate: try #require(Coordinate(latitudeDegrees: 51 + Double(second) / 1e5, longitudeDegrees: -0.125)),
                mode: .threeDimensional)
            position.altitudeMSLMetres = 12.25
            position.speedMetresPerSecond = second % 3 == 0 ? nil : 1.5
            position.courseDegrees = 359.5
            position.accuracy = HorizontalAccuracy(radiusMetres: 4.125, origin: .receiver)
            positions.append(position)
            writer.point(position, into: &text)
        }
        writer.waypoint(
            name: "Hut & well", description: "a <cabin>", coordinate: positions[0].coordinate, time: positions[0].time, into: &text)
        writer.end(into: &text)
        let reading = KMLTrackContract.read(text.bytes) { 1_000 }
        #expect(reading.remarks == [] && reading.failure == nil)
        #expect(track(reading).map(\.point.position) == positions)
        #expect(track(reading).map(\.segment) == positions.indices.map { $0 < 1_700 ? 0 : 1 })
        guard case .waypoint(let hut)? = reading.elements.last else { return #expect(Bool(false), "no waypoint") }
        #expect(hut.name == "Hut & well" && hut.description == "a <cabin>" && hut.position.time == positions[0].time)
    }

    /// A stay has a beginning and an end: it is a place from its beginning on.
    @Test(arguments: ["<TimeStamp><when>T</when></TimeStamp>", "<TimeSpan><begin>T</begin><end>2026-05-09T08:00:00Z</end></TimeSpan>"])
    func takesTheTimeOfAPlace(time: String) {
        let time = time.replacing("T<", with: "2026-05-09T07:14:44Z<")
        let reading = read("<Placemark>\(time)<Point><coordinates>10,50</coordinates></Point></Placemark>")
        guard case .waypoint(let place)? = reading.elements.last else { return #expect(Bool(false), "no waypoint") }
        #expect(place.position.time?.millisecondsSince1970 == 1_778_310_884_000 && reading.remarks == [])
    }

    @Test func saysThatLinesHaveNoTimes() {
        let reading = read(
            "<Placemark><LineString><coordinates>\n10,50,0 10.1 , 50.1 ,12\n10.2,50.2 200,1 </coordinates></LineString></Placemark>")
        #expect(track(reading).map(\.point.position.coordinate.longitudeDegrees) == [10, 10.1, 10.2])
        #expect(track(reading).map(\.point.position.altitudeMSLMetres) == [nil, 12, nil])
        #expect(
            reading.remarks == [
                "points of lines, which have no times: 3, first line 2", "impossible places, left out: 1, first line 2",
            ])
    }

    @Test func pairsTimesAndPlacesInAnyOrder() {
        let reading = read(
            """
            <Placemark><gx:Track><when>2026-05-09T07:14:44Z</when><gx:coord>10 50 1</gx:coord><when>2026-05-09T07:14:45Z</when><gx:coord/>
            <when>2026-05-09T07:14:46Z</when><gx:coord>10.1 50.1 0</gx:coord><when>2026-05-09T07:14:47Z</when></gx:Track></Placemark>
            """)
        #expect(track(reading).map(\.point.position.time?.millisecondsSince1970) == [1_778_310_884_000, 1_778_310_886_000])
        #expect(track(reading).map(\.segment) == [0, 1], "a gap ends a segment")
        #expect(track(reading).last?.point.position.altitudeMSLMetres == 0, "a height of a gx:coord is one")
        #expect(reading.remarks == ["times and places of tracks that cannot be paired: 1, first line 3"])
    }

    /// A track of the second half of 2026-05-09T07:14, as waypost writes it: all times first, then all places, then all speeds.
    private func block(_ range: Range<Int>, alternating: Bool = false) -> String {
        let times = range.map { "<when>2026-05-09T07:14:\($0)Z</when>\n" }
        let places = range.map { "<gx:coord>\(Double($0) / 10) 50 1</gx:coord>\n" }
        let values = range.map { "<gx:value>\($0)</gx:value>\n" }.joined()
        let fixes = alternating ? zip(times, places).map { $0 + $1 }.joined() : (times + places).joined()
        return """
            <Placemark><gx:Track>
            \(fixes)<ExtendedData><SchemaData><gx:SimpleArrayData name="speed">
            \(values)</gx:SimpleArrayData></SchemaData></ExtendedData></gx:Track></Placemark>
            """
    }

    /// What a damaged text says of the fixes of ``block(_:alternating:)``: how many are right, and how many have no time.
    private func check(_ text: String) -> (rightCount: Int, untimedCount: Int) {
        let reading = read(text)
        var counts = (0, 0)
        for (point, _) in track(reading) {
            let position = point.position
            let second = Int((position.coordinate.longitudeDegrees * 10).rounded())
            if let time = position.time {
                #expect(time.millisecondsSince1970 == 1_778_310_840_000 + Int64(second) * 1_000, "\(position)")
                counts.0 += 1
            } else {
                counts.1 += 1
            }
            if let speed = position.speedMetresPerSecond { #expect(speed == Double(second)) }
        }
        if counts.1 > 0 { #expect(reading.remarks.contains { $0.contains("cannot be paired") }) }
        #expect(KMLTrackContract.violations(reading: Array("<kml>\(text)</kml>".utf8)) == [])
        return counts
    }

    /// Whatever is damaged, no place gets the time of another one; those before and behind the damage keep theirs.
    @Test(arguments: [false, true]) func givesNoPlaceTheTimeOfAnother(alternating: Bool) {
        let whole = block(20..<50, alternating: alternating)
        #expect(check(whole) == (30, 0))
        for (old, new) in [
            ("<when>2026-05-09T07:14:31Z</when>\n", "\0\0\0\0"), ("<when>2026-05-09T07:14:31Z", "<whe>2026-05-09T07:14:31Z"),
            ("07:14:31Z</when>", "07:14:31Z</whe>"), ("07:14:31Z</when>", "07:14:31Z\0/when>"), ("<when>2026-05-09T07:14:31Z", "\0"),
            ("<gx:coord>3.1 50 1</gx:coord>\n", "\0\0\0"), ("<gx:coord>3.1 ", "<gx:co\0rd>3.1 "), ("<gx:coord>3.1 50 1</gx:coord>", "x"),
            ("3.1 50 1</gx:coord>\n<gx:coord>3.2", "3.1\0\0\0\0\03.2"), ("<gx:value>31</gx:value>", "<gx:value>31</gx:val>"),
            ("</gx:coord>", "</gx:coord>\0"), ("<when>", "\0<when>"),
        ] {
            let (right, untimed) = check(whole.replacing(old, with: new, maxReplacements: 1))
            #expect(right >= 27 && right + untimed >= 28, "\(new): \(right), \(untimed)")
        }
    }

    /// Of lists without visible damage that are not equally long, nothing is known.
    @Test func leavesTimesOutWhereALineIsMissing() {
        for line in ["<when>2026-05-09T07:14:31Z</when>\n", "<gx:coord>3.1 50 1</gx:coord>\n"] {
            let isTime = line.hasPrefix("<when")
            #expect(check(block(20..<50).replacing(line, with: "")) == (0, isTime ? 30 : 29))
            #expect(check(block(20..<50, alternating: true).replacing(line, with: "")) == (29, isTime ? 1 : 0))
        }
    }

    /// Random damage: bytes set to NUL, removed or overwritten.
    @Test(arguments: 0..<20) func survivesRandomDamage(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let whole = Array(block(20..<50, alternating: seed % 2 == 1).utf8)
        for _ in 0..<20 {
            let start = Int.random(in: 0..<whole.count, using: &generator)
            let end = min(whole.count, start + Int.random(in: 1...200, using: &generator))
            let damaged = whole[..<start] + [UInt8](repeating: 0, count: end - start) + whole[end...]
            _ = check(String(decoding: damaged, as: UTF8.self))
        }
    }

    @Test func keepsWhatWasWholeOfACutFile() {
        let text = "<kml><Placemark><gx:Track><when>2026-05-09T07:14:44Z</when><gx:coord>10 50 1</gx:coord><gx:coord>10.1 5"
        let reading = KMLTrackContract.read(Array(text.utf8)) { 5 }
        #expect(track(reading).count == 1)
        #expect(reading.remarks == ["the file ends within the document (line 1)"])
    }

    @Test(arguments: [
        ("<gpx></gpx>", KMLError.notKML(root: "gpx", line: 1)), ("", .noRoot), ("PK\u{3}\u{4}", .archive),
        ("<!DOCTYPE kml [<!ENTITY a 'b'>]><kml/>", .documentTypeDeclarations(line: 1)),
    ])
    func refusesWhatIsNoKML(text: String, error: KMLError) {
        #expect(KMLTrackContract.read(Array(text.utf8)) { 1 }.failure == error)
    }
}
