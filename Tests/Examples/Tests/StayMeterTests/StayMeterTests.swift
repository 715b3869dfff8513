import Foundation
import StayMeter
import Testing
import WaypostKit
import WaypostTestKit

@Suite(.timeLimit(.minutes(1))) struct StayMeterTests {
    // Each test has a folder of its own: in that of another one it would go on where the other one ended.
    private let folder = NSTemporaryDirectory() + "stays-\(UInt32.random(in: 0...(.max)))"
    private let drive: ReplaySource
    private let door: Geofence

    init() throws {
        let path = try #require(Bundle.module.path(forResource: "delivery", ofType: "gpx"))
        drive = ReplaySource(path: path, format: .gpx, options: .init(speed: 0, rebasesTimes: false))
        let place = try #require(Coordinate(latitudeDegrees: 53.8700, longitudeDegrees: 8.7000))
        door = Geofence(id: "door", shape: try .circle(centre: place, radiusMetres: 50))
    }

    @Test func measuresAStay() async throws {
        let stays = try await StayMeter(drive, door: door, folder: folder).run()
        let stay = try #require(stays.first)
        #expect(stays.count == 1)
        #expect(stay > .seconds(9.9) && stay < .seconds(10.1), "100 metres at 10 metres per second")
    }

    @Test func measuresNothingInATunnel() async throws {
        drive.control.isPositionLost = true
        #expect(try await StayMeter(drive, door: door, folder: folder).run().isEmpty)
    }

    @Test func measuresAStayWithoutReception() async throws {
        let start = try #require(UTCTime(rfc3339: "2026-03-01T08:00:00Z"))
        let south = try #require(Coordinate(latitudeDegrees: 53.8600, longitudeDegrees: 8.7000))
        let arrival = ScriptedSource.drive([south, door.shape.middle], from: start)
        let departure = ScriptedSource.drive([door.shape.middle, south], from: start.advanced(byMilliseconds: 600_000))
        let script = ScriptedSource(arrival + [.lost(.noFix)] + departure)
        let stays = try await StayMeter(script, door: door, folder: folder).run()
        #expect(stays.count == 1)
        #expect(try #require(stays.first) > .seconds(548))
    }

    @Test func missesNothingWhenItIsSlow() async throws {
        let north = try #require(Coordinate(latitudeDegrees: 53.9700, longitudeDegrees: 8.7000))
        let drive = ScriptedSource.drive([door.shape.middle, north], from: UTCTime(millisecondsSince1970: 1_772_366_400_000))
        var updates = PositioningManager(source: ScriptedSource(drive)).liveUpdates().makeAsyncIterator()
        var count = 0
        while let update = await updates.next() {
            if case .position = update { count += 1 }
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(count == drive.count)
        #expect(updates.droppedCount == 0)
    }

    @Test func aMissingRecordingIsNoEmptyDrive() async throws {
        let manager = PositioningManager(source: ReplaySource(path: folder + "/missing.gpx", format: .gpx))
        let fences = try await FenceMonitor(manager, state: folder)
        try await fences.add(door)
        for await event in fences.events { Issue.record("\(event)") }
        await #expect(throws: PositionSourceError.self) { try await manager.waitUntilFinished() }
    }

    @Test func theScriptKeepsTheContract() async throws {
        let north = try #require(Coordinate(latitudeDegrees: 53.9700, longitudeDegrees: 8.7000))
        let drive = ScriptedSource.drive([door.shape.middle, north], from: UTCTime(millisecondsSince1970: 1_772_366_400_000))
        let violations = await PositionSourceContract().violations { ScriptedSource(drive) }
        #expect(violations.isEmpty, "\(violations)")
    }
}
