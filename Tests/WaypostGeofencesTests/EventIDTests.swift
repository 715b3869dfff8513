import Foundation
import Testing
import Waypost
import WaypostGeofences

/// An id that comes again is taken for a repeat, by our outbox and by every server: the event is lost.
@Suite struct EventIDTests {
    enum Loss: CaseIterable { case removed, damaged, none }

    @Test(arguments: Loss.allCases) func areNotGivenAgainWhateverBecomesOfTheState(loss: Loss) async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        var told: [TrackerEvent] = []
        for _ in 0..<3 {
            let keeper = try fixture.keeper()
            _ = await keeper.start()
            for fix in try FenceFixture.walk() { told += await keeper.process(fix) }
            let state = fixture.folder + "/state/fence-state"
            switch loss {
            case .removed: try FileManager.default.removeItem(atPath: state)
            case .damaged: try Data("damaged".utf8).write(to: URL(filePath: state))
            case .none: break
            }
        }
        #expect(told.count == 12)
        #expect(Set(told.map(\.id)).count == 12)
        let visits = told.map(\.payload?.visit)
        #expect(Set(visits).count == 6)
        #expect(visits.allSatisfy { (1..<(1 << 53)).contains($0 ?? 0) })
    }

    /// The disk takes nothing when the events are told; then the power goes, and the state is that of before.
    @Test func areNotGivenAgainAfterAFullDiskAndAKill() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let walk = try FenceFixture.walk()
        let first = try fixture.keeper()
        _ = await first.start()
        var told: [TrackerEvent] = []
        for fix in walk.prefix(5) { told += await first.process(fix) }
        let (state, full) = (fixture.folder + "/state", fixture.folder + "/full")
        try FileManager.default.copyItem(atPath: state, toPath: full)
        try FileManager.default.removeItem(atPath: state)
        for fix in walk.dropFirst(5).prefix(60) { told += await first.process(fix) }
        #expect(told.map(\.kind) == ["enter", "exit", "enter"])
        #expect(await first.problems.contains { $0.contains("cannot be kept") })
        let second = try fixture.keeper()
        try FileManager.default.moveItem(atPath: full, toPath: state)
        told += await second.start()
        for fix in walk.dropFirst(65) { told += await second.process(fix) }
        for fix in try FenceFixture.walk().map(FenceFixture.laterByAnHour) { told += await second.process(fix) }
        #expect(told.count >= 7)
        #expect(Set(told.map(\.id)).count == told.count)
    }

    @Test func differBetweenTwoBoxes() async throws {
        var ids: Set<String> = []
        for _ in 0..<2 {
            let events = try await FenceFixture.run([FenceFixture.walk()], losesLast: false)
            ids.formUnion(events.map(\.id))
        }
        #expect(ids.count == 8)
    }

    /// Nobody must wait for the next event, or the next fix.
    @Test func areOnTheDiskAsSoonAsItTakesThem() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        let (state, away) = (fixture.folder + "/state", fixture.folder + "/away")
        try FileManager.default.moveItem(atPath: state, toPath: away)
        var told: [TrackerEvent] = []
        for fix in try FenceFixture.walk().prefix(20) { told += await keeper.process(fix) }
        #expect(told.map(\.kind) == ["enter"])
        try FileManager.default.moveItem(atPath: away, toPath: state)
        for _ in 0..<100 where !FileManager.default.fileExists(atPath: state + "/fence-state") {
            try await Task.sleep(for: .milliseconds(100))
        }
        for _ in 0..<50 where await !keeper.problems.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        #expect(await keeper.problems == [])
        let next = try fixture.keeper()
        #expect(await next.start() == told)
        #expect(await next.insideIDs == ["Home"])
    }

    /// Damage to the state takes no event that nobody may have heard of.
    @Test func areToldFromADamagedState() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        var told: [TrackerEvent] = []
        for fix in try FenceFixture.walk() { told += await keeper.process(fix) }
        let state = URL(filePath: fixture.folder + "/state/fence-state")
        var bytes = try Data(contentsOf: state)
        bytes[bytes.count - 20] ^= 1
        try bytes.write(to: state)
        let next = try fixture.keeper()
        #expect(await next.start() == told)
        #expect(await next.problems.count == 1)
        bytes[20] ^= 1
        try bytes.write(to: state)
        #expect(try await fixture.keeper().start() == [])
    }

    @Test func ofWhatWasErasedAreNotToldAgain() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        var told: [TrackerEvent] = []
        for fix in try FenceFixture.walk() { told += await keeper.process(fix) }
        let times = told.compactMap(\.time)
        await keeper.forget(from: times[1], to: times[3])
        #expect(await keeper.lastEvents == [told[0], told[3]])
        #expect(try await fixture.keeper().start() == [told[0], told[3]])
    }
}

extension FenceFixture {
    static func laterByAnHour(_ fix: Position) -> Position {
        var fix = fix
        fix.time = fix.time?.advanced(byMilliseconds: 3_600_000)
        return fix
    }
}
