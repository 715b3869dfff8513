import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// OwnTracks over HTTP against a real server.
@Suite struct OwnTracksHTTPTests {
    private func destination(_ url: String) throws -> HTTPDestination {
        var settings = HTTPDestination.Settings(url: url)
        settings.credentials = .basic(user: "jane", password: "pa:ss")
        settings.client.timeout = .seconds(5)
        return try HTTPDestination(settings, format: OwnTracksHTTPFormat(.init(user: "jane", device: "van7")))
    }

    private func batch(_ content: DispatchRecord.Content) -> DispatchBatch {
        DispatchBatch(
            device: "box", time: DispatchFixture.start,
            records: [DispatchRecord(id: "p-1-0", lane: .live, sequence: 1, age: nil, content: content)])
    }

    @Test func keepsTheContractOfDestinations() async throws {
        let server = try await FlakyServer("answer []")
        let violations = await DestinationContract().violations(of: try destination(server.url))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func saysWhoItIsInTheHeadAndInTheMessage() async throws {
        let server = try await FlakyServer("answer []")
        let destination = try destination(server.url)
        #expect(await destination.send(batch(.position(DispatchFixture.position(1)))) == .delivered(refused: [:], answer: "200: []"))
        let request = try #require(try server.requests().first)
        #expect(request["x-limit-u"]?.string == "jane" && request["x-limit-d"]?.string == "van7")
        #expect(request["content-type"]?.string == "application/json" && request["authorization"]?.string == "Basic amFuZTpwYTpzcw==")
        let message = try #require(try server.received().first)
        #expect(message["topic"]?.string == "owntracks/jane/van7" && message["tid"]?.string == "n7" && message["_id"]?.string == "p-1-0")
    }

    @Test(arguments: ["silent", "answer []", "answer [{\"_type\":\"cmd\",\"action\":\"dump\"}]", "answer no JSON at all"])
    func takesAnyAnswerOf200ForTheReceipt(mode: String) async throws {
        let server = try await FlakyServer(mode)
        guard case .delivered = await (try destination(server.url)).send(batch(.position(DispatchFixture.position(1)))) else {
            throw Unexpected("a server that has it")
        }
    }

    @Test func takesAPassForTwoMessagesOverOneConnection() async throws {
        let server = try await FlakyServer("answer []")
        let event = TrackerEvent(id: "x-pass", kind: "pass", name: "Yard", time: DispatchFixture.start)
        let destination = try destination(server.url)
        guard case .delivered = await destination.send(batch(.event(event))) else { throw Unexpected("a server that takes all") }
        #expect(try server.received().map { $0["event"]?.string } == ["enter", "leave"])
        #expect(Set(try server.requests().map { $0["port"]?.int }).count == 1)
        try server.setMode("status 503")
        guard case .temporary = await destination.send(batch(.event(event))) else { throw Unexpected("a server that takes nothing") }
        #expect(try server.requests().count == 3, "ends with the first that fails")
    }

    @Test func sendsNothingForWhatHasNoWord() async throws {
        let server = try await FlakyServer("status 500")
        let event = TrackerEvent(id: "x-dwell", kind: "dwell", name: "Yard", time: DispatchFixture.start)
        guard case .delivered = await (try destination(server.url)).send(batch(.event(event))) else {
            throw Unexpected("there is no word for it")
        }
        #expect(try server.requests().isEmpty)
    }
}
