import Synchronization
import Testing
import Waypost
import WaypostTestKit

@testable import WaypostDispatch
@testable import WaypostSystem

/// OwnTracks' messages, member by member.
@Suite struct OwnTracksFormatTests {
    private let format = OwnTracksFormat(.init(user: "jane", device: "van7"))
    private let start = DispatchFixture.start

    private func record(
        _ content: DispatchRecord.Content, id: String = "p-9-0", lane: DispatchLane = .live, age: Duration? = nil
    ) -> DispatchRecord {
        DispatchRecord(id: id, lane: lane, sequence: 9, age: age, content: content)
    }

    private func position(_ change: (inout Position) -> Void = { _ in }) -> Position {
        guard let place = Coordinate(latitudeDegrees: 47.10001, longitudeDegrees: 9.5) else { preconditionFailure("a place") }
        var position = Position(time: start.advanced(byMilliseconds: 1_000), coordinate: place)
        change(&position)
        return position
    }

    private func text(_ message: OwnTracksMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

    private func event(_ kind: String, _ payload: TrackerEvent.Payload? = nil, position: Position? = nil) -> TrackerEvent {
        TrackerEvent(id: "x-\(kind)", kind: kind, name: "Yard", time: start, position: position, payload: payload)
    }

    @Test func saysALocationInItsUnits() throws {
        let position = position {
            $0.speedMetresPerSecond = 13.5
            $0.courseDegrees = 359.7
            $0.altitudeMSLMetres = 46.4
            $0.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .gst)
        }
        let messages = try format.messages(for: record(.position(position)), at: start.advanced(byMilliseconds: 90_999))
        #expect(
            messages.map(text) == [
                #"{"_type":"location","lat":47.10001,"lon":9.5,"tst":1777692303,"created_at":1777692392,"acc":5,"alt":46,"vel":49,"cog":0,"#
                    + #""tid":"n7","_id":"p-9-0"}"#
            ])
        #expect(messages[0].topic == "owntracks/jane/van7")
    }

    @Test func saysNothingOfWhatIsNotKnown() throws {
        let text = try format.messages(for: record(.position(position())), at: nil).map(text)
        #expect(text == [#"{"_type":"location","lat":47.10001,"lon":9.5,"tst":1777692303,"tid":"n7","_id":"p-9-0"}"#])
    }

    @Test func takesZeroForAPlaceAndForASpeed() throws {
        let origin = try #require(Coordinate(latitudeDegrees: 0, longitudeDegrees: 0))
        var position = Position(time: UTCTime(millisecondsSince1970: -1), coordinate: origin)
        position.speedMetresPerSecond = 0
        let text = try format.messages(for: record(.position(position)), at: nil).map(text)
        #expect(text == [#"{"_type":"location","lat":0,"lon":0,"tst":-1,"vel":0,"tid":"n7","_id":"p-9-0"}"#])
    }

    @Test func writesEveryDigitOfADouble() throws {
        let place = try #require(Coordinate(latitudeDegrees: 0.1 + 0.2, longitudeDegrees: -179.99999999999997))
        let text = try #require(
            try format.messages(for: record(.position(Position(time: start, coordinate: place))), at: nil).first.map(text))
        #expect(text.contains(#""lat":0.30000000000000004,"lon":-179.99999999999997,"#))
    }

    @Test func retainsOnlyWhatMayStandAsTheLastLocation() throws {
        func isRetained(_ content: DispatchRecord.Content, _ lane: DispatchLane) throws -> Bool? {
            try format.messages(for: record(content, lane: lane), at: start).first?.isRetained
        }
        #expect(try isRetained(.position(position()), .live) == true)
        #expect(try isRetained(.position(position()), .history) == false)
        #expect(try isRetained(.track(TrackCall(name: "n", values: [:], time: start, position: position())), .events) == false)
        #expect(try isRetained(.event(event("enter")), .events) == false)
        #expect(!format.will(connectedAt: start).isRetained)
    }

    @Test func countsTheTimeFromTheAgeWhereNobodyKnewIt() throws {
        let position = position { $0.time = nil }
        let later = start.advanced(byMilliseconds: 60_000)
        let message = try #require(try format.messages(for: record(.position(position), age: .seconds(20)), at: later).first)
        #expect(try JSONParser().parse(message.payload)["tst"]?.int == 1_777_692_342)
        #expect(try format.messages(for: record(.position(position), age: .seconds(20)), at: nil).isEmpty)
    }

    @Test func saysCrossingsAsTransitions() throws {
        let fix = position { $0.accuracy = HorizontalAccuracy(radiusMetres: 3.1, origin: .gst) }
        var payload = TrackerEvent.Payload(fenceID: "f-1", visit: 7)
        (payload.crossedAt, payload.leftAt) = (start.advanced(byMilliseconds: -1_750), start.advanced(byMilliseconds: -1_000))
        payload.evidence.accuracyMetres = 9
        let stamp = OwnTracksStamps.stamp(of: "f-1")
        let enter = try format.messages(for: record(.event(event("enter", payload, position: fix)), id: "x-enter"), at: start)
        #expect(
            enter.map(text) == [
                #"{"_type":"transition","event":"enter","desc":"Yard","tst":1777692300,"wtst":\#(stamp),"acc":4,"lat":47.10001,"lon":9.5,"#
                    + #""t":"c","rid":"f-1","tid":"n7","_id":"x-enter"}"#
            ])
        #expect(enter[0].topic == "owntracks/jane/van7/event")
        let bare = try format.messages(for: record(.event(event("exit")), id: "x-exit"), at: start)
        #expect(
            bare.map(text) == [
                #"{"_type":"transition","event":"leave","desc":"Yard","tst":1777692302,"wtst":\#(OwnTracksStamps.stamp(of: "Yard")),"acc":0,"#
                    + #""t":"c","rid":"Yard","tid":"n7","_id":"x-exit"}"#
            ])
        let pass = try format.messages(for: record(.event(event("pass", payload, position: fix)), id: "x-pass"), at: start).map {
            try JSONParser().parse($0.payload)
        }
        #expect(pass.map { $0["event"]?.string } == ["enter", "leave"] && pass.map { $0["tst"]?.int } == [1_777_692_300, 1_777_692_301])
        #expect(pass.map { $0["_id"]?.string } == ["x-pass-enter", "x-pass-leave"])
        // It would break the alternation of enter and leave.
        #expect(try format.messages(for: record(.event(event("dwell", position: fix))), at: start).isEmpty)
    }

    private func yards(_ count: Int) throws -> [Geofence] {
        let centre = try #require(Coordinate(latitudeDegrees: 35.1, longitudeDegrees: 136.8))
        let shape = try FenceShape.circle(centre: centre, radiusMetres: 100)
        return (1...count).map { Geofence(id: "f-\($0)", name: "Yard \($0)", shape: shape) }
    }

    @Test func publishesFencesByTheNumbersThatTheirExportsHave() throws {
        let entry = OutboxEntry.waypoints(try yards(2))
        #expect(try format.messages(for: record(entry.content), at: start).isEmpty)
        var settings = format.settings
        settings.sendsWaypoints = true
        let messages = try OwnTracksFormat(settings).messages(for: record(entry.content, id: entry.id), at: start)
        #expect(messages.map(\.topic) == ["owntracks/jane/van7/waypoints"] && messages.allSatisfy { !$0.isRetained })
        let list = try JSONParser().parse(messages[0].payload)
        #expect(list["_type"]?.string == "waypoints" && list["_id"]?.string == entry.id && list["waypoints"]?.array?.count == 2)
        let waypoint = try #require(list["waypoints"]?.array?.first)
        #expect(waypoint["tst"]?.int == OwnTracksStamps.stamp(of: "f-1") && waypoint["rad"]?.int == 100)
    }

    @Test func tellsOfManyFencesAsManyAsAnEntryHolds() throws {
        for count in [1, 150, 5_000] {
            let entry = OutboxEntry.waypoints(try yards(count))
            let bytes = RecordCodec.bytes(entry.content, id: entry.id)
            #expect(bytes.count <= OutboxEntry.maximumByteCount)
            #expect(RecordCodec.content(bytes) == entry.content)
            guard case .waypoints(let list) = entry.content else { preconditionFailure("a list") }
            let told = list["waypoints"]?.array?.count ?? 0
            #expect(count <= 150 ? told == count : told > 100, "\(told)")
        }
    }

    @Test func publishesFencesOnlyWhenTheyChange() async throws {
        let fixture = try DispatchFixture()
        for expected in [1, 1, 2, 3] {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("a", newestPosition: 0)
            try await outbox.acceptWaypoints(try yards(expected == 2 ? 5 : 1), for: ["a"])
            try await outbox.acceptWaypoints(try yards(expected == 2 ? 5 : 1), for: ["a"])
            #expect(try await outbox.state(of: "a").waitingEventCount == expected)
        }
    }

    @Test func publishesFencesToWhoeverHasNotHeardOfThem() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        func tell(_ names: String...) async throws -> Int {
            try await outbox.acceptWaypoints(try yards(1), for: names)
            return try await outbox.state(of: "a").waitingEventCount
        }
        #expect(try await tell("a") == 1)
        #expect(try await tell("a", "b") == 2)
        #expect(try await tell("b", "a") == 2)
        try await outbox.discard("a", newestPosition: 0)
        #expect(try await tell("a", "b") == 1)
        try await outbox.setOptedOut(true, newestPosition: 0)
        #expect(try await tell("a", "b") == 0)
        try await outbox.setOptedOut(false, newestPosition: 0)
        #expect(try await tell("a", "b") == 1)
    }

    /// What no other format has a word for is no request there, and holds up nothing.
    @Test func fencesAreNothingToOtherFormats() throws {
        let fences = record(OutboxEntry.waypoints(try yards(1)).content, id: "t-w", lane: .events)
        let alone = DispatchBatch(device: "box", time: start, records: [fences])
        let both = DispatchBatch(device: "box", time: start, records: [fences, record(.position(position()))])
        #expect(try NativeFormat().messages(for: alone).isEmpty)
        #expect(try NativeFormat().messages(for: both).map(\.settledCount) == [2])
        #expect(try !String(decoding: NativeFormat().messages(for: both)[0].body, as: UTF8.self).contains("t-w"))
        #expect(try TraccarFormat(device: "box").messages(for: alone).isEmpty)
        #expect(try TraccarFormat(device: "box").messages(for: both).map(\.settledCount) == [2])
        let native = NativeMQTTFormat(topic: try MQTTTopic("waypost/{kind}"), statusTopic: try MQTTTopic("waypost/status"))
        #expect(try native.messages(for: fences, of: alone, receiptTopic: nil).isEmpty)
    }

    /// A call without a place has no word; its destination is named, and nothing is counted as sent.
    @Test func saysWhichDestinationsACallIsNotFor() async throws {
        let server = try await FlakyServer()
        let recorder = try HTTPDestination(.init(url: server.url), format: OwnTracksHTTPFormat(.init(user: "jane", device: "van7")))
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("recorder", recorder), ("home", ScriptedDestination())])
        let placeless = OutboxEntry.track(TrackCall(name: "n", values: [:], time: start, position: nil))
        #expect(try await dispatcher.withoutWord(for: placeless).map(\.name) == ["recorder"])
        #expect(try await dispatcher.withoutWord(for: DispatchFixture.call(1)).isEmpty)
        try await dispatcher.accept([placeless, DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(try server.received().compactMap { $0["poi"]?.string } == ["call 1"])
        #expect(try await dispatcher.statuses().map(\.state.sentCount) == [1, 2])
        #expect(try await dispatcher.statuses().map(\.state.waitingEventCount) == [0, 0])
        #expect(try await dispatcher.ledgerEntry(id: placeless.id)?.accounts[0].fate == .unwanted)
    }

    /// What happened before the time was known is sent when it is, and stops nothing else.
    @Test func waitsForTheTime() async throws {
        let server = try await FlakyServer()
        let recorder = try HTTPDestination(.init(url: server.url), format: OwnTracksHTTPFormat(.init(user: "jane", device: "van7")))
        let fixture = try DispatchFixture()
        fixture.time.withLock { $0 = nil }
        let dispatcher = try await fixture.dispatcher([("recorder", recorder)])
        var early = DispatchFixture.position(1)
        early.time = nil
        try await dispatcher.accept([
            .track(TrackCall(name: "early", values: [:], time: nil, position: early)), DispatchFixture.call(2), .health(.object([:])),
        ])
        fixture.milliseconds.withLock { $0 += 60_000 }
        #expect(try await dispatcher.dispatch().failures.map(\.reason) == ["what happened before the time was known waits for it"])
        #expect(try server.received().map { $0["poi"]?.string } == ["call 2", nil])
        #expect(try await dispatcher.statuses()[0].state.waitingEventCount == 1)
        fixture.time.withLock { $0 = start.advanced(byMilliseconds: 100_000) }
        #expect(try await dispatcher.dispatch().word == .good)
        let last = try #require(try server.received().last)
        #expect(last["poi"]?.string == "early" && last["tst"]?.int == 1_777_692_302 + 40)
        #expect(try server.received().count == 3)
    }

    @Test func saysTrackCallsAsPlacesAndHealthAsStatus() throws {
        let call = TrackCall(name: "delivered", values: ["parcel": .integer(7)], time: start, position: position())
        let text = try #require(try format.messages(for: record(.track(call), id: "t-1"), at: nil).first.map(text))
        #expect(text.hasSuffix(#""tid":"n7","t":"u","poi":"delivered","values":{"parcel":7},"_id":"t-1"}"#))
        #expect(try format.messages(for: record(.track(TrackCall(name: "n", values: [:], time: start, position: nil))), at: start).isEmpty)
        let status = try format.messages(for: record(.health(.object(["version": .string("1")])), id: "h-1"), at: nil)
        #expect(status.map(self.text) == [#"{"_type":"status","linux":{"version":"1"},"_id":"h-1"}"#])
        #expect(status[0].topic == "owntracks/jane/van7/status")
        #expect(self.text(format.will(connectedAt: start)) == #"{"_type":"lwt","tst":1777692302}"#)
    }

    @Test func expandsUserAndDeviceInTopicsOnly() {
        var settings = OwnTracksFormat.Settings(user: "%d", device: "a")
        settings.topicBase = "x/%u/%d/%%"
        #expect(OwnTracksFormat(settings).topic == "x/%d/a/%%")
        #expect(OwnTracksFormat(.init(user: "a/b", device: "#+")).topic == "owntracks/a-b/--")
    }

    @Test func encryptsAsThePublishedVectorSays() throws {
        let plain = Array(#"{"_type":"location","lat":48.85833,"lon":2.29513,"tst":1700000000,"tid":"JJ"}"#.utf8)
        let box = SecretBox(key: OwnTracksFormat.key(of: "s3cr1t"))
        guard let sealed = try? box.seal(plain, nonce: Array(0..<24)) else {
            return print("encryptsAsThePublishedVectorSays skipped: no libsodium here")
        }
        #expect(sealed.count == 117)
        #expect(
            Base64.encode(sealed)
                == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXugvrTfRnFP9hB8D/FIzO9wh9SpLYIJtEk6tbuYJTmKuSqkGgHdahe9EW1sbteKGlODul5pz0VLfQ/MVsxlEHKiFta0"
                + "Vt1UQX+9mqLabSuGTJXuuEvR1JS2iuU2B7")
        let long = String(repeating: "k", count: 40)
        #expect(OwnTracksFormat.key(of: long) == OwnTracksFormat.key(of: String(long.prefix(32))))
    }

    @Test func showsNothingOfWhatItEncrypts() throws {
        var settings = OwnTracksFormat.Settings(user: "jane", device: "van7")
        settings.secret = "s3cr1t"
        settings.namesTopic = true
        let format = OwnTracksFormat(settings)
        let record = record(.position(position()))
        guard let first = try? format.messages(for: record, at: start).first else {
            return print("showsNothingOfWhatItEncrypts skipped: no libsodium here")
        }
        let outer = try #require(try JSONParser().parse(first.payload).object)
        #expect(Set(outer.keys) == ["_type", "data"] && outer["_type"]?.string == "encrypted")
        #expect(try format.messages(for: record, at: start) != [first], "each time with another nonce")
        #expect(text(format.will(connectedAt: nil)) == #"{"_type":"lwt"}"#)
    }
}
