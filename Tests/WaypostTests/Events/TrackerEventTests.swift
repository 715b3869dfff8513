import Testing

@testable import Waypost

@Suite struct TrackerEventTests {
    private static let time = UTCTime(millisecondsSince1970: 1_777_692_325_925)

    private func decided(_ change: (inout GeofenceEvent) -> Void = { _ in }) -> GeofenceEvent {
        var event = GeofenceEvent(
            idPrefix: "f-4d9c-", kind: .enter, fenceID: "yard-7", fenceName: "Yard \"7\"", visit: 17, reason: .crossed, time: Self.time,
            crossedAt: Self.time.advanced(byMilliseconds: -304), leftAt: nil,
            coordinate: Coordinate(latitudeDegrees: 46.99999761811629, longitudeDegrees: 7.999219451864731), isLate: false,
            isPredicted: true, evidence: .init())
        event.evidence.distanceMetres = -1.5449
        event.evidence.marginMetres = 0.5
        event.evidence.accuracyMetres = 4.216_000_4
        event.evidence.speedMetresPerSecond = 20.960698222
        event.evidence.fixes = 26
        change(&event)
        return event
    }

    private func line(_ event: TrackerEvent, track: String? = nil) -> String {
        var text = TextBuffer()
        text.appendJSON { json in json.object { event.write(to: &$0, track: track) } }
        return text.string
    }

    @Test func isOneObjectWithItsMembersInOrder() throws {
        #expect(
            line(TrackerEvent(decided()), track: "drive.gpx")
                == #"{"id":"f-4d9c-17-enter","time":"2026-05-02T03:25:25.925Z","track":"drive.gpx","event":"enter","fence":"Yard \"7\"","#
                + #""fence_id":"yard-7","visit":17,"lat":46.99999761811629,"lon":7.999219451864731,"reason":"crossed","#
                + #""crossed_at":"2026-05-02T03:25:25.621Z","predicted":true,"distance":-1.54,"margin":0.5,"accuracy":4.216,"#
                + #""speed":20.960698,"fixes":26}"#)
    }

    /// What a log, an outbox or a state file gives back is the same event, to the last digit.
    @Test func isTheSameWhenItIsReadBack() throws {
        let events = [
            decided(),
            decided { event in
                (event.kind, event.reason, event.fenceID) = (.pass, .expired, event.fenceName)
                (event.leftAt, event.crossedAt, event.isLate, event.isPredicted) = (Self.time, nil, true, false)
            },
            decided { $0.evidence = .init() },
            decided { ($0.time, $0.coordinate, $0.crossedAt) = (nil, nil, nil) },
            decided { event in
                event.evidence.distanceMetres = .nan
                event.evidence.speedMetresPerSecond = .infinity
                event.evidence.accuracyMetres = -0.000_000_1
            },
        ].map { TrackerEvent($0) }
        for event in events { #expect(TrackerEvent(try JSONParser().parse(line(event))) == event) }
    }

    @Test func isReadWithoutAPayload() throws {
        let event = TrackerEvent(id: "x-enter", kind: "enter", name: "Yard", time: Self.time)
        #expect(line(event) == #"{"id":"x-enter","time":"2026-05-02T03:25:25.925Z","event":"enter","fence":"Yard"}"#)
        #expect(TrackerEvent(try JSONParser().parse(line(event))) == event)
        #expect(event.fenceID == "Yard" && event.isOfFence)
        #expect(!TrackerEvent(id: "b", kind: "button", name: "red", time: nil).isOfFence)
    }

    @Test(arguments: [#"{"id":"x","event":"enter"}"#, #"{"id":7,"event":"enter","fence":"Yard"}"#, "[]", "null"])
    func isNotMadeOfAnythingElse(text: String) throws {
        #expect(TrackerEvent(try JSONParser().parse(text)) == nil)
    }

    @Test func givesTheSameMembersAsTextAndAsValues() throws {
        let event = TrackerEvent(decided())
        var object = JSONObject()
        event.write(to: &object)
        #expect(try JSONParser().parse(line(event)) == .object(object.members))
    }

    @Test func roundsMeasuredNumbersAsTheyAreWritten() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let scale: Double = [1e-7, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e12, 1e14].randomElement(using: &generator) ?? 1
            let value = Double.random(in: -1...1, using: &generator) * scale
            var text = TextBuffer()
            text.append(measured: value)
            #expect(Double(text.string) == TextBuffer.measured(value))
        }
        #expect(TextBuffer.measured(.nan) == nil && TextBuffer.measured(-.infinity) == nil)
        #expect(TextBuffer.measured(-0.000_000_1)?.sign == .plus)
    }
}
