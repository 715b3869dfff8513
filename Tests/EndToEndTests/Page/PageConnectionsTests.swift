import Foundation
import Testing
import Waypost

extension EndToEnd {
    /// Who gets a connection when there are not enough, and when one ends.
    struct PageConnectionsTests {
        private static let limit = 64
        private static let streamLimit = 32

        private func guest(of page: OpenPage) async throws -> String {
            let link = try await waypost("page", "share", "--hours", "1", "--socket", "socket", in: page.folder).output
            let token = try #require(link.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "?token=").last)
            return "Authorization: Bearer \(token)"
        }

        /// A connection that has asked for something and stays open.
        private func ask(_ path: String, of page: OpenPage, _ header: String) throws -> BrowserSocket {
            let socket = try BrowserSocket(port: page.port)
            socket.send("GET \(path) HTTP/1.1\r\nHost: localhost:\(page.port)\r\n\(header)\r\n\r\n")
            return socket
        }

        private func descriptorCount(of page: OpenPage) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(page.tracker.process.processID)/fd").count
        }

        @Test func refusesTheOwnerNeitherForGuestsNorForWhatIsIdle() async throws {
            let folder = try TestFolder()
            let page = try await OpenPage(in: folder)
            let guest = try await guest(of: page)
            let watched = try ask("/api/v1/stream", of: page, OpenPage.bearer)
            #expect(watched.read { $0.contains("event: status") }.contains("200 OK"))
            for header in [guest, OpenPage.bearer] {
                // With the open page as many as there may be.
                let idle = try (1..<PageConnectionsTests.limit).map { _ in
                    let socket = try ask("/api/v1/events", of: page, header)
                    #expect(socket.read { $0.contains("EVENTS") }.contains("200 OK"))
                    return socket
                }
                for _ in 0..<3 { #expect(try page.get("/healthz").isThere) }
                // The longest unused one made room; the newest is still there.
                #expect(idle[0].isClosed(within: .seconds(3)) && !idle[idle.count - 1].isClosed(within: .milliseconds(300)))
            }
            // Nor are there too many pages of guests.
            let guests = try (0..<PageConnectionsTests.streamLimit).map { _ in try ask("/api/v1/stream", of: page, guest) }
            for socket in guests { #expect(!socket.read(within: .seconds(5)) { $0.contains("\r\n\r\n") }.isEmpty) }
            #expect(try ask("/api/v1/stream", of: page, guest).read { $0.contains("\r\n\r\n") }.contains(" 503 "))
            let second = try ask("/api/v1/stream", of: page, OpenPage.bearer)
            #expect(second.read { $0.contains("event: beat") }.contains("200 OK"))
            // All the while nobody has taken the owner's first page away.
            #expect(watched.read(within: .seconds(5)) { $0.hasSuffix("}\n\n") && $0.contains("event: beat") }.contains("event: beat"))
            #expect(!watched.isClosed(within: .milliseconds(300)))
            withExtendedLifetime(guests) {}
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        /// A connection that has asked for nothing yet might be anybody's; the owner's is.
        @Test func takesTheOwnersNewConnectionsWhileGuestsHaveTheOthers() async throws {
            let folder = try TestFolder()
            let page = try await OpenPage(in: folder)
            let guest = try await guest(of: page)
            // Those that watch, and those that have asked.
            let guests = try (0..<60).map { number in
                let socket = try ask(number < 30 ? "/api/v1/stream" : "/api/v1/events", of: page, guest)
                #expect(socket.read { $0.contains("event: status") || $0.contains("EVENTS") }.contains("200 OK"))
                return socket
            }
            for _ in 0..<3 {
                let own = try (0..<30).map { _ in try BrowserSocket(port: page.port) }
                try await Task.sleep(for: .milliseconds(300))
                for socket in own { socket.send("GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\n\(OpenPage.bearer)\r\n\r\n") }
                #expect(own.count { $0.read { $0.contains("STATE") }.contains("200 OK") } == own.count)
            }
            // Who watches goes after who is idle.
            #expect(guests[30].isClosed(within: .seconds(3)) && !guests[29].isClosed(within: .milliseconds(300)))
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        @Test func answersWhoSendsNothingMore() async throws {
            let folder = try TestFolder()
            let page = try await OpenPage(in: folder)
            let before = try descriptorCount(of: page)
            for version in ["1.0", "1.1"] {
                for path in ["/healthz", "/api/v1/gpx", "/app.js"] {
                    let socket = try BrowserSocket(port: page.port)
                    socket.send("GET \(path) HTTP/\(version)\r\nHost: localhost\r\n\(OpenPage.bearer)\r\n\r\n")
                    socket.endSending()
                    let text = socket.read()
                    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(path) \(version): \(text.prefix(60))")
                }
            }
            // Several requests at once.
            let several = try BrowserSocket(port: page.port)
            let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\(OpenPage.bearer)\r\n\r\n"
            several.send(request + request)
            several.endSending()
            #expect(several.read().components(separatedBy: "HTTP/1.1 200 OK").count == 3)
            // Nothing, and a request that never becomes whole.
            for start in ["", "GET /heal"] {
                let silent = try BrowserSocket(port: page.port)
                silent.send(start)
                silent.endSending()
                #expect(silent.isClosed(within: .seconds(3)), "\(start)")
            }
            let stream = try ask("/api/v1/stream", of: page, OpenPage.bearer)
            stream.endSending()
            let text = stream.read { $0.components(separatedBy: "event: beat").count > 3 }
            #expect(text.components(separatedBy: "event: beat").count > 3)
            stream.end()
            #expect(await eventually { (try? page.json("/api/v1/state")["status"]?["page"]?["open"]?.int) == 0 })
            #expect(await eventually { (try? descriptorCount(of: page)) ?? .max <= before })
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }
    }
}
