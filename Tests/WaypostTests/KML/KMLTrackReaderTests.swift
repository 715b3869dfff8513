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

    @Test func saysThatLinesHaveNoTimes() {
        let reading = read(
            "<Placemark><LineString><coordinates>\n10,50,0 10.1 , 50.1 ,12\n10.2,50.2 200,1 </coordinates></LineString></Placemark>")
        #expect(track(reading).map(\.point.position.coordinate.longitudeDegrees) == [10, 10.1, 10.2])
        #expect(track(reading).map(\.point.position.altitudeMSLMetres) == [nil, 12, nil])
        #expect(
            reading.remarks == [
                "points of lines, which have no times: 3, first line 2", "places that cannot be, left out: 1, first line 2",
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
        #expect(reading.remarks == ["tracks with more times than places, or more places than times: 1, first line 3"])
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
