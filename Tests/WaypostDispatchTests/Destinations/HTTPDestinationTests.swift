import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// The HTTP client and the native format against a real server, over real sockets.
@Suite struct HTTPDestinationTests {
    private func destination(
        _ url: String, timeout: Duration = .seconds(10), _ change: (inout HTTPDestination.Settings) -> Void = { _ in }
    )
        throws -> HTTPDestination
    {
        var settings = HTTPDestination.Settings(url: url)
        settings.client.timeout = timeout
        settings.client.connectTimeout = timeout
        change(&settings)
        return try HTTPDestination(settings)
    }

    private func batch(_ count: Int = 3) -> DispatchBatch {
        DispatchBatch(
            device: "box", time: DispatchFixture.start,
            records: (1...count).map { number in
                let call = TrackCall(
                    id: "t-\(number)", name: "call \(number)", values: ["n": .integer(Int64(number))], time: DispatchFixture.start,
                    position: DispatchFixture.position(number))
                return DispatchRecord(
                    id: call.id, lane: .events, sequence: UInt64(number), age: .milliseconds(1_500), content: .track(call))
            })
    }

    @Test func keepsTheContractOfDestinations() async throws {
        let server = try await FlakyServer()
        let violations = await DestinationContract().violations(of: try destination(server.url))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func sendsWhatTheFormatSays() async throws {
        let server = try await FlakyServer()
        let event = TrackerEvent(
            id: "x-enter", kind: "enter", name: "Yard", time: DispatchFixture.start, payload: .init(visit: 7, reason: .crossed))
        var batch = batch(1)
        batch.records.append(DispatchRecord(id: "x-enter", lane: .events, sequence: 2, age: nil, content: .event(event)))
        batch.records.append(
            DispatchRecord(id: "p-9-0", lane: .live, sequence: 7, age: .zero, content: .position(DispatchFixture.position(9))))
        let destination = try destination(server.url) { $0.credentials = .bearer("s3cret") }
        #expect(await destination.send(batch) == .delivered(refused: [:], answer: "200: {}"))
        let received = try server.received()
        #expect(received.map { $0["class"]?.string } == ["TRACK", "EVENT", "TPV"])
        #expect(received.map { $0["id"]?.string } == ["t-1", "x-enter", "p-9-0"])
        #expect(received.map { $0["seq"]?.int } == [1, 2, 7])
        #expect(received.map { $0["queue_ms"]?.int } == [1_500, nil, 0])
        #expect(received[0]["name"]?.string == "call 1" && received[0]["values"]?["n"]?.int == 1)
        #expect(received[0]["lat"]?.double == DispatchFixture.position(1).coordinate.latitudeDegrees)
        #expect(received[0]["time"]?.string == "2026-05-02T03:25:02.000Z" && received[0]["fix_time"]?.string == "2026-05-02T03:25:03.000Z")
        #expect(received[1]["fence"]?.string == "Yard" && received[2]["mode"]?.int == 2)
        #expect(try server.requests().map { $0["authorization"]?.string } == ["Bearer s3cret"])
    }

    /// A line break in a value would begin a header, or a request, that nobody has given.
    @Test func sendsNothingWithALineBreakInItsHead() async throws {
        let server = try await FlakyServer()
        for value in ["b\r\nX-Injected: 1", "b\nX-Injected: 1", "b\rc", "b\u{0}c", "b\u{7F}"] {
            #expect(throws: SystemError.self) { try destination(server.url) { $0.headers = [.init("X-A", value)] } }
            #expect(throws: SystemError.self) { try destination(server.url) { $0.credentials = .bearer(value) } }
            #expect(throws: SystemError.self) { try destination(server.url + "/" + value) }
            let client = try HTTPClient()
            await #expect(throws: HTTPError.badHeader(reason: "the header X-A holds a line break or another control character")) {
                try await client.send(HTTPRequest("GET", server.url, headers: [.init("X-A", value)]))
            }
            await #expect(throws: HTTPError.self) { try await client.send(HTTPRequest("GET", server.url + "/" + value)) }
            await #expect(throws: HTTPError.self) { try await client.send(HTTPRequest("GE" + value, server.url)) }
        }
        for name in ["", "X-B:\r\nC", "X B", "X:", "X-\u{E9}"] {
            #expect(throws: SystemError.self) { try destination(server.url) { $0.headers = [.init(name, "v")] } }
        }
        #expect(try server.requests().isEmpty)
        let plain = try destination(server.url) { $0.headers = [.init("X-A", "a\tb \u{E9}: c")] }
        #expect(await plain.send(batch()) == .delivered(refused: [:], answer: "200: {}"))
    }

    private enum Expected: Sendable { case delivered, temporary, denied, refused }

    @Test func knowsAReceiptFromEverythingElse() async throws {
        let server = try await FlakyServer()
        let destination = try destination(server.url, timeout: .seconds(2))
        let table: [(mode: String, expected: Expected, taken: Bool)] = [
            ("ok", .delivered, true), ("silent", .delivered, true), ("drop", .temporary, true), ("half", .temporary, true),
            // Half a head, which libcurl takes for a whole one.
            (#"cut HTTP/1.1 200 OK\r\nContent-Le"#, .temporary, true), (#"cut HTTP/1.1 200 OK\r\n"#, .temporary, true),
            (#"cut HTTP/1.0 200 OK\r\nServer: a\r\n"#, .temporary, true),
            (#"cut HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n"#, .temporary, true),
            // Web pages that do not say so: behind a mark of the byte order, in UTF-16.
            (#"cut HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\xef\xbb\xbf<html>"#, .temporary, true),
            (#"cut HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n\xff\xfe<\0h\0t\0m\0l\0>\0"#, .temporary, true),
            (#"cut HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n\0<\0h\0t\0m\0l\0>"#, .temporary, true),
            ("early", .temporary, false), ("html", .temporary, false), ("slow 4", .temporary, false), ("large 400000", .temporary, true),
            ("status 500", .temporary, false), ("status 503 77", .temporary, false), ("status 408", .temporary, false),
            ("status 429", .temporary, false), ("status 425", .temporary, false), ("status 400", .refused, false),
            ("status 410", .refused, false), ("status 413", .refused, false), ("status 415", .refused, false),
            ("status 422", .refused, false),
            ("status 401", .denied, false), ("status 403", .denied, false), ("status 404", .denied, false), ("status 302", .denied, false),
            ("redirect 308", .delivered, true), ("redirect 307", .delivered, true), ("redirect 301", .denied, false),
        ]
        for (mode, expected, taken) in table {
            try server.setMode(mode)
            let before = try server.received().count
            let outcome = await destination.send(batch())
            switch (outcome, expected) {
            case (.delivered, .delivered), (.temporary, .temporary), (.denied, .denied), (.refused, .refused): break
            default: Issue.record("\(mode): \(outcome)")
            }
            let count = try server.received().count - before
            // On a connection that was open already libcurl takes the silence for its end, and tries once on a new one.
            if mode == "drop" || mode.hasPrefix("cut") {
                #expect([3, 6].contains(count))
            } else if !mode.hasPrefix("slow") {
                #expect(count == (taken ? 3 : 0), "\(mode)")
            }
        }
        try server.setMode("status 503 77")
        #expect(await destination.send(batch()) == .temporary(reason: "503", retryAfter: .seconds(77)))
        // To whom it leads; not what a query holds.
        try server.setMode("redirect 302 https://other.example/login?token=secret")
        #expect(await destination.send(batch()) == .denied(reason: "302; it redirects to https://other.example/login"))
        try server.setMode("status 401")
        #expect(
            await destination.send(batch()) == .denied(reason: "401 Unauthorized; the user, password or token is wrong or missing"))
        try server.setMode("words 403 not you")
        #expect(
            await destination.send(batch()) == .denied(reason: "403 Forbidden: not you; this user or token may not send there"))
        try server.setMode("words 422 unknown  parcel\u{7}\n7")
        #expect(await destination.send(batch()) == .refused(reason: "422: unknown parcel 7"))
        try server.setMode("refuse t-2")
        #expect(
            await destination.send(batch()) == .delivered(refused: ["t-2": "named in the answer"], answer: #"200: {"refused": ["t-2"]}"#))
    }

    /// What a server repeats is shown, logged and stored: not what identifies us, nor the beginning of it.
    @Test func hidesWhatIdentifiesUsInAnswers() async throws {
        let server = try await FlakyServer()
        let destination = try destination(server.url) { settings in
            settings.credentials = .bearer("S3CR3T/TOKEN")
            settings.headers = [.init("X-Key", "hushhush")]
        }
        for (mode, outcome) in [
            (
                "words 422 no Bearer S3CR3T/TOKEN hushhush /in/S3CR3T%2FTOKEN",
                DeliveryOutcome.refused(reason: "422: no Bearer ... ... /in/...")
            ),
            ("words 403 hushhush", .denied(reason: "403 Forbidden: ...; this user or token may not send there")),
            ("words 503 S3CR3T/TOKEN", .temporary(reason: "503: ...", retryAfter: nil)),
            ("words 200 S3CR3T/TOKEN", .delivered(refused: [:], answer: "200: ...")),
            (
                "words 422 \(String(repeating: "x", count: 194)) S3CR3T/TOKEN",
                .refused(reason: "422: \(String(repeating: "x", count: 194)) ...")
            ),
            (
                "redirect 302 https://other.example/log/S3CR3T/TOKEN/van?key=hushhush",
                .denied(reason: "302; it redirects to https://other.example/log/.../van")
            ),
        ] {
            try server.setMode(mode)
            #expect(await destination.send(batch()) == outcome, "\(mode)")
        }
    }

    /// A proxy or a broken server that answers once more on a connection that is kept: nobody knows what that answers.
    @Test(arguments: ["status 503", "status 401", "slow 5", "drop"]) func takesNoAnswerThatNobodyAskedFor(mode: String) async throws {
        let server = try await FlakyServer("twice")
        let destination = try destination(server.url, timeout: .seconds(2))
        #expect(await destination.send(batch()) == .delivered(refused: [:], answer: "200: {}"))
        try await Task.sleep(for: .milliseconds(300))
        try server.setMode(mode)
        switch await destination.send(batch()) {
        case .temporary, .denied: break
        case let outcome: Issue.record("\(mode): \(outcome)")
        }
        // Where nothing came the connection is used again.
        try server.setMode("ok")
        for _ in 1...3 { #expect(await destination.send(batch()) == .delivered(refused: [:], answer: "200: {}")) }
        #expect(Set(try server.requests().suffix(3).map { $0["port"]?.int }).count == 1)
    }

    @Test func tellsNoOtherServerWhoItIs() async throws {
        let other = try await FlakyServer()
        let server = try await FlakyServer("redirect 307 \(other.url)")
        let destination = try destination(server.url) {
            $0.credentials = .bearer("s3cret")
            $0.headers = [.init("X-Key", "s3cret")]
        }
        guard case .delivered = await destination.send(batch()) else { throw Unexpected("the other one takes all") }
        let (first, second) = (try #require(try server.requests().first), try #require(try other.requests().first))
        #expect(first["authorization"] != nil && first["x-key"] != nil)
        #expect(second["authorization"] == nil && second["x-key"] == nil && second["content-type"]?.string == "application/json")
    }

    @Test func sendsBodiesCompressedWhenTold() async throws {
        let server = try await FlakyServer()
        let destination = try destination(server.url) {
            $0.isCompressed = true
            $0.headers = [.init("X-Fleet", "north")]
        }
        guard case .delivered = await destination.send(batch(200)) else { throw Unexpected("a server that takes all") }
        #expect(try server.received().compactMap { $0["seq"]?.int } == Array(1...200))
        let request = try #require(try server.requests().first)
        #expect(request["content-encoding"]?.string == "gzip" && request["x-fleet"]?.string == "north")
        let length = try #require(request["content-length"]?.string.flatMap { Int($0) })
        #expect(length < NativeFormat.body(of: batch(200)).count / 5)
        // Not the records' fault.
        try server.setMode("status 415")
        guard case .denied(let reason) = await destination.send(batch()) else { throw Unexpected("a server without gzip") }
        #expect(reason.contains("gzip"))
    }

    @Test func saysWhenAServerSpeaksNoTLS() async throws {
        let server = try await FlakyServer()
        let outcome = await (try destination(server.url.replacing("http:", with: "https:"))).send(batch())
        #expect(outcome == .denied(reason: "TLS: the server speaks plain HTTP; write http://, or the port of its https"))
    }

    @Test func saysThatTheHeadOfAnAnswerIsTooLong() async throws {
        let server = try await FlakyServer("head 200000")
        guard case .temporary(let reason, _) = await (try destination(server.url)).send(batch()) else { throw Unexpected("too long") }
        #expect(reason.contains("too long") || reason.contains("longer"), "\(reason)")
        #expect(!reason.hasPrefix("Out of memory"))
    }

    @Test func saysWhenThereIsNoServerAtAll() async throws {
        guard case .temporary(let reason, _) = await (try destination("http://127.0.0.1:1/")).send(batch()) else {
            throw Unexpected("nobody listens there")
        }
        #expect(reason.contains("127.0.0.1"))
        guard case .unreachable = await (try destination("http://no-such-host.invalid/")).send(batch()) else {
            throw Unexpected("there is no such name")
        }
        // What is not the URL of a web server at all is told at once.
        for url in ["gopher://127.0.0.1/", "example.org/in", "http://", "https:///in", ""] {
            #expect(throws: SystemError.self) { try destination(url) }
        }
    }

    @Test func endsSoonWhenItIsCancelled() async throws {
        let server = try await FlakyServer("slow 20")
        let destination = try destination(server.url, timeout: .seconds(30))
        let task = Task { [batch = batch()] in await destination.send(batch) }
        try await Task.sleep(for: .milliseconds(500))
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value == .temporary(reason: "cancelled", retryAfter: nil))
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test func asksForADocumentOnlyWhenItHasChanged() async throws {
        let server = try await FlakyServer()
        let client = try HTTPClient()
        let first = try await client.send(.get(server.url))
        #expect(first.status == 200 && first.body == Array("document".utf8) && first.eTag?.isEmpty == false)
        let second = try await client.send(.get(server.url, unlessETag: first.eTag))
        #expect(second.status == 304 && second.body.isEmpty)
    }

    @Test func trustsOnlyWhomItShouldAndShowsItsOwnCertificate() async throws {
        let folder = NSTemporaryDirectory() + "waypost-tls-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, subject) in [("server", "/CN=127.0.0.1"), ("box", "/CN=box")] {
            guard try TestCertificate.make(name, subject: subject, names: "IP:127.0.0.1", in: folder) else {
                return print("trustsOnlyWhomItShouldAndShowsItsOwnCertificate skipped: no openssl here")
            }
        }
        let server = try await FlakyServer(
            arguments: ["--certificate", folder + "/server.pem", "--key", folder + "/server.key", "--client-ca", folder + "/box.pem"],
            scheme: "https")
        let good = try destination(server.url) { settings in
            settings.client.caFile = folder + "/server.pem"
            settings.client.clientCertificate = folder + "/box.pem"
            settings.client.clientKey = folder + "/box.key"
        }
        #expect(await good.send(batch()) == .delivered(refused: [:], answer: "200: {}"))
        guard case .denied(let stranger) = await (try destination(server.url)).send(batch()) else {
            throw Unexpected("nobody vouches for it")
        }
        #expect(stranger.hasPrefix("TLS: "))
        let nameless = try destination(server.url) { $0.client.caFile = folder + "/server.pem" }
        // With TLS 1.3 the server's objection comes after the handshake, as an alert that may be lost with the connection.
        for _ in 0..<10 {
            switch await nameless.send(batch()) {
            case .denied(let reason): #expect(reason.hasPrefix("TLS: the server ") && reason.hasSuffix("(client_certificate)"))
            case .temporary(let reason, _): #expect(!reason.contains("getpeername"))
            case let outcome: Issue.record("without a certificate: \(outcome)")
            }
        }
        #expect(try server.received().count == 3)
    }

    /// The whole way: what was accepted is received, in order, repeats with the same id only.
    @Test func deliversEverythingThroughAFlakyServer() async throws {
        let server = try await FlakyServer("flaky 7")
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", try destination(server.url, timeout: .seconds(5)))], batchCount: 7)
        fixture.log.log(1...100)
        try await dispatcher.accept((1...100).map(DispatchFixture.call))
        var attempts = 0
        while try await dispatcher.statuses()[0].waitingPositionCount ?? 1 > 0, attempts < 300 {
            attempts += 1
            _ = try await dispatcher.dispatch()
        }
        var seen: Set<String> = []
        let first = try server.received().filter { seen.insert($0["id"]?.string ?? "").inserted }
        #expect(first.compactMap { $0["name"]?.string } == (1...100).map { "call \($0)" })
        #expect(first.filter { $0["class"]?.string == "TPV" }.compactMap { $0["seq"]?.int } == Array(1...100))
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
    }
}
