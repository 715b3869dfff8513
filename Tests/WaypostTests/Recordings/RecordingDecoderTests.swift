import Testing
import Waypost

/// The one reader of recordings: each format through the same door.
struct RecordingDecoderTests {
    private static let drive: [(format: RecordingFormat, text: String)] = [
        (
            .nmea,
            """
            $GPRMC,100000,A,5231.0200,N,01323.3300,E,010.0,090.0,221126,,,A*79\r
            $GPRMC,100001,A,5231.0200,N,01323.3400,E,010.0,090.0,221126,,,A*7F\r

            """
        ),
        (
            .gpx,
            """
            <gpx version="1.1"><trk><trkseg>
            <trkpt lat="52.517" lon="13.3888333"><time>2026-11-22T10:00:00Z</time></trkpt>
            <trkpt lat="52.517" lon="13.389"><time>2026-11-22T10:00:01Z</time></trkpt>
            </trkseg></trk></gpx>
            """
        ),
        (
            .jsonl,
            """
            {"class":"TPV","mode":2,"time":"2026-11-22T10:00:00Z","lat":52.517,"lon":13.3888333}
            {"class":"TPV","mode":2,"time":"2026-11-22T10:00:01Z","lat":52.517,"lon":13.389}
            """
        ),
        (.csv, "time,lat,lon\n2026-11-22T10:00:00Z,52.517,13.3888333\n2026-11-22T10:00:01Z,52.517,13.389"),
        (
            .kml,
            """
            <kml><Placemark><gx:Track><when>2026-11-22T10:00:00Z</when><gx:coord>13.3888333 52.517</gx:coord>
            <when>2026-11-22T10:00:01Z</when><gx:coord>13.389 52.517</gx:coord></gx:Track></Placemark></kml>
            """
        ),
    ]

    private struct Fixes: RecordingSink {
        var positions: [Position] = []

        mutating func add(_ position: Position) { positions.append(position) }
        mutating func add(_ item: RecordingItem) {
            switch item {
            case .report(.position(let position)): add(position)
            case .item(.trackPoint(let point, _)): add(point.position)
            case .report, .item: break
            }
        }
    }

    @Test(arguments: RecordingFormat.allCases, [1, 7, 65_536])
    func readsTheSameDriveInEveryFormatHoweverItIsCut(format: RecordingFormat, pieceLength: Int) throws {
        let text = try #require(RecordingDecoderTests.drive.first { $0.format == format }?.text)
        let bytes = Array(text.utf8)
        var decoder = format.makeDecoder()
        var fixes = Fixes()
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            decoder.decode(bytes.span.extracting(start..<min(bytes.count, start + pieceLength)), into: &fixes)
        }
        decoder.finish(into: &fixes)
        #expect(fixes.positions.map(\.time) == ["2026-11-22T10:00:00Z", "2026-11-22T10:00:01Z"].map { UTCTime(rfc3339: $0) })
        let isThere = fixes.positions.map(\.coordinate).allSatisfy {
            abs($0.latitudeDegrees - 52.517) < 1e-6 && abs($0.longitudeDegrees - 13.389) < 2e-4
        }
        #expect(isThere, "\(fixes.positions)")
        #expect(decoder.hasContent && decoder.refusal == nil && decoder.warnings == [])
    }

    @Test(arguments: [
        ("drive.NMEA", RecordingFormat.nmea), ("a/b.log.gz", .nmea), ("x.txt", .nmea), ("x.gpx", .gpx), ("x.gpx.GZ", .gpx),
        ("x.json", .jsonl), ("x.jsonl", .jsonl), ("x.csv", .csv), ("x.kml", .kml),
    ])
    func tellsTheFormatByTheName(path: String, format: RecordingFormat) {
        #expect(RecordingFormat(nameOf: path) == format)
    }

    @Test(arguments: ["drive", "drive.gz", "drive.geojson", "a.gpx/drive", ""])
    func knowsNoOtherName(path: String) {
        #expect(RecordingFormat(nameOf: path) == nil)
    }
}
