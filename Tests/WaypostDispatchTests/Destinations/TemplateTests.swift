import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// Requests of one's own: what is filled in and how it is escaped, and a real server that takes them.
@Suite struct TemplateTests {
    private func configuration(_ url: String, body: String = "", format: String = "auto", expect: String = "") -> DestinationConfiguration {
        var configuration = DestinationConfiguration()
        (configuration.kindName, configuration.url, configuration.format) = ("template", url, format)
        configuration.timeout = .seconds(5)
        (configuration[TemplateKind.self].body, configuration[TemplateKind.self].expected) = (body, expect)
        return configuration
    }

    private func destination(_ configuration: DestinationConfiguration) throws -> any Destination {
        #expect(configuration.fault == nil)
        return try configuration.open(
            on: .init(device: "van 7", secrets: SecretFiles(), isHighAccuracy: true, desiredAccuracy: .best))
    }

    private func batch(_ contents: DispatchRecord.Content...) -> DispatchBatch {
        let records = contents.enumerated().map { index, content in
            DispatchRecord(id: "p-\(index)-0", lane: .live, sequence: UInt64(index), age: nil, content: content)
        }
        return DispatchBatch(device: "box", time: DispatchFixture.start, records: records)
    }

    private func full() -> Position {
        var position = DispatchFixture.position(2)
        position.altitudeMSLMetres = 46.5
        position.speedMetresPerSecond = 13.5
        position.courseDegrees = 96.25
        position.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .gst)
        return position
    }

    private func message(_ configuration: DestinationConfiguration, _ content: DispatchRecord.Content) throws -> HTTPMessage? {
        let kind = configuration[TemplateKind.self]
        var request = try TemplateFormat.Request(url: configuration.url)
        if !kind.body.isEmpty { request.body = try RecordTemplate(kind.body) }
        request.isJSON = configuration.format == "json"
        return try TemplateFormat(request: request, device: "van 7", token: "s/e&c").messages(for: batch(content)).first
    }

    // MARK: - Escaping

    @Test func fillsInAQuery() throws {
        let url =
            "http://h/log/{token}/{device}?lat={lat}&lon={lon}&t={timestamp}&s={speed}&k={speed_kmh}&acc={accuracy}&alt={altitude}&d={course}&iso={time}&fix=1"
        let message = try #require(try message(configuration(url), .position(full())))
        #expect(message.method == "GET" && message.body.isEmpty)
        #expect(
            message.url == "http://h/log/s%2Fe%26c/van%207?lat=47.10002&lon=9.5&t=1777692304&s=13.5&k=48.6&acc=5&alt=46.5&d=96.25"
                + "&iso=2026-05-02T03%3A25%3A04.000Z&fix=1")
        #expect(message.hidden.contains("47.10002") && message.hidden.contains("s/e&c"))
    }

    /// What is not known is left out with its name; in a path it is empty.
    @Test(arguments: [
        ("?lat={lat}&s={speed}&lon={lon}", "?lat=47.10002&lon=9.5"), ("?s={speed}&x={course}", ""), ("?a=1&s={speed}", "?a=1"),
        ("?p={lat},{speed}&q={lat},{lon}", "?q=47.10002,9.5"), ("/{altitude}/x", "//x"), ("?x={}&{y&z={lat}", "?x={}&{y&z=47.10002"),
    ])
    func leavesOutWhatIsNotKnown(template: String, filled: String) throws {
        let message = try message(configuration("http://h" + template), .position(DispatchFixture.position(2)))
        #expect(message?.url == "http://h" + filled)
    }

    @Test func fillsInAForm() throws {
        let body = "lat={lat}&lon={lon}&speed={speed}&name={name}"
        let call = TrackCall(name: "a&b=c ü", values: [:], time: nil, position: DispatchFixture.position(2))
        let message = try #require(try message(configuration("http://h/{kind}", body: body), .track(call)))
        #expect(message.method == "POST" && message.contentType == "application/x-www-form-urlencoded" && message.url == "http://h/track")
        #expect(String(decoding: message.body, as: UTF8.self) == "lat=47.10002&lon=9.5&name=a%26b%3Dc%20%C3%BC")
    }

    @Test func fillsInJSON() throws {
        let body = #"{"lat":{lat},"text":"\"{name}\" {speed}","name":{name},"speed":{speed},"t":"{timestamp}","kind":"{kind}"}"#
        let words = "a\"b\\c\n{lat}"
        let call = TrackCall(name: words, values: [:], time: nil, position: DispatchFixture.position(2))
        let message = try #require(try message(configuration("http://h/{lon}", body: body, format: "json"), .track(call)))
        #expect(message.contentType == "application/json")
        let value = try JSONParser().parse(message.body)
        #expect(value["lat"]?.double == 47.10002 && value["speed"] == .null && value["name"]?.string == words)
        #expect(value["text"]?.string == "\"\(words)\" " && value["t"]?.string == "1777692304" && value["kind"]?.string == "track")
    }

    @Test func hasAWordForOthersWhereItSaysWhatTheyAre() throws {
        let call = DispatchRecord.Content.track(TrackCall(name: "x", values: [:], time: nil, position: full()))
        let nowhere = DispatchRecord.Content.track(TrackCall(name: "x", values: [:], time: nil, position: nil))
        #expect(try message(configuration("http://h/?lat={lat}&lon={lon}"), call) == nil)
        #expect(try message(configuration("http://h/?lat={lat}&lon={lon}&k={kind}"), call) != nil)
        #expect(try message(configuration("http://h/?lat={lat}&lon={lon}&k={kind}"), nowhere) == nil)
    }

    // MARK: - Mistakes

    @Test(arguments: [
        ("http://h/?lat={lattitude}&lon={lon}", "", "auto", "url", "did you mean {lat}?"),
        ("http://h/?lat={latitude}&lon={lon}", "", "auto", "url", "did you mean {lat}?"),
        ("http://h/?lat={lat}&lon={lng}", "", "auto", "url", "did you mean {lon}?"),
        ("http://h/{tok}/?lat={lat}&lon={lon}", "", "auto", "url", "did you mean {token}?"),
        ("http://h/?lat={LAT}&lon={lon}", "", "auto", "url", "did you mean {lat}?"),
        ("http://h/?x={quux}", "", "auto", "url", "known: {lat}, {lon}"),
        ("http://h/?lat={lat}", "", "auto", "url", "must contain {lat} and {lon}"),
        ("http://h/", "lat={lat}&lon={lom}", "auto", "body", "did you mean {lon}?"),
        ("http://{device}/?lat={lat}&lon={lon}", "", "auto", "url", "must name its host"),
        ("http://h/{token}?lat={lat}&lon={lon}", "", "auto", "token_file", "is needed for {token}"),
        ("http://h/", "{\"lat\":{lat},\"lon\":{lon}", "json", "body", "is no JSON"),
        ("http://h/", "{\"lat\":{lat},\"lon\":{lon}}", "auto", "format", "must be \"json\""),
        ("http://h/?lat={lat}&lon={lon}", "", "native", "format", "must be \"form\" or \"json\""),
    ])
    func refuses(url: String, body: String, format: String, key: String, reason: String) {
        let fault = configuration(url, body: body, format: format).fault
        #expect(fault?.key == key && fault?.reason.contains(reason) == true, "\(String(describing: fault))")
    }

    // MARK: - A server

    private static let query = "log/gpslogger/abc/van?lat={lat}&lon={lon}&timestamp={timestamp}&acc={accuracy}&speed={speed}"

    @Test(arguments: [
        (query, "", "form"), ("in", "lat={lat}&lon={lon}&t={timestamp}&k={kind}", "form"),
        ("in", "{\"lat\":{lat},\"lon\":{lon},\"t\":\"{time}\",\"kind\":\"{kind}\",\"name\":{name}}", "json"),
    ])
    func keepsTheContractOfDestinations(path: String, body: String, format: String) async throws {
        let server = try await FlakyServer()
        let url = String(server.url.dropLast(2)) + path
        let violations = await DestinationContract().violations(of: try destination(configuration(url, body: body, format: format)))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func isReceivedByAServerThatWantsGET() async throws {
        let server = try await FlakyServer("answer []")
        let destination = try destination(configuration(String(server.url.dropLast(2)) + Self.query))
        #expect(await destination.send(batch(.position(full()))) == .delivered(refused: [:], answer: "200: []"))
        let received = try #require(try server.received().first)
        #expect(received["lat"]?.string == "47.10002" && received["acc"]?.string == "5" && received["timestamp"]?.string == "1777692304")
    }

    @Test func takesWhatIsExpectedForTheReceipt() async throws {
        let server = try await FlakyServer("answer {\"error\":true}")
        let destination = try destination(
            configuration(server.url, body: "lat={lat}&lon={lon}", expect: "\"error\":false"))
        guard case .temporary(let reason, nil) = await destination.send(batch(.position(full()))) else { throw Unexpected("no receipt") }
        #expect(reason == "200: {\"error\":true}; the answer does not hold '\"error\":false'")
        try server.setMode("answer {\"error\":false,\"trackid\":1}")
        guard case .delivered = await destination.send(batch(.position(full()))) else { throw Unexpected("a receipt") }
        try server.setMode("html")
        guard case .temporary = await destination.send(batch(.position(full()))) else { throw Unexpected("a captive portal") }
    }

    /// A server that repeats what it was asked tells nobody where the box is.
    @Test func hidesPlacesThatAnAnswerRepeats() async throws {
        let server = try await FlakyServer("words 404 no /log/47.10002/9.5?x=47.10002 here")
        let destination = try destination(configuration(String(server.url.dropLast(2)) + "log/{lat}/{lon}?x={lat}"))
        guard case .denied(let reason) = await destination.send(batch(.position(full()))) else { throw Unexpected("404") }
        #expect(!reason.contains("47.1") && reason.contains("404"))
    }

    // MARK: - Redirects

    private func page(of server: FlakyServer) -> String { String(server.url.dropLast(2)) + "log" }

    /// The data is in the URL: a place that is asked without it confirms nothing, whatever it answers.
    @Test(arguments: [301, 302, 303, 307, 308]) func takesNoAnswerOfAnotherPlaceForAReceipt(status: Int) async throws {
        let other = try await FlakyServer()
        let server = try await FlakyServer("redirect \(status) \(page(of: other))")
        let destination = try destination(configuration(page(of: server) + "?lat={lat}&lon={lon}"))
        guard case .denied(let reason) = await destination.send(batch(.position(full()))) else { throw Unexpected("the redirect is told") }
        #expect(reason.hasPrefix("\(status); it redirects to \(page(of: other))"))
        #expect(try other.requests().isEmpty)
    }

    @Test(arguments: [(301, false), (307, true), (308, true)])
    func followsARedirectThatKeepsTheData(status: Int, isFollowed: Bool) async throws {
        let other = try await FlakyServer()
        let server = try await FlakyServer("redirect \(status) \(page(of: other))?lat=47.10002&lon=9.5")
        let destination = try destination(configuration(page(of: server) + "?lat={lat}&lon={lon}"))
        let outcome = await destination.send(batch(.position(full())))
        if case .delivered = outcome { #expect(isFollowed) } else { #expect(!isFollowed) }
        #expect(try other.requests().count == (isFollowed ? 1 : 0))
    }
}
