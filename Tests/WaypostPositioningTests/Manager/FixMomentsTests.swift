import Testing
import Waypost
import WaypostPositioning

/// Live fixes get moments of one timeline.
@Suite struct FixMomentsTests {
    private func moments(_ source: String) async throws -> [Int64?] {
        var fixes = [fix(0), fix(0.1), fix(0.2), fix(0.3)]
        fixes[2].time = fixes[2].time.map { UTCTime(millisecondsSince1970: $0.millisecondsSince1970 + 86_400_000) }
        for index in fixes.indices { fixes[index].source = source }
        let manager = PositioningManager(source: PacedSource(fixes: fixes, pauseMilliseconds: 100))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        let count = { () async -> Int in await log.updates.count { if case .position = $0 { true } else { false } } }
        #expect(await eventually(within: 5) { await count() == 4 })
        await manager.stop()
        return await log.updates.compactMap { if case .position(let position) = $0 { position.moment.milliseconds } else { Int64??.none } }
    }

    @Test(arguments: ["nmea-tcp://127.0.0.1:1", "serial:/dev/ttyACM0", "gpsd://127.0.0.1:2947"])
    func theDateOfALiveReceiverMovesNothing(source: String) async throws {
        let moments = try await moments(source).map { try #require($0) }
        #expect(moments.count == 4 && moments == moments.sorted() && (200...1_500).contains(moments[3] - moments[0]), "\(moments)")
    }

    @Test(arguments: ["gpx:/drive.gpx", "sim:city", "my own"]) func othersHaveOnlyTheirTimes(source: String) async throws {
        #expect(try await moments(source) == [nil, nil, nil, nil])
    }
}
