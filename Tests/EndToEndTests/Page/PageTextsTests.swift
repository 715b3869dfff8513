import Foundation
import Testing
import Waypost
import WaypostControl
import WaypostRecording

@testable import WaypostDaemon

/// The texts that the page sends: events, figures, tracks, HTML.
struct PageTextsTests {
    @Test func writesAnEventAsTheStandardSays() {
        let event = ServerSentEvent(name: "event", number: 17, data: Array("{\"a\":\n1}".utf8))
        #expect(String(decoding: event.bytes(run: "7f3a"), as: UTF8.self) == "id: 7f3a-17\nevent: event\ndata: {\"a\": 1}\n\n")
        let beat = ServerSentEvent(name: "beat", data: Array("{}".utf8))
        #expect(String(decoding: beat.bytes(run: "7f3a"), as: UTF8.self) == "event: beat\ndata: {}\n\n")
    }

    @Test func readsTheNumberOfItsOwnRunOnly() {
        #expect(ServerSentEvent.number(inID: "7f3a-17", run: "7f3a") == 17)
        for id in ["8f3a-17", "17", "", "7f3a-", "7f3a--1", "7f3a-17a"] {
            #expect(ServerSentEvent.number(inID: id, run: "7f3a") == nil, "\(id)")
        }
    }

    @Test func keepsTheLastEventsForBrowsersThatWereAway() throws {
        let live = PageBroadcaster()
        #expect(live.missed(after: nil) == nil)
        #expect(live.missed(after: "\(live.run)-0") == [])
        for number in 1...70 {
            live.deliver(TrackerEvent(id: "e\(number)", kind: "enter", name: "Yard", time: nil, position: nil, payload: nil))
        }
        #expect(live.missed(after: "\(live.run)-68")?.map(\.number) == [69, 70])
        #expect(live.missed(after: "\(live.run)-70") == [])
        #expect(live.missed(after: "\(live.run)-6")?.count == 64)
        // Some after that one are forgotten; and what has not happened was another run's.
        #expect(live.missed(after: "\(live.run)-5") == nil)
        #expect(live.missed(after: "\(live.run)-71") == nil)
        #expect(live.missed(after: "other-70") == nil)
    }

    @Test func writesFiguresAsPrometheusReadsThem() {
        var text = PrometheusText()
        text.add("a_seconds", .gauge, "A time.", 1.5)
        text.add("unknown", .gauge, "Nobody knows.", nil as Double?)
        text.add("b_total", .counter, "Counts.", [([("name", "a\"b\\c\nd")], 3), ([("name", "x"), ("of", "y")], .nan)])
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == """
                # HELP a_seconds A time.
                # TYPE a_seconds gauge
                a_seconds 1.5
                # HELP b_total Counts.
                # TYPE b_total counter
                b_total{name="a\\"b\\\\c\\nd"} 3
                b_total{name="x",of="y"} NaN

                """)
    }

    // MARK: - Tracks

    private func position(_ latitude: Double, _ longitude: Double, second: Int64 = 0) -> Position {
        guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else { preconditionFailure("a place") }
        return Position(time: UTCTime(millisecondsSince1970: second * 1_000), coordinate: place)
    }

    @Test func hasGapsOnlyWhereTheLogHasALoss() {
        var track = PageTrack(toleranceMetres: 0, box: nil)
        // An hour and a hundred kilometres apart, and no loss between.
        track.add(position(47, 8, second: 0))
        track.add(position(48, 8, second: 3_600))
        track.interrupt(.loss)
        track.add(position(48.0001, 8, second: 3_601))
        track.end()
        #expect(track.pieces.map(\.points.count) == [2, 1])
        #expect(track.pieces.map(\.reason) == [.start, .loss])
    }

    @Test func cutsABoxWithThePointsBesideIt() throws {
        let box = try #require(BoundingBox(southDegrees: 46.9, westDegrees: 7.95, northDegrees: 47.1, eastDegrees: 8.05))
        var track = PageTrack(toleranceMetres: 0, box: box)
        for (index, longitude) in [7.7, 7.8, 7.9, 8.0, 8.1, 8.2, 8.1, 8.0].enumerated() {
            track.add(position(47, longitude, second: Int64(index)))
        }
        track.end()
        #expect(track.pieces.map { $0.points.map(\.coordinate.longitudeDegrees) } == [[7.9, 8.0, 8.1], [8.1, 8.0]])
        #expect(track.pieces.map(\.reason) == [.start, nil])
        #expect(track.positionCount == 8)
    }

    @Test func coarsensWhatHasTooManyPoints() {
        var track = PageTrack(toleranceMetres: 0.5, box: nil)
        // Zigzags of 20 m: each corner is further than any small tolerance.
        for index in 0..<20_000 { track.add(position(47 + Double(index) * 0.0001, index % 2 == 0 ? 8 : 8.0003, second: Int64(index))) }
        track.end()
        #expect(track.pieces.reduce(0) { $0 + $1.points.count } <= PageTrack.maximumCount + 2)
        #expect(track.toleranceMetres > 10)
        #expect(track.pieces.count == 1)
        #expect(track.pieces[0].points.first?.milliseconds == 0)
        #expect(track.pieces[0].points.last?.milliseconds == 19_999_000)
    }

    // MARK: - HTML

    @Test func escapesWhatComesFromOthers() {
        var status = StatusReport()
        status.problems = ["<script>alert('1')</script> & \"more\""]
        let html = PageText(status, ageSeconds: nil, zone: .utc).html
        #expect(html.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;more&quot;"))
        #expect(!html.contains("<script"))
    }

    @Test func showsNoPlaceWhereNoneMayBeShown() {
        var status = StatusReport()
        var privacy = StatusReport.Privacy()
        (privacy.isPrivate, privacy.isWithheld) = (true, true)
        status.privacy = privacy
        #expect(PageText(status, ageSeconds: 3, zone: .utc).html == "<p>Private mode is on: no position is shown.</p>")
    }

    @Test func tellsTimesInTheZoneThatIsNamed() throws {
        var status = StatusReport()
        status.position = position(47, 8, second: 1_795_600_000)
        var fences = StatusReport.Fences()
        fences.count = 1
        let name = String(repeating: "n", count: 2_000)
        fences.events = [
            TrackerEvent(id: "e", kind: "enter", name: name, time: UTCTime(millisecondsSince1970: 0), position: nil, payload: nil)
        ]
        status.fences = fences
        // What date(1) says: TZ=Europe/Zurich date -d @1795600000.
        #expect(PageText(status, ageSeconds: 0, zone: .utc).html.contains("at 2026-11-25 09:46:40 UTC, 0 s ago"))
        let zurich = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        #expect(PageText(status, ageSeconds: 0, zone: zurich).html.contains("at 2026-11-25 10:46:40 UTC+1,"))
        var display = StatusReport.Display()
        display.timeZone = "Europe/Zurich"
        status.display = display
        let html = PageText(status, ageSeconds: 0, zone: zurich).html
        #expect(html.contains("at 2026-11-25 10:46:40 Europe/Zurich,") && html.contains("1970-01-01 01:00:00 Europe/Zurich enter nnn"))
        #expect(!html.contains(name) && html.count < 500)
    }

    /// Whatever a name says, it ends neither the element of the state nor the page's own.
    @Test func putsTheStateIntoTheFrame() {
        var status = StatusReport()
        var position = self.position(47, 8)
        position.speedMetresPerSecond = 9.9 / 3.6
        status.position = position
        func frame(_ html: String) -> String {
            var frame = PageFrame(Array(html.utf8))
            frame.addMap()
            frame.add(status, ageSeconds: 0, zone: .utc, json: Array("{\"name\":\"</script><!--\"}".utf8))
            return String(decoding: frame.bytes, as: UTF8.self)
        }
        #expect(frame("<i id=\"first\">{}</i>") == "<i id=\"first\">{\"name\":\"\\u003c/script>\\u003c!--\"}</i>")
        #expect(frame("<b data-leaflet=\"no\" id=\"speed\">&ndash;</b>") == "<b data-leaflet=\"yes\" id=\"speed\">9.9</b>")
        status.position?.speedMetresPerSecond = 36 / 3.6
        #expect(frame("<b id=\"speed\">&ndash;</b><i id=\"speed-unit\"></i>") == "<b id=\"speed\">36</b><i id=\"speed-unit\">km/h</i>")
        #expect(frame("<b id=\"accuracy\"></b>") == "<b id=\"accuracy\">accuracy unknown</b>")
        status.position = nil
        #expect(frame("<b id=\"speed\">&ndash;</b>") == "<b id=\"speed\">&ndash;</b>")
    }

    @Test func tellsWhatTheDoctorSaid() throws {
        let lines = "{\"class\":\"FINDING\",\"what\":\"a\"}\n{\"class\":\"DOCTOR\",\"faults\":1,\"notes\":0,\"not_checked\":[{},{}]}\n"
        guard case .bytes(let bytes) = PageDoctor.answer(Array(lines.utf8)).body else { return }
        let answer = try JSONParser().parse(bytes)
        #expect(answer["faults"]?.int == 1 && answer["not_checked"]?.int == 2 && answer["findings"]?.array?.first?["what"]?.string == "a")
        // A program that is not there, that crashes, and one that is cut.
        for text in [nil, "", "Killed\n", "{\"class\":\"FINDING\"}\n", "{\"class\":\"DOC"] {
            #expect(PageDoctor.answer(text.map { Array($0.utf8) }).status == 503)
        }
    }

    @Test func findsThePageInACheckoutAndWhereItIsInstalled() throws {
        let folder = try TestFolder()
        for place in ["usr/share/waypost/page", "tree/Config/page"] {
            try FileManager.default.createDirectory(atPath: folder.path(place), withIntermediateDirectories: true)
            try folder.write("", to: place + "/index.html")
        }
        #expect(PageFiles.folder(ofProgram: folder.path("usr/bin/waypostd")) == folder.path("usr/share/waypost/page"))
        #expect(PageFiles.folder(ofProgram: folder.path("tree/.build/x/debug/waypostd")) == folder.path("tree/Config/page"))
        #expect(
            PageFiles.folder(ofProgram: folder.path("waypostd")) == nil
                || PageFiles.folder(ofProgram: folder.path("waypostd")) == "/usr/share/waypost/page")
    }
}
