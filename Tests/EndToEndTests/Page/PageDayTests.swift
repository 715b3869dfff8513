import Foundation
import Glibc
import Testing
import Waypost

extension EndToEnd {
    /// A day on the page: its track from far and near, its stops, its GPX file; and what the doctor says.
    struct PageDayTests {
        /// A drive that stands for ten minutes in its middle: 51.7, 10.26, half a second of arc a second.
        private static let epochs = (0..<1_200).map { second -> (time: String, lat: Double) in
            let way = second < 300 ? second : second < 900 ? 300 : second - 600
            return (String(format: "%02d%02d%02d", 8 + second / 3_600, second / 60 % 60, second % 60), 51.7 + Double(way) * 0.000_14)
        }

        private static func sentence(_ epoch: (time: String, lat: Double)) -> String {
            let minutes = (epoch.lat - 51) * 60
            let body = String(format: "GPRMC,%@.00,A,51%08.5f,N,01015.60000,E,1.0,0.0,240326,,,A", epoch.time, minutes)
            return String(format: "$%@*%02X\r\n", body, body.utf8.reduce(0) { $0 ^ $1 })
        }

        private func page(in folder: TestFolder) async throws -> OpenPage {
            try folder.write(PageDayTests.epochs.map(PageDayTests.sentence).joined(), to: "day.nmea")
            let page = try await OpenPage("nmea:day.nmea?speed=0", in: folder, options: ["--stay"])
            try #require(await eventually { (try? page.json("/api/v1/logs")["logs"]?.array?.isEmpty) == false })
            return page
        }

        private let span = "since=2026-03-24T00:00:00Z&until=2026-03-25T00:00:00Z"

        @Test func findsTheStop() async throws {
            let page = try await page(in: try TestFolder())
            let stops = try #require(try page.json("/api/v1/track?\(span)")["stops"]?.array)
            #expect(stops.count == 1)
            let (since, until) = (try #require(stops.first?["since"]?.time), try #require(stops.first?["until"]?.time))
            let day = try #require(UTCTime(rfc3339: "2026-03-24T08:00:00Z")).millisecondsSince1970
            #expect(abs(since.millisecondsSince1970 - day - 300_000) <= 3_000 && abs(until.millisecondsSince1970 - day - 900_000) <= 3_000)
            #expect(abs((stops[0]["lat"]?.double ?? 0) - 51.742) < 0.000_3 && abs((stops[0]["lon"]?.double ?? 0) - 10.26) < 0.000_3)
            // Seen through a box, a stop could begin and end elsewhere.
            #expect(try page.json("/api/v1/track?\(span)&box=51.7,10.2,51.8,10.3")["stops"] == nil)
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        @Test func givesTheDayAsGPX() async throws {
            let folder = try TestFolder()
            let page = try await page(in: folder)
            let answer = try page.get("/api/v1/gpx?\(span)")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/gpx+xml")
            #expect(answer.headers["content-disposition"] == "attachment")
            // Taken apart by another program: in pieces of unknown number, all of them.
            let fetched = try await finish(
                ["curl", "-sf", "-H", OpenPage.bearer, "-o", "day.gpx", "http://127.0.0.1:\(page.port)/api/v1/gpx?\(span)"], in: folder)
            #expect(fetched.code == 0)
            let file = try GPXFile(path: folder.path("day.gpx"))
            #expect(try await file.objections() == "")
            let written = try #require(try page.tracker.tracks.first)
            #expect(
                file.pointCount == PageDayTests.epochs.count && file.times == written.times && file.segmentCount == written.segmentCount)
            // A stretch of it, and one without anything.
            let part = "since=2026-03-24T08:01:00Z&until=2026-03-24T08:02:00Z"
            #expect(try page.get("/api/v1/gpx?\(part)").body.components(separatedBy: "<trkpt").count == 61)
            let empty = try page.get("/api/v1/gpx?since=2026-03-25T00:00:00Z")
            #expect(empty.status == 200 && empty.body.contains("</gpx>") && !empty.body.contains("<trkpt"))
            #expect(try page.get("/api/v1/gpx?since=noon").status == 400)
            // Nothing follows the headers of a HEAD: what does would be taken for the next answer.
            for path in ["/api/v1/gpx?\(span)", "/api/v1/stream", "/api/v1/track"] {
                let head = try BrowserSocket.get(path, port: page.port, method: "HEAD", OpenPage.bearer)
                #expect(head.status == 200 && head.body.isEmpty, "\(path): \(head)")
            }
            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            #expect(try page.get("/api/v1/gpx?\(span)").status == 403)
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        /// The page as it comes has the state of the moment, in which nothing can end the element that it is in.
        @Test func comesWithTheStateOfTheMoment() async throws {
            let folder = try TestFolder()
            let name = "</script><script>x"
            try folder.write(
                """
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"a","properties":{"name":"\(name)","radius":3000},
                "geometry":{"type":"Point","coordinates":[7.75,46.95]}}]}
                """, to: "fences.geojson")
            let page = try await OpenPage(in: folder, more: "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n")
            try #require(await eventually { (try? page.json("/api/v1/state")["status"]?["position"]) != nil })
            let html = try page.get("/").body
            #expect(html.contains("id=\"speed\">36<") && html.contains("id=\"speed-unit\">km/h<"))
            let start = try #require(html.range(of: "id=\"first\">"))
            let text = try #require(html[start.upperBound...].components(separatedBy: "</script>").first)
            let state = try JSONParser().parse(Array(text.utf8))
            #expect(state["class"]?.string == "STATE" && state["visitor"]?.string == "owner" && state["status"]?["position"]?["lat"] != nil)
            #expect(!html.contains(name))
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        @Test func asksTheDoctorForTheOwner() async throws {
            let folder = try TestFolder()
            let page = try await OpenPage(in: folder)
            let answer = try page.json("/api/v1/doctor")
            #expect(answer["class"]?.string == "DOCTOR", "\(answer)")
            let findings = try #require(answer["findings"]?.array)
            // The same program says the same.
            let own = try await waypost("doctor", "--json", "--socket", "socket", in: folder).output.split(separator: "\n")
            let said = try own.dropLast().map { try JSONParser().parse(Array($0.utf8))["what"]?.string }
            #expect(findings.map { $0["what"]?.string } == said)
            #expect(answer["faults"]?.int == findings.count { $0["level"]?.string == "fault" })
            let guest = try await waypost("page", "share", "--hours", "1", "--socket", "socket", in: folder).output
            let token = try #require(guest.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "?token=").last)
            for path in ["/api/v1/doctor", "/api/v1/gpx"] { #expect(try page.get(path, "Authorization: Bearer \(token)").status == 403) }
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }
    }
}
