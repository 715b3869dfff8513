import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

extension EndToEnd {
    /// The map page of the real tracker, asked by hand.
    struct PageTests {
        private static let secret = "0123456789abcdef0123456789abcdef"
        private let bearer = "Authorization: Bearer \(PageTests.secret)"

        /// A tracker with a page, on a simulated walk unless told otherwise.
        private func start(
            _ source: String = "sim:city", in folder: TestFolder, more: String = "", port: Int
        ) async throws -> TrackerProcess {
            try folder.write(PageTests.secret + "\n", to: "token")
            chmod(folder.path("token"), 0o600)
            try folder.write("[map]\nlisten = \"127.0.0.1:\(port)\"\ntoken_file = \"token\"\n" + more, to: "w.toml")
            let tracker = try await TrackerProcess(source: source, in: folder, options: ["--config", "w.toml"])
            try #require(
                await eventually { (try? BrowserSocket.get("/healthz", port: port, bearer).isThere) == true }, "\(tracker.process.errors)")
            return tracker
        }

        private func json(_ path: String, port: Int, _ header: String? = nil) throws -> JSONValue {
            let answer = try BrowserSocket.get(path, port: port, header ?? bearer)
            return try JSONParser().parse(Array(answer.body.utf8))
        }

        /// The data of the events of that name in a stream's text.
        private func events(_ name: String, in text: String) throws -> [JSONValue] {
            try text.components(separatedBy: "\n\n").filter { $0.contains("event: \(name)\n") }.compactMap { event in
                guard let line = event.split(separator: "\n").last(where: { $0.hasPrefix("data: ") }) else { return nil }
                return try JSONParser().parse(Array(line.dropFirst(6).utf8))
            }
        }

        private func stream(port: Int, _ header: String? = nil, _ more: String = "") throws -> BrowserSocket {
            let socket = try BrowserSocket(port: port)
            socket.send("GET /api/v1/stream HTTP/1.1\r\nHost: localhost:\(port)\r\n\(header ?? bearer)\r\n\(more)\r\n")
            return socket
        }

        // MARK: - What it shows

        @Test func showsTheDriveAndKeepsTheReceiverOnWhileItIsOpen() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(in: folder, more: "[tracking]\nhigh_accuracy = false\n", port: port)
            #expect(try json("/api/v1/state", port: port)["status"]?["page"]?["open"]?.int == 0)
            let open = try stream(port: port)
            let text = open.read { (try? events("position", in: $0).count) ?? 0 >= 3 && $0.contains("event: beat") }
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("Content-Type: text/event-stream"))
            let state = try #require(try events("status", in: text).first)
            #expect(state["class"]?.string == "STATE" && state["visitor"]?.string == "owner" && state["api"]?.int == 1)
            let positions = try events("position", in: text)
            // The names of watch --json, each fix a second after the one before.
            #expect(positions.count >= 3)
            #expect(positions.allSatisfy { $0["class"]?.string == "TPV" && $0["lat"]?.double != nil && ($0["mode"]?.int ?? 0) >= 2 })
            #expect(try events("beat", in: text).first?["time"]?.time != nil)
            // Opening it counts as a client, closing the last one ends that.
            var status = try json("/api/v1/state", port: port)["status"]
            #expect(status?["following"]?["for"]?.array?.contains { $0["reason"]?.string == "map page" } == true)
            #expect(status?["page"]?["open"]?.int == 1)
            open.end()
            #expect(
                await eventually {
                    status = try? json("/api/v1/state", port: port)["status"]
                    return status?["following"]?["for"]?.array?.contains { $0["reason"]?.string == "map page" } == false
                })
            // The track of the day, each point in the order of the named columns.
            let track = try json("/api/v1/track?tolerance=0", port: port)
            #expect(track["columns"]?.array?.compactMap(\.string) == ["time", "lat", "lon", "speed", "accuracy", "altMSL", "track"])
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func showsTheTrackWithItsGapsAndServesFinishedFiles() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            // The drive, at once; the tracker stays to be asked.
            try folder.write(PageTests.secret, to: "token")
            chmod(folder.path("token"), 0o600)
            try folder.write("[map]\nlisten = \"127.0.0.1:\(port)\"\ntoken_file = \"token\"\n", to: "w.toml")
            let tracker = try await TrackerProcess(
                source: "nmea:\(Package.drive)?speed=0", in: folder, options: ["--config", "w.toml", "--stay"])
            try #require(
                await eventually { (try? json("/api/v1/logs", port: port)["logs"]?.array?.isEmpty) == false }, "\(tracker.process.errors)")
            let gpx = try #require(try tracker.tracks.first)
            let day = try #require(gpx.times.first)
            var since = TextBuffer()
            since.append(UTCTime(millisecondsSince1970: day.millisecondsSince1970 / 86_400_000 * 86_400_000))
            let whole = try json("/api/v1/track?since=\(since.string)&tolerance=0", port: port)
            let segments = try #require(whole["segments"]?.array)
            #expect(segments.count == gpx.segmentCount)
            #expect(segments.reduce(0) { $0 + ($1["points"]?.array?.count ?? 0) } == gpx.times.count)
            let simple = try json("/api/v1/track?since=\(since.string)&tolerance=10", port: port)
            #expect(simple["segments"]?.array?.count == gpx.segmentCount)
            #expect((simple["segments"]?.array ?? []).reduce(0) { $0 + ($1["points"]?.array?.count ?? 0) } < gpx.times.count / 4)
            // The file, byte for byte.
            let name = try #require(try json("/api/v1/logs", port: port)["logs"]?.array?.first?["name"]?.string)
            let file = try BrowserSocket.get("/api/v1/logs/\(name)", port: port, bearer)
            let written = try folder.text("log/\(name)")
            #expect(file.status == 200 && file.body == written)
            #expect(file.headers["content-disposition"] == "attachment; filename=\"\(name)\"")
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func showsFencesWithTheirShapesAndEventsByTheirNumbers() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let name = "</script><img src=x onerror=alert(1)>"
            try folder.write(
                """
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"all","properties":{"name":"\(name)","radius":5000},
                "geometry":{"type":"Point","coordinates":[10.26,51.71]}}]}
                """, to: "fences.geojson")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await start(
                "nmea:receiver", in: folder, more: "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n", port: port)
            let fences = try json("/api/v1/fences", port: port)
            #expect(fences["total"]?.int == 1)
            #expect(fences["collection"]?["features"]?.array?.first?["properties"]?["name"]?.string == name)
            let open = try stream(port: port)
            // The last fixes of the drive are in the fence; the first ones lead there.
            try fifo.write(String(decoding: try Data(contentsOf: URL(filePath: Package.drive)), as: UTF8.self))
            _ = open.read(within: .seconds(5)) { $0.contains("event: position") }
            // Names are text in JSON and escaped in HTML.
            let html = try BrowserSocket.get("/", port: port, bearer).body
            #expect(!html.contains("<img src=x") && !html.contains("</script><img"))
            fifo.close()
            _ = try await tracker.process.exit()
        }

        // MARK: - Doors

        @Test func asksForTheTokenAndTakesItOutOfTheAddress() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(in: folder, port: port)
            for path in ["/", "/app.js", "/api/v1/state", "/api/v1/stream", "/metrics", "/healthz", "/nothing"] {
                #expect(try BrowserSocket.get(path, port: port).status == 401, "\(path)")
            }
            let first = try BrowserSocket.get("/?token=\(PageTests.secret)", port: port)
            let cookie = try #require(first.headers["set-cookie"])
            #expect(cookie.hasPrefix("waypost_\(port)=") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            let address = try #require(first.body.split(separator: "\"").first { $0.hasPrefix("0;url=") }?.dropFirst("0;url=".count))
            #expect(cookie.contains("; Path=\(address); ") && !(first.body + cookie).contains(PageTests.secret))
            let page = try BrowserSocket.get(String(address), port: port, "Cookie: \(cookie.prefix { $0 != ";" })")
            #expect(
                page.status == 200 && page.body.contains("<script type=\"module\" src=\"app.js\">") && !page.body.contains(PageTests.secret)
            )
            #expect(try BrowserSocket.get("/return.js", port: port).body.contains("location.replace") && !page.body.contains(address))
            for answer in [first, page, try BrowserSocket.get("/api/v1/state", port: port, bearer), try BrowserSocket.get("/", port: port)]
            {
                #expect(
                    answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';") == true
                )
                #expect(answer.headers["content-security-policy"]?.contains("unsafe") == false)
                #expect(answer.headers["referrer-policy"] == "no-referrer" && answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["access-control-allow-origin"] == nil)
            }
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            // Nobody wrote it down.
            #expect(!tracker.process.errors.contains(PageTests.secret) && !tracker.process.output.contains(PageTests.secret))
        }

        @Test func refusesStrangersPagesNamesAndPaths() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(in: folder, port: port)
            #expect(try BrowserSocket.get("/api/v1/state", port: port, host: "evil.example:\(port)", bearer).status == 421)
            #expect(try BrowserSocket.get("/api/v1/state", port: port, bearer, "Origin: http://evil.example").status == 403)
            #expect(try BrowserSocket.get("/api/v1/state", port: port, bearer, "Sec-Fetch-Site: cross-site").status == 403)
            #expect(
                try BrowserSocket.get("/api/v1/state", port: port, method: "OPTIONS", bearer, "Origin: http://127.0.0.1:\(port)").status
                    == 405)
            for path in [
                "/../token", "/../../etc/passwd", "/%2e%2e/token", "//etc/passwd", "/api/v1/logs/../../token",
                "/api/v1/logs/..%2f..%2ftoken",
                "/leaflet/../../../../etc/passwd", "/app.js/../../../token", "/api/v1/logs//etc/passwd", "/index.html%00.js",
                "/.git/config",
            ] {
                let answer = try BrowserSocket.get(path, port: port, bearer)
                #expect(
                    answer.status == 404 && !answer.body.contains("root:") && !answer.body.contains(PageTests.secret),
                    "\(path) \(answer.status)")
            }
            for path in [
                "/api/v1/track?box=1,2,3", "/api/v1/track?box=91,0,92,1", "/api/v1/track?since=yesterday", "/api/v1/track?tolerance=-1",
                "/api/v1/events?since=x",
            ] {
                #expect(try BrowserSocket.get(path, port: port, bearer).status == 400, "\(path)")
            }
            // Data that nobody wants, and requests that two readers could read differently.
            #expect(try BrowserSocket.get("/api/v1/state", port: port, bearer, "Content-Length: 5", "", "hello").status == 413)
            let smuggler = try BrowserSocket(port: port)
            smuggler.send(
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\(bearer)\r\n\r\n0\r\n\r\n")
            #expect(!smuggler.read(within: .seconds(3)).contains("200 OK"))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func endsRequestsThatAreHugeOrSlowWhileOthersAreAnswered() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(in: folder, port: port)
            let huge = try BrowserSocket(port: port)
            huge.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 20_000))\r\n\r\n")
            let answer = huge.read(within: .seconds(5))
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 431"))
            // An open page, and then more connections than there is room for, none of which says anything.
            let open = try stream(port: port)
            _ = open.read(within: .seconds(10)) { $0.contains("event: beat") }
            let before = try #require(tracker.process.statusField("VmRSS"))
            var slow: [BrowserSocket] = []
            for _ in 0..<1_000 {
                if let socket = try? BrowserSocket(port: port) {
                    socket.send("GET / HTTP/1.1\r\nX-")
                    slow.append(socket)
                }
            }
            #expect(try BrowserSocket.get("/healthz", port: port, bearer).isThere)
            #expect(open.read(within: .seconds(5)) { $0.contains("event: beat") }.contains("event: beat"))
            let after = try #require(tracker.process.statusField("VmRSS"))
            #expect(after - before < 4_000, "\(before) kB, then \(after) kB")
            // One that stays open ends when its time is over.
            #expect(slow.last?.isClosed(within: .seconds(20)) == true)
            slow = []
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func delaysNobodyForABrowserThatTakesNothing() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(in: folder, port: port)
            let stuck = try stream(port: port)
            let live = try stream(port: port)
            let text = live.read(within: .seconds(20)) { (try? events("position", in: $0).count) ?? 0 >= 8 }
            #expect(try events("position", in: text).count >= 8)
            withExtendedLifetime(stuck) {}
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func showsGuestsThePositionAndNothingElseUntilTheLinkExpires() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(in: folder, port: port)
            let shared = try await waypost("page", "share", "--hours", "8", "--socket", "socket", in: folder)
            try #require(shared.code == 0, "\(shared.errors)")
            let link = shared.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let token = try #require(link.components(separatedBy: "?token=").last)
            #expect(token.hasPrefix("guest."))
            let guest = "Authorization: Bearer \(token)"
            let state = try json("/api/v1/state", port: port, guest)
            #expect(state["visitor"]?.string == "guest" && state["until"]?.time != nil)
            #expect(
                state["status"]?["problems"] == nil && state["status"]?["log"] == nil
                    && state["status"]?["source"]?["url"]?.string ?? "" == "")
            for path in ["/api/v1/logs", "/api/v1/logs/x.gpx", "/api/v1/destinations", "/metrics", "/healthz"] {
                #expect(try BrowserSocket.get(path, port: port, guest).status == 403, "\(path)")
            }
            #expect(try BrowserSocket.get("/api/v1/track", port: port, guest).status == 200)
            // No other day than the current one, whatever a guest asks for.
            let longAgo = try #require(UTCTime(rfc3339: "2020-01-01T00:00:00Z"))
            let path = "/api/v1/track?since=2020-01-01T00:00:00Z"
            #expect(try json(path, port: port)["since"]?.time == longAgo)
            #expect(try json(path, port: port, guest)["since"]?.time.map { $0 > longAgo.advanced(byMilliseconds: 86_400_000) } == true)
            #expect(try BrowserSocket.get("/api/v1/state", port: port, guest + "0").status == 401)
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func showsNothingInPrivateMode() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(in: folder, port: port)
            let open = try stream(port: port)
            _ = open.read { $0.contains("event: position") }
            #expect(try BrowserSocket.get("/metrics", port: port, bearer).body.contains("\nwaypost_log_recording 1\n"))
            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            #expect(try BrowserSocket.get("/metrics", port: port, bearer).body.contains("\nwaypost_log_recording 0\n"))
            #expect(try await waypost("status", "--socket", "socket", in: folder).output.contains("log, nothing now: "))
            let text = open.read(within: .seconds(3))
            let told = try #require(text.range(of: "event: lost"))
            #expect(text[told.upperBound...].contains("\"reason\":\"private\""))
            #expect(!text[told.upperBound...].contains("\"lat\""))
            let state = try json("/api/v1/state", port: port)
            #expect(state["status"]?["position"] == nil && state["status"]?["last"] == nil && state["age"] == nil)
            for path in ["/api/v1/track", "/api/v1/events", "/api/v1/logs"] {
                #expect(try BrowserSocket.get(path, port: port, bearer).status == 403)
            }
            #expect(try !BrowserSocket.get("/", port: port, bearer).body.contains("\u{B1}"))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        // MARK: - Its place

        @Test func isReachedByAUnixSocketOfTheGroup() async throws {
            let folder = try TestFolder()
            try folder.write("[map]\nsocket = \"page.sock\"\n", to: "w.toml")
            let tracker = try await TrackerProcess(source: "sim:city", in: folder, options: ["--config", "w.toml"])
            try #require(await eventually { FileManager.default.fileExists(atPath: folder.path("page.sock")) }, "\(tracker.process.errors)")
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path("page.sock"))[.posixPermissions] as? Int
            #expect(mode == 0o660)
            // The token that it has made, which nobody else may read.
            let token = try folder.text("state/kept/state/page-token").trimmingCharacters(in: .newlines)
            #expect(
                try FileManager.default.attributesOfItem(atPath: folder.path("state/kept/state/page-token"))[.posixPermissions] as? Int
                    == 0o600)
            let answer = try await finish(
                ["curl", "-s", "--unix-socket", "page.sock", "http://localhost/api/v1/state", "-H", "Authorization: Bearer \(token)"],
                in: folder)
            #expect(answer.output.hasPrefix("{\"class\":\"STATE\""))
            let address = try await waypost("page", "--socket", "socket", in: folder)
            #expect(address.output == "http://localhost:7575/?token=\(token)\n" && address.errors.contains("ssh -L 7575:"))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            #expect(!FileManager.default.fileExists(atPath: folder.path("page.sock")))
        }

        @Test func tracksWithoutAPageWhosePortIsTaken() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let first = try await start(in: folder, port: port)
            let other = try TestFolder()
            try other.write("[map]\nlisten = \"127.0.0.1:\(port)\"\n", to: "w.toml")
            let second = try await TrackerProcess(source: "sim:city", in: other, options: ["--config", "w.toml"])
            let words = "the map page cannot be reached: 127.0.0.1:\(port): Address already in use"
            #expect(await eventually { second.process.errors.contains(words) })
            let status = try await waypost("status", "--socket", "socket", in: other)
            #expect(
                status.code == 1 && status.output.replacing("\n          ", with: " ").contains("problem   \(words)"), "\(status.output)")
            #expect(try await second.stop() == ProgramExit(code: 0))
            #expect(try await first.stop() == ProgramExit(code: 0))
        }

        @Test func isOffUnlessTold() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:city", in: folder)
            let page = try await waypost("page", "--socket", "socket", in: folder)
            #expect(page.code != 0 && page.errors.contains("map page: is off; write listen = \"127.0.0.1:7575\""))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func needsToBeToldTwiceForTheNetwork() async throws {
            let folder = try TestFolder()
            try folder.write("[map]\nlisten = \"0.0.0.0:7575\"\n", to: "w.toml")
            let refused = try await waypost("config", "check", "w.toml", in: folder)
            #expect(
                refused.code == 78 && refused.errors.contains("w.toml:2:") && refused.errors.contains("insecure_lan = true"),
                "\(refused.errors)")
            let port = try freePort()
            try folder.write("[map]\nlisten = \"0.0.0.0:\(port)\"\ninsecure_lan = true\n", to: "w.toml")
            let tracker = try await TrackerProcess(source: "sim:city", in: folder, options: ["--config", "w.toml"])
            #expect(await eventually { tracker.process.errors.contains("without encryption") })
            let status = try await waypost("status", "--socket", "socket", in: folder).output
            #expect(status.contains("without encryption"))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        // MARK: - Figures

        /// A reader of its own, by the rules of the text format: each metric has its help and its type before its samples, and no name twice.
        @Test func givesFiguresThatFollowTheFormat() async throws {
            let folder = try TestFolder()
            let port = try freePort()
            let tracker = try await start(
                in: folder, more: "[[destination]]\nname = \"a-b\"\nkind = \"http\"\nurl = \"http://127.0.0.1:9/\"\n", port: port)
            try #require(await eventually { (try? json("/api/v1/state", port: port)["status"]?["position"]) != nil })
            let answer = try BrowserSocket.get("/metrics", port: port, bearer)
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            var type: [String: String] = [:]
            var values: [String: Double] = [:]
            let sample = /([a-z_:][a-z0-9_:]*)(\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? (NaN|[-+0-9.eE]+)/
            for line in answer.body.split(separator: "\n") {
                if line.hasPrefix("# HELP ") { continue }
                if line.hasPrefix("# TYPE ") {
                    let words = line.split(separator: " ")
                    #expect(type.updateValue(String(words[3]), forKey: String(words[2])) == nil, "\(line) twice")
                    continue
                }
                let match = try #require(line.wholeMatch(of: sample), "\(line)")
                let kind = try #require(type[String(match.1)], "no type before \(line)")
                #expect((kind == "counter") == match.1.hasSuffix("_total"), "\(line)")
                values[String(match.1) + (match.2.map(String.init) ?? "")] = Double(match.3)
            }
            #expect(values["waypost_fix"] == 1)
            #expect(values["waypost_destination_up{destination=\"a-b\"}"] != nil)
            #expect((values["process_resident_memory_bytes"] ?? 0) > 1_000_000)
            #expect(!type.keys.contains { $0.contains("latitude") || $0.contains("longitude") || $0.contains("course") })
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }
    }
}
