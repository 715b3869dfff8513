import Foundation
import Testing
import Waypost
import WaypostTestKit

@testable import WaypostDispatch

/// Tealium's data layer, byte for byte, and what is around it.
@Suite struct TealiumFormatTests {
    private let layer = TealiumDataLayer(isHighAccuracy: true, desiredAccuracy: .best)

    private func position(_ latitude: Double, _ longitude: Double, milliseconds: Int64 = 1_579_069_860_000) throws -> Position {
        let place = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
        return Position(time: UTCTime(millisecondsSince1970: milliseconds), coordinate: place)
    }

    private func event(_ kind: String, _ position: Position?) -> DispatchRecord.Content {
        .event(TrackerEvent(id: "x", kind: kind, name: "Yard", time: nil, position: position))
    }

    private func lines(_ content: DispatchRecord.Content, _ layer: TealiumDataLayer? = nil) -> [[String]] {
        (layer ?? self.layer).entries(for: content).map { $0.map { "\($0.name)=\($0.value)" } }
    }

    @Test func saysACrossingByteForByte() throws {
        var position = try position(37.3317, -122.0325086, milliseconds: 1_579_069_860_999)
        position.speedMetresPerSecond = 40
        #expect(
            lines(event("enter", position)) == [
                [
                    "tealium_event=geofence_entered", "geofence_transition_type=geofence_entered", "geofence_name=Yard", "latitude=37.3317",
                    "longitude=-122.0325086", "location_accuracy=high", "location_accuracy_extended=best", "movement_speed=40.0",
                    "location_timestamp=2020-01-15 06:31:00 +0000",
                ]
            ])
        #expect(lines(event("exit", nil))[0][0] == "tealium_event=geofence_exited")
        #expect(lines(event("dwell", nil))[0][1] == "geofence_transition_type=geofence_dwell")
        #expect(lines(event("pass", nil)).map(\.[0]) == ["tealium_event=geofence_entered", "tealium_event=geofence_exited"])
    }

    @Test(arguments: [(true, true, "high"), (true, false, "low"), (false, true, "low"), (false, false, "low")])
    func saysTheModeOfTheModule(tracksFences: Bool, isHighAccuracy: Bool, word: String) throws {
        let mode = TealiumMode(tracksFences: tracksFences, isHighAccuracy: isHighAccuracy)
        #expect(mode.options.isSignificantOnly == (word == "low"))
        let said = try lines(event("enter", position(0, 0)), mode.dataLayer)[0]
        #expect(said.contains("location_accuracy=\(word)") && said.contains("location_accuracy_extended=reduced"))
    }

    @Test func saysThreeKeysWithoutAFix() {
        #expect(
            lines(event("enter", nil)) == [
                ["tealium_event=geofence_entered", "geofence_transition_type=geofence_entered", "geofence_name=Yard"]
            ])
    }

    @Test func takesZeroForAPositionAndTheShortestDecimalForAll() throws {
        func place(_ latitude: Double, _ longitude: Double) throws -> [String] {
            Array(try lines(event("enter", position(latitude, longitude)))[0][3...4])
        }
        #expect(try place(0, 0) == ["latitude=0.0", "longitude=0.0"])
        #expect(try place(0, 9.5) == ["latitude=0.0", "longitude=9.5"])
        #expect(try place(37, -180) == ["latitude=37.0", "longitude=-180.0"])
        #expect(try place(0.1 + 0.2, 1.0 / 3) == ["latitude=0.30000000000000004", "longitude=0.3333333333333333"])
        #expect(try lines(event("enter", position(0, 0)))[0].contains("movement_speed=-1.0"))
    }

    /// Foundation's description of a date is what the format is made after.
    @Test(arguments: [0, 999, 1_579_069_860_999, 951_782_400_000, 4_102_444_799_999])
    func writesTimesAsFoundationDescribesThem(milliseconds: Int64) throws {
        let date = Date(timeIntervalSince1970: Double(milliseconds / 1_000)).description
        #expect(try lines(event("enter", position(1, 1, milliseconds: milliseconds)))[0].last == "location_timestamp=\(date)")
    }

    /// `test.sh` runs this suite in the zone of Tokyo, too.
    @Test func writesUTCWhateverTheZoneIs() throws {
        #expect(try lines(event("enter", position(1, 1)))[0].last == "location_timestamp=2020-01-15 06:31:00 +0000")
    }

    @Test func namesTheModeAndTheLevel() throws {
        let names = DesiredAccuracy.allCases.map { level in
            TealiumDataLayer(isHighAccuracy: false, desiredAccuracy: level)
        }
        let position = try position(1, 1)
        #expect(
            names.map { lines(.position(position), $0)[0][3...4].joined(separator: " ") }
                == [
                    "best_for_navigation", "best", "nearest_ten_meters", "nearest_hundred_meters", "within_one_kilometer",
                    "within_three_kilometers",
                    "reduced",
                ].map { "location_accuracy=low location_accuracy_extended=\($0)" })
    }

    @Test func saysTheLevelWithATrackCallToo() throws {
        let values: [String: JSONValue] = [
            "count": .integer(7), "ratio": .number(0.5), "ok": .bool(true), "nothing": .null, "list": .array([.integer(1)]),
            "latitude": .string("here"), "tealium_event": .string("other"),
        ]
        let call = TrackCall(name: "delivered", values: values, time: nil, position: try position(1.5, 2.5))
        #expect(
            lines(.track(call)) == [
                [
                    "tealium_event=delivered", "latitude=1.5", "longitude=2.5", "location_accuracy=high", "location_accuracy_extended=best",
                    "count=7", "list=[1]", "ok=true", "ratio=0.5",
                ]
            ])
        let placeless = TrackCall(name: "ping", values: ["location_accuracy": .string("mine")], time: nil, position: nil)
        #expect(lines(.track(placeless)) == [["tealium_event=ping", "location_accuracy=high", "location_accuracy_extended=best"]])
        #expect(lines(.health(.object([:]))).isEmpty)
    }

    // MARK: - Around it

    private func format(_ change: (inout TealiumFormat.Settings) -> Void = { _ in }) -> TealiumFormat {
        var settings = TealiumFormat.Settings(account: "acme", dataLayer: layer)
        change(&settings)
        return TealiumFormat(settings)
    }

    private func batch(_ contents: [DispatchRecord.Content]) -> DispatchBatch {
        DispatchBatch(
            device: "box", time: nil,
            records: contents.enumerated().map { index, content in
                DispatchRecord(id: "x-\(index)", lane: .events, sequence: UInt64(index), age: nil, content: content)
            })
    }

    @Test func saysWhoseItIsOnceOrEachTime() throws {
        let call = TrackCall(
            name: "ping", values: ["tealium_account": .string("other"), "n": .integer(1)], time: DispatchFixture.start, position: nil)
        let single = try format { $0.dataSource = "abc123" }.messages(for: batch([.track(call)]))
        #expect(
            single.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"tealium_account":"acme","tealium_profile":"main","tealium_visitor_id":"box","tealium_datasource":"abc123","#
                    + #""waypost_id":"x-0","waypost_time":"2026-05-02T03:25:02.000Z","tealium_event":"ping","location_accuracy":"high","#
                    + #""location_accuracy_extended":"best","n":"1"}"#
            ])
        let bulk = try format {
            $0.isBulk = true
            $0.visitorID = "v"
        }.messages(for: batch([.track(call), event("pass", nil)]))
        #expect(
            bulk.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"shared":{"tealium_account":"acme","tealium_profile":"main","tealium_visitor_id":"v"},"events":[{"waypost_id":"x-0","#
                    + #""waypost_time":"2026-05-02T03:25:02.000Z","tealium_event":"ping","location_accuracy":"high","location_accuracy_extended":"best","n":"1"},"#
                    + #"{"waypost_id":"x-1","tealium_event":"geofence_entered","geofence_transition_type":"geofence_entered","geofence_name":"Yard"},"#
                    + #"{"waypost_id":"x-1-2","tealium_event":"geofence_exited","geofence_transition_type":"geofence_exited","geofence_name":"Yard"}]}"#
            ])
        #expect(try format().messages(for: batch([.health(.object([:]))])).isEmpty)
    }

    @Test func putsTenEventsIntoARequestAndKnowsWhatEachSettles() throws {
        let contents =
            (0..<8).map { $0 == 7 ? DispatchRecord.Content.health(.null) : event($0 < 2 ? "pass" : "enter", nil) } + [event("pass", nil)]
        func settled(_ format: TealiumFormat) throws -> [Int] { try format.messages(for: batch(contents)).map(\.settledCount) }
        // Nine events, and the two of a pass would be one too many.
        #expect(try settled(format { $0.isBulk = true }) == [8, 9])
        #expect(try settled(format()) == [0, 1, 1, 2, 3, 4, 5, 6, 8, 8, 9])
    }

    @Test(arguments: [false, true])
    func keepsTheContractOfDestinations(isBulk: Bool) async throws {
        let server = try await FlakyServer("silent")
        let destination = try HTTPDestination(.init(url: server.url), format: format { $0.isBulk = isBulk })
        let violations = await DestinationContract().violations(of: destination)
        #expect(violations.isEmpty, "\(violations)")
        let received = try server.received()
        #expect(!received.isEmpty && received.allSatisfy { $0.object?.values.allSatisfy { $0.string != nil } == true })
    }
}
