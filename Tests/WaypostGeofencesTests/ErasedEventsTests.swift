import Foundation
import Testing
import Waypost
import WaypostGeofences

/// What was erased from the log is forgotten on the disk, too, before anybody is told that it is.
@Suite struct ErasedEventsTests {
    private let all = UTCTime(millisecondsSince1970: 0)..<UTCTime(millisecondsSince1970: 1_900_000_000_000)

    private func walked(_ fixture: FenceFixture) async throws -> GeofenceKeeper {
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        for fix in try FenceFixture.walk() { _ = await keeper.process(fix) }
        return keeper
    }

    /// A run that ends before its first fix leaves nothing of it to the next, which knows nothing of the erasure.
    @Test func doNotComeBackAfterARunWithoutAFix() async throws {
        let fixture = try FenceFixture()
        #expect(await (try walked(fixture)).lastEvents.count == 4)
        let second = try fixture.keeper()
        _ = await second.load(without: [all])
        #expect(await second.start() == [])
        #expect(await second.isSaved)
        let third = try fixture.keeper()
        #expect(await third.start() == [])
        #expect(await third.lastEvents == [])
    }

    /// The file may have a place that the memory has left behind since.
    @Test func areWrittenAnewWheneverSomethingIsErased() async throws {
        let fixture = try FenceFixture()
        let keeper = try await walked(fixture)
        let path = fixture.folder + "/state/fence-state"
        try FileManager.default.removeItem(atPath: path)
        await keeper.forget(from: UTCTime(millisecondsSince1970: 0), to: UTCTime(millisecondsSince1970: 1))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func areNotTakenForForgottenWhereTheDiskCannotBeWritten() async throws {
        let fixture = try FenceFixture()
        let keeper = try await walked(fixture)
        let state = fixture.folder + "/state"
        try FileManager.default.removeItem(atPath: state)
        await keeper.forget(from: all.lowerBound, to: all.upperBound)
        #expect(await !keeper.isSaved)
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        await keeper.forget(from: all.lowerBound, to: all.upperBound)
        #expect(await keeper.isSaved)
    }
}
