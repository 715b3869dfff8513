import Foundation
import Testing
import Waypost
import WaypostGeofences

/// The fences that were added while running outlast damage to their file.
@Suite struct AddedFencesTests {
    private static let walkSeconds = 20

    private func path(_ fixture: FenceFixture) -> String { fixture.folder + "/state/fences-added.geojson" }

    private func keeper(_ fixture: FenceFixture) throws -> GeofenceKeeper {
        try GeofenceKeeper(GeofenceKeeper.Settings(stateFolder: fixture.folder + "/state"))
    }

    private func fence(_ id: String, metres: Double) throws -> Geofence {
        Geofence(id: id, shape: try FenceShape.circle(centre: FenceFixture.place(metres), radiusMetres: 50))
    }

    /// Inside Home, with Far 5 km away.
    private func filled() async throws -> FenceFixture {
        let fixture = try FenceFixture()
        let keeper = try keeper(fixture)
        _ = await keeper.start()
        _ = try await keeper.add([fence("Home", metres: 0), fence("Far", metres: 5_000)])
        for fix in try FenceFixture.walk(seconds: AddedFencesTests.walkSeconds) { _ = await keeper.process(fix) }
        #expect(await keeper.insideIDs == ["Home"])
        return fixture
    }

    private func check(_ fixture: FenceFixture, problemCount: Int, _ how: String) async throws {
        let keeper = try keeper(fixture)
        let left = await keeper.start()
        #expect(left.map(\.kind) == ["enter"], "\(how)")
        #expect(try await keeper.fences == [fence("Home", metres: 0), fence("Far", metres: 5_000)], "\(how)")
        #expect(await keeper.insideIDs == ["Home"], "\(how)")
        #expect(await keeper.problems.count == problemCount, "\(how)")
    }

    @Test(arguments: ["removed", "emptied", "cut"]) func stay(how: String) async throws {
        let fixture = try await filled()
        let bytes = try Data(contentsOf: URL(filePath: path(fixture)))
        switch how {
        case "removed": try FileManager.default.removeItem(atPath: path(fixture))
        case "emptied": try Data().write(to: URL(filePath: path(fixture)))
        default: try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path(fixture)))
        }
        try await check(fixture, problemCount: 1, how)
        #expect(try Data(contentsOf: URL(filePath: path(fixture))) == bytes)
        #expect(FileManager.default.fileExists(atPath: path(fixture) + ".damaged-1") == (how != "removed"))
        // The next start finds it whole.
        try await check(fixture, problemCount: 0, how)
    }

    /// Not a bit of it counts that was not written.
    @Test func stayWhateverBitIsFlipped() async throws {
        let fixture = try await filled()
        let bytes = try Data(contentsOf: URL(filePath: path(fixture)))
        for place in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[place] ^= 1 << (place % 8)
            try changed.write(to: URL(filePath: path(fixture)))
            let keeper = try keeper(fixture)
            #expect(await keeper.start().map(\.kind) == ["enter"])
            #expect(try await keeper.fences == [fence("Home", metres: 0), fence("Far", metres: 5_000)], "\(place)")
            #expect(try Data(contentsOf: URL(filePath: path(fixture))) == bytes)
        }
    }

    @Test func areSetAsideBeforeTheyAreOverwritten() async throws {
        let fixture = try await filled()
        try FileManager.default.removeItem(atPath: fixture.folder + "/state/fences-added.copy")
        try Data("half a fi".utf8).write(to: URL(filePath: path(fixture)))
        let keeper = try keeper(fixture)
        _ = await keeper.start()
        #expect(await keeper.problems.count == 1)
        _ = try await keeper.add([fence("New", metres: 100)])
        #expect(try String(contentsOfFile: path(fixture) + ".damaged-1", encoding: .utf8) == "half a fi")
        let next = try self.keeper(fixture)
        _ = await next.start()
        #expect(await next.fences.map(\.id) == ["New"])
    }

    @Test func mayBeWrittenByAnEditor() async throws {
        let fixture = try await filled()
        try fixture.writeCircles([("Mine", 0)], to: "state/fences-added.geojson")
        for _ in 0..<2 {
            let keeper = try keeper(fixture)
            _ = await keeper.start()
            #expect(await keeper.fences.map(\.id) == ["Mine"])
            #expect(await keeper.problems == [])
        }
    }
}
