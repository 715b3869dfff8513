import Synchronization
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// Traccar's OsmAnd protocol: its two shapes, its units, and its server.
@Suite struct TraccarFormatTests {
    private let start = DispatchFixture.start

    private var position: Position {
        var position = DispatchFixture.position(0)
        position.speedMetresPerSecond = 13.5
        position.courseDegrees = 96.25
        position.altitudeMSLMetres = 46
        position.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .gst)
        position.quality.hdop = 0.9
        return position
    }

    private func body(
        _ content: DispatchRecord.Content, _ shape: TraccarFormat.Shape, placesEvents: Bool = false, at now: UTCTime? = nil
    ) throws -> String? {
        let record = DispatchRecord(id: "p-1-0", lane: .live, sequence: 1, age: .milliseconds(1_500), content: content)
        let format = TraccarFormat(device: "van 7&", shape: shape, placesEvents: placesEvents)
        let messages = try format.messages(for: DispatchBatch(device: "box", time: now, records: [record]))
        #expect(messages.count <= 1)
        return messages.first.map { String(decoding: $0.body, as: UTF8.self) }
    }

    private func event(_ kind: String) -> TrackerEvent {
        TrackerEvent(id: "x-enter", kind: kind, name: "Tür 7", time: start, position: position)
    }

    @Test func hasKnotsInTheFormAndMetresPerSecondInJSON() throws {
        #expect(
            try body(.position(position), .form)
                == "id=van%207%26&lat=47.1&lon=9.5&timestamp=1777692302000&speed=26.242&bearing=96.25&altitude=46&accuracy=4.2&hdop=0.9"
                + "&recordId=p-1-0")
        #expect(
            try body(.position(position), .json)
                == #"{"device_id":"van 7&","location":{"timestamp":"2026-05-02T03:25:02.000Z","coords":{"latitude":47.1,"longitude":9.5,"#
                + #""accuracy":4.2,"speed":13.5,"heading":96.25,"altitude":46},"extras":{"hdop":0.9,"recordId":"p-1-0"}}}"#)
    }

    @Test func leavesOutWhatIsNotKnownOrSaysItAsJSONWantsIt() throws {
        let bare = DispatchFixture.position(0)
        #expect(try body(.position(bare), .form) == "id=van%207%26&lat=47.1&lon=9.5&timestamp=1777692302000&recordId=p-1-0")
        let coords = try #require(try body(.position(bare), .json).map { try JSONParser().parse($0) }?["location"]?["coords"]?.object)
        // One that is missing is an exception there.
        #expect(
            coords == [
                "latitude": .number(47.1), "longitude": .number(9.5), "accuracy": .integer(0), "speed": .integer(-1),
                "heading": .integer(-1),
                "altitude": .integer(0),
            ])
    }

    @Test func neverLeavesTheTimeToTheServersZone() throws {
        var timeless = position
        timeless.time = nil
        let now = start.advanced(byMilliseconds: 10_000)
        #expect(try body(.position(timeless), .form, at: now)?.contains("&timestamp=1777692310500&") == true)
        #expect(try body(.position(timeless), .json, at: now)?.contains(#""timestamp":"2026-05-02T03:25:10.500Z""#) == true)
        #expect(try body(.position(timeless), .form)?.contains("timestamp") == false)
        // JSON wants one; the form does without.
        #expect(try body(.position(timeless), .json) == body(.position(timeless), .form))
    }

    @Test func writesEveryDigitOfAPlaceAndNoExponent() throws {
        let place = try #require(Coordinate(latitudeDegrees: 0.1 + 0.2, longitudeDegrees: 0))
        #expect(try body(.position(Position(time: start, coordinate: place)), .form)?.contains("&lat=0.30000000000000004&lon=0&") == true)
    }

    @Test func leavesTheOrderOfPlacesToThePositions() throws {
        #expect(
            try body(.event(event("enter")), .form)
                == "id=van%207%26&timestamp=1777692302000&recordId=p-1-0&event=enter&geofence=T%C3%BCr%207&alarm=geofenceEnter")
        #expect(
            try body(.event(event("dwell")), .json)
                == #"{"device_id":"van 7&","location":{"timestamp":"2026-05-02T03:25:02.000Z","extras":{"recordId":"p-1-0","event":"dwell","#
                + #""geofence":"Tür 7"}}}"#)
        #expect(try body(.event(event("exit")), .form, placesEvents: true)?.contains("&lat=47.1&lon=9.5&") == true)
    }

    @Test func letsNoApplicationSayWhoWhereAndWhen() throws {
        let call = TrackCall(
            name: "delivered",
            values: [
                "id": .string("other"), "lat": .number(1.5), "timestamp": .integer(1), "alarm": .string("sos"), "ok": .bool(true),
                "no": .null,
                "list": .array([.integer(1)]), "a b": .string("c=d&e"),
            ], time: start, position: position)
        #expect(
            try body(.track(call), .form)
                == "id=van%207%26&timestamp=1777692302000&recordId=p-1-0&event=delivered&a%20b=c%3Dd%26e&alarm=sos&value_id=other&value_lat=1.5"
                + "&list=%5B1%5D&ok=true&value_timestamp=1")
    }

    /// A box whose time nobody knew yet: its calls are posted, and counted when they were.
    @Test(arguments: TraccarFormat.Shape.allCases) func postsCallsThatWereMadeBeforeTheTimeWasKnown(shape: TraccarFormat.Shape) async throws
    {
        let server = try await FlakyServer("device van-7")
        let fixture = try DispatchFixture()
        fixture.time.withLock { $0 = nil }
        let dispatcher = try await fixture.dispatcher([("traccar", try destination(server.url, shape))])
        try await dispatcher.accept((1...3).map { .track(TrackCall(name: "call \($0)", values: [:], time: nil, position: nil)) })
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(try server.received().compactMap { $0["event"]?.string } == ["call 1", "call 2", "call 3"])
        #expect(try await dispatcher.statuses()[0].state.sentCount == 3)
    }

    // MARK: - Against a server

    private func destination(_ url: String, _ shape: TraccarFormat.Shape, device: String = "van-7") throws -> HTTPDestination {
        var settings = HTTPDestination.Settings(url: url)
        settings.client.timeout = .seconds(5)
        return try HTTPDestination(settings, format: TraccarFormat(device: device, shape: shape))
    }

    @Test(arguments: TraccarFormat.Shape.allCases)
    func keepsTheContractOfDestinations(shape: TraccarFormat.Shape) async throws {
        let server = try await FlakyServer("device van-7")
        let violations = await DestinationContract().violations(of: try destination(server.url, shape))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func knowsADeviceThatTheServerDoesNotKnow() async throws {
        let server = try await FlakyServer("device van-7")
        let record = DispatchRecord(id: "p-1-0", lane: .live, sequence: 1, age: nil, content: .position(position))
        let batch = DispatchBatch(device: "box", time: start, records: [record])
        #expect(await (try destination(server.url, .form, device: "stranger")).send(batch) == .refused(reason: "400"))
        #expect(
            await (try destination(server.url, .json, device: "stranger")).send(batch)
                == .denied(reason: "404 Not Found; the server does not know this url, or this device"))
    }

    /// An hour of a server that does not know the device buries nothing; afterwards all of it is there, in order.
    @Test func buriesNothingOfADeviceThatIsRegisteredLater() async throws {
        let server = try await FlakyServer("device stranger")
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("traccar", try destination(server.url, .form))])
        fixture.log.log(1...40)
        for _ in 0..<6 { _ = try await dispatcher.dispatch() }
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
        try server.setMode("device van-7")
        var attempts = 0
        while try await dispatcher.statuses()[0].waitingPositionCount ?? 1 > 0, attempts < 20 {
            attempts += 1
            _ = try await dispatcher.dispatch()
        }
        #expect(try await dispatcher.outbox.deadLetters().isEmpty)
        var seen: Set<String> = []
        let times = try server.received().filter { seen.insert($0["recordId"]?.string ?? "").inserted }.compactMap {
            $0["timestamp"]?.string
        }
        #expect(Set(times).count == 40)
    }
}
