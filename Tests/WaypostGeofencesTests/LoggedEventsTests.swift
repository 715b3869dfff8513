import Foundation
import Testing
import Waypost
import WaypostGeofences

/// A full disk keeps the state from having events that were told and logged; the next run goes on by the log.
@Suite struct LoggedEventsTests {
    /// The state is that of before the `from`th fix when the tracker is killed before the `to`th; what was told between is in the log.
    private func told(statelessFrom from: Int, killedAt to: Int, rule: BorderRule) async throws -> [TrackerEvent] {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0), ("North", 70), ("South", -90)])
        var walk = try FenceFixture.walk(seconds: 240)
        for index in walk.indices { walk[index].speedMetresPerSecond = 5 }
        let (state, old) = (fixture.folder + "/state", fixture.folder + "/old")
        let first = try fixture.keeper(rule: rule)
        _ = await first.start()
        var told: [TrackerEvent] = []
        for fix in walk[..<from] { told += await first.process(fix) }
        try FileManager.default.copyItem(atPath: state, toPath: old)
        for fix in walk[from..<to] { told += await first.process(fix) }
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.moveItem(atPath: old, toPath: state)
        let second = try fixture.keeper(rule: rule)
        let need = await second.load()
        guard case .from(let earliest) = need else {
            Issue.record("the state is there")
            return []
        }
        let left = await second.start(logged: told.filter { $0.time.map { $0 >= earliest } ?? false })
        let known = Set(told.map(\.id))
        #expect(told.filter { $0.time.map { time in walk[from].time.map { time >= $0 } ?? false } ?? false }.allSatisfy(left.contains))
        told += left.filter { !known.contains($0.id) }
        for fix in walk[to...] { told += await second.process(fix) }
        return told
    }

    @Test(arguments: [BorderRule.exact, .robust]) func areGoneOnFrom(rule: BorderRule) async throws {
        for from in stride(from: 3, to: 120, by: 13) {
            for to in stride(from: from + 1, to: 235, by: 29) {
                let told = try await told(statelessFrom: from, killedAt: to, rule: rule)
                #expect(Set(told.map(\.id)).count == told.count)
                for name in ["Home", "North", "South"] {
                    let kinds = told.filter { $0.name == name && $0.kind != "pass" }.map(\.kind)
                    let isAlternating = zip(kinds, kinds.dropFirst()).allSatisfy { $0 != $1 }
                    #expect(isAlternating, "\(rule), state of \(from), killed at \(to): \(name) \(kinds)")
                }
                let visits = told.map(\.payload?.visit)
                #expect(Dictionary(grouping: visits) { $0 }.values.allSatisfy { $0.count <= 2 })
            }
        }
    }

    /// Without the stays every fence would seem to be left.
    @Test(arguments: ["missing", "damaged"], [BorderRule.exact, .robust])
    func tellTheSidesOfALostState(how: String, rule: BorderRule) async throws {
        for end in stride(from: 20, to: 235, by: 17) {
            let fixture = try FenceFixture()
            try fixture.writeCircles([("Home", 0), ("North", 70), ("South", -90)])
            var walk = try FenceFixture.walk(seconds: 240)
            for index in walk.indices { walk[index].speedMetresPerSecond = 5 }
            let first = try fixture.keeper(rule: rule)
            _ = await first.start()
            var told: [TrackerEvent] = []
            for fix in walk[..<end] { told += await first.process(fix) }
            let path = fixture.folder + "/state/fence-state"
            if how == "missing" {
                try FileManager.default.removeItem(atPath: path)
            } else {
                try Data("oops".utf8).write(to: URL(filePath: path))
            }
            let second = try fixture.keeper(rule: rule)
            #expect(await second.load() == .newest())
            #expect(await second.start(logged: told) == [])
            #expect(await second.problems.count == 1)
            for fix in walk[end...] { told += await second.process(fix) }
            #expect(Set(told.map(\.id)).count == told.count)
            for name in ["Home", "North", "South"] {
                let kinds = told.filter { $0.name == name && $0.kind != "pass" }.map(\.kind)
                #expect(zip(kinds, kinds.dropFirst()).allSatisfy { $0 != $1 }, "\(how), lost at \(end): \(name) \(kinds)")
            }
        }
    }

    @Test func haveTheirDwellOnce() async throws {
        let fixture = try FenceFixture()
        let place = try FenceFixture.place(0)
        try fixture.write(
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Home","radius":50,"dwell_seconds":5},
             "geometry":{"type":"Point","coordinates":[\(place.longitudeDegrees),\(place.latitudeDegrees)]}}]}
            """)
        let (state, old) = (fixture.folder + "/state", fixture.folder + "/old")
        let first = try fixture.keeper()
        _ = await first.start()
        _ = await first.process(try FenceFixture.fix(0, metres: 0))
        try FileManager.default.copyItem(atPath: state, toPath: old)
        var told: [TrackerEvent] = []
        // Killed again and again while the disk stays full.
        for run in 0..<4 {
            let keeper = try fixture.keeper()
            _ = await keeper.load()
            _ = await keeper.start(logged: told)
            for second in 1...10 { told += await keeper.process(try FenceFixture.fix(run * 20 + second, metres: 0)) }
            try FileManager.default.removeItem(atPath: state)
            try FileManager.default.copyItem(atPath: old, toPath: state)
        }
        #expect(told.map(\.kind) == ["dwell"])
    }

    /// One that waits in memory, and is not in the log, is kept with the state however long that takes.
    @Test func areKeptUntilTheyAreHeard() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        var told: [TrackerEvent] = []
        for fix in try FenceFixture.walk() { told += await keeper.process(fix) }
        await keeper.holdUnheard([told[1].id])
        for _ in 0..<20 { for fix in try FenceFixture.walk().map(FenceFixture.laterByAnHour) { told += await keeper.process(fix) } }
        let next = try fixture.keeper()
        #expect(await next.start().contains(told[1]))
    }
}
