import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// Overland's batches, byte for byte and against a real server.
@Suite struct OverlandTests {
    private func destination(_ url: String) throws -> any Destination {
        var configuration = DestinationConfiguration()
        (configuration.kindName, configuration.url, configuration.timeout) = ("overland", url, .seconds(5))
        return try configuration.open(
            on: .init(device: "van-7", secrets: SecretFiles(), isHighAccuracy: true, desiredAccuracy: .best))
    }

    private func batch(_ contents: [DispatchRecord.Content], time: UTCTime? = DispatchFixture.start) -> DispatchBatch {
        let records = contents.enumerated().map { index, content in
            DispatchRecord(id: "p-\(index)-0", lane: .live, sequence: UInt64(index), age: nil, content: content)
        }
        return DispatchBatch(device: "box", time: time, records: records)
    }

    @Test func saysPositionsAsTheAppDoes() throws {
        var full = DispatchFixture.position(2)
        full.time = full.time?.advanced(byMilliseconds: 999)
        full.altitudeMSLMetres = 46.5
        full.speedMetresPerSecond = 13.5
        full.courseDegrees = 96.25
        full.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .gst)
        let track = DispatchRecord.Content.track(TrackCall(name: "x", values: [:], time: full.time, position: full))
        let messages = try OverlandFormat(device: "van \"7\"").messages(
            for: batch([.position(full), track, .position(DispatchFixture.position(2))]))
        #expect(messages.count == 1 && messages[0].settledCount == 3)
        let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":"#
        #expect(
            String(decoding: messages[0].body, as: UTF8.self) == #"{"locations":["# + feature
                + #"[9.5,47.10002]},"properties":{"timestamp":"2026-05-02T03:25:04Z","altitude":47,"speed":13.5,"course":96.25,"#
                + #""horizontal_accuracy":5,"device_id":"van \"7\"","waypost_id":"p-0-0"}},"# + feature
                + #"[9.5,47.10002]},"properties":{"timestamp":"2026-05-02T03:25:04Z","device_id":"van \"7\"","waypost_id":"p-2-0"}}]}"#)
    }

    @Test func hasAWordForPositionsAlone() throws {
        let format = OverlandFormat(device: "van-7")
        var undated = DispatchFixture.position(1)
        undated.time = nil
        let records = batch([.position(undated), .health(.object([:]))]).records
        #expect(format.verdict(on: records[0], at: nil) == .waits(reason: "what happened before the time was known waits for it"))
        #expect(format.verdict(on: records[0], at: DispatchFixture.start) == .said)
        #expect(format.verdict(on: records[1], at: DispatchFixture.start) == .unsaid(reason: "Overland takes positions only"))
        #expect(try format.messages(for: batch([.health(.object([:]))])).isEmpty)
    }

    @Test func keepsTheContractOfDestinations() async throws {
        let server = try await FlakyServer("answer {\"result\":\"ok\"}")
        let violations = await DestinationContract().violations(of: try destination(server.url))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test(arguments: ["answer {\"result\":\"error\"}", "answer ok", "silent", "answer [\"result\"]", "html"])
    func takesNothingElseForAReceipt(mode: String) async throws {
        let server = try await FlakyServer(mode)
        let outcome = await (try destination(server.url)).send(batch([.position(DispatchFixture.position(1))]))
        guard case .temporary = outcome else { throw Unexpected("\(outcome)") }
    }

    @Test func isReceivedByAServer() async throws {
        let server = try await FlakyServer("answer {\"result\":\"ok\"}")
        let outcome = await (try destination(server.url)).send(batch((1...3).map { .position(DispatchFixture.position($0)) }))
        #expect(outcome == .delivered(refused: [:], answer: "200: {\"result\":\"ok\"}"))
        let received = try server.received()
        #expect(received.map { $0["properties"]?["waypost_id"]?.string } == ["p-0-0", "p-1-0", "p-2-0"])
        #expect(try server.requests().count == 1)
    }

    @Test func mustBeSentPositions() {
        var configuration = DestinationConfiguration()
        (configuration.kindName, configuration.sendsPositions) = ("overland", false)
        #expect(configuration.fault?.key == "positions")
        (configuration.sendsPositions, configuration.health) = (true, .seconds(60))
        #expect(configuration.fault?.key == "health")
    }
}
