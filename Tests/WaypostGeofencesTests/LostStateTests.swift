import Foundation
import Testing
import Waypost
import WaypostGeofences

/// When the state is lost, the log says where the device was, and no crossing is reported a second time.
@Suite struct LostStateTests {
    private func flip(_ path: String, at place: (Int) -> Int) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[place(bytes.count)] ^= 1
        try bytes.write(to: URL(filePath: path))
    }

    private func walked(_ fixture: FenceFixture, seconds: Int) async throws -> [TrackerEvent] {
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        var told: [TrackerEvent] = []
        for fix in try FenceFixture.walk(seconds: seconds) { told += await keeper.process(fix) }
        return told
    }

    /// The state still has an entry that is older than the newest journals; it does not count after the exit that they have.
    @Test(arguments: ["fences-known", "fence-state"]) func followsTheEventsInTheirOrder(name: String) async throws {
        let fixture = try FenceFixture()
        let told = try await walked(fixture, seconds: 40)
        #expect(told.map(\.kind) == ["enter", "exit"])
        try flip(fixture.folder + "/state/\(name)") { name == "fences-known" ? $0 / 2 : $0 - 40 }
        let keeper = try fixture.keeper()
        // Those in doubt are looked for wherever they are in the log.
        #expect(await keeper.load() == .newest(from: told[0].time))
        #expect(await keeper.start(logged: [told[1]]) == told)
        #expect(await keeper.insideIDs == [])
        #expect(await keeper.problems.count == 1)
        for second in 40..<45 { #expect(await keeper.process(try FenceFixture.fix(second, metres: -300)) == []) }
        #expect(await keeper.problems.count == 1)
        #expect(await keeper.lastEvents == told)
    }

    @Test func isNoticedWhenBothFilesWereRemoved() async throws {
        let fixture = try FenceFixture()
        let told = try await walked(fixture, seconds: 20)
        #expect(told.map(\.kind) == ["enter"])
        for name in ["fence-state", "fences-known"] { try FileManager.default.removeItem(atPath: fixture.folder + "/state/" + name) }
        let keeper = try fixture.keeper()
        #expect(await keeper.load() == .newest())
        #expect(await keeper.start(logged: told) == [])
        #expect(await keeper.problems.count == 1)
        #expect(await keeper.insideIDs == ["Home"])
        #expect(await keeper.process(try FenceFixture.fix(30, metres: 300)).map(\.kind) == ["exit"])
    }

    /// No event in the newest journals, but their last fixes say that the device was outside, or inside.
    @Test(arguments: [false, true]) func takesTheSidesFromTheLastFixesWithoutEvents(isInside: Bool) async throws {
        let fixture = try FenceFixture()
        let told = try await walked(fixture, seconds: isInside ? 20 : 0)
        if !isInside {
            // The side is known, and saved, without an event.
            let keeper = try fixture.keeper()
            _ = await keeper.start()
            for second in 0..<5 { #expect(await keeper.process(try FenceFixture.fix(second, metres: -300)) == []) }
            await keeper.end()
        }
        try FileManager.default.removeItem(atPath: fixture.folder + "/state/fence-state")
        let keeper = try fixture.keeper()
        #expect(await keeper.load() == .newest())
        let fixes = try (20..<50).map { try FenceFixture.fix($0, metres: isInside ? 0 : -300) }
        #expect(await keeper.start(lastFixes: fixes) == [])
        var events: [TrackerEvent] = []
        for second in 100..<110 { events += await keeper.process(try FenceFixture.fix(second, metres: isInside ? -300 : 0)) }
        #expect(
            events.map(\.kind) == [isInside ? "exit" : "enter"] && events.allSatisfy { $0.payload?.isLate == true }, "\(told) \(events)")
    }

    @Test func isNotSoughtByAFirstRun() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        #expect(await keeper.load() == .newest())
        #expect(await keeper.start() == [])
        #expect(await keeper.problems == [])
        // Without fences the log need not be read.
        let other = try GeofenceKeeper(GeofenceKeeper.Settings(stateFolder: fixture.folder + "/state"))
        #expect(await other.load() == .nothing)
    }
}
