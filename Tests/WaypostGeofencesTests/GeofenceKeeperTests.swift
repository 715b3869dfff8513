import Foundation
import Testing
import Waypost
import WaypostGeofences

@Suite struct GeofenceKeeperTests {
    @Test func tellsWhatHappensAndKeepsIt() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        #expect(await keeper.start() == [])
        #expect(await keeper.fenceCount == 1)
        var kinds: [String] = []
        for fix in try FenceFixture.walk() { kinds += await keeper.process(fix).map(\.kind) }
        #expect(kinds == ["enter", "exit", "enter", "exit"])
        #expect(await keeper.lastEvents.map(\.kind) == kinds)
        #expect(await keeper.problems == [])
        // The next run knows what was told last.
        let next = try fixture.keeper()
        #expect(await next.start().map(\.kind) == kinds)
        #expect(await next.lastEvents.map(\.kind) == kinds)
    }

    /// However it is killed between two fixes, or between the disk and whoever is told: every crossing comes once.
    @Test(arguments: [false, true]) func isKilledAtEveryStepAndTellsEachCrossingOnce(losesLast: Bool) async throws {
        let walk = try FenceFixture.walk()
        let uncut = FenceFixture.kinds(try await FenceFixture.run([walk], losesLast: losesLast))
        #expect(uncut == ["enter", "exit", "enter", "exit"])
        for cut in 1..<walk.count {
            let told = try await FenceFixture.run([Array(walk[..<cut]), Array(walk[cut...])], losesLast: losesLast)
            #expect(FenceFixture.kinds(told) == uncut, "cut at \(cut)")
        }
    }

    /// The state on the disk is that of before the fix, as if the box had died before it was written.
    @Test func diesBeforeTheStateIsWritten() async throws {
        let walk = try FenceFixture.walk()
        for cut in stride(from: 2, to: walk.count, by: 3) {
            let fixture = try FenceFixture()
            try fixture.writeCircles([("Home", 0)])
            var told: [TrackerEvent] = []
            let first = try fixture.keeper()
            _ = await first.start()
            for fix in walk[..<(cut - 1)] { told += await first.process(fix) }
            let copy = fixture.folder + "/copy"
            try FileManager.default.copyItem(atPath: fixture.folder + "/state", toPath: copy)
            _ = await first.process(walk[cut - 1])
            try FileManager.default.removeItem(atPath: fixture.folder + "/state")
            try FileManager.default.moveItem(atPath: copy, toPath: fixture.folder + "/state")
            let second = try fixture.keeper()
            told += await second.start()
            for fix in walk[cut...] { told += await second.process(fix) }
            #expect(FenceFixture.kinds(told) == ["enter", "exit", "enter", "exit"], "cut at \(cut)")
        }
    }

    @Test func tellsWhatHappenedWhileItWasDownAsLate() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0), ("Far", 5_000)])
        let first = try fixture.keeper()
        _ = await first.start()
        for second in 0..<5 { _ = await first.process(try FenceFixture.fix(second, metres: 300)) }
        let second = try fixture.keeper()
        #expect(await second.start() == [])
        let events = await second.process(try FenceFixture.fix(500, metres: 0))
        #expect(events.map(\.kind) == ["enter"])
        #expect(events.allSatisfy { $0.payload?.isLate == true })
    }

    /// The state is written at events: the line from where it was then to the first fix of the next run leads where the device never was.
    @Test(arguments: [BorderRule.exact, .robust], [0, 1, 2])
    func guessesNoWayThroughAFenceAfterAKill(rule: BorderRule, properEnds: Int) async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        // Round the fence: from the south to the east of it, then to the north.
        func aside(_ second: Int, metres: Double) throws -> Position {
            let place = Geodesic.end(from: try FenceFixture.place(metres), azimuthDegrees: 90, distanceMetres: 300).coordinate
            return Position(time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(second) * 1_000), coordinate: place)
        }
        let first = try fixture.keeper(rule: rule)
        _ = await first.start()
        for second in 0..<5 { #expect(await first.process(try FenceFixture.fix(second, metres: -300)) == []) }
        for second in 5..<35 { #expect(await first.process(try aside(second, metres: -300 + Double(second - 5) * 20)) == []) }
        if properEnds == 1 { await first.end() }
        if properEnds == 2 {
            // Killed; then started where there is no fix, and stopped.
            let between = try fixture.keeper(rule: rule)
            #expect(await between.start() == [])
            await between.end()
        }
        let next = try fixture.keeper(rule: rule)
        #expect(await next.start() == [])
        for second in 36..<40 { #expect(await next.process(try FenceFixture.fix(second, metres: 300)) == [], "\(second)") }
    }

    /// On a way that nobody knows it may have left a fence far behind.
    @Test(arguments: [BorderRule.exact, .robust], [100.0, 300, 3_000]) func leavesAFenceOnAWayThatIsNotKnown(
        rule: BorderRule, metres: Double
    ) async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper(rule: rule)
        _ = await keeper.start()
        for second in 0..<5 { _ = await keeper.process(try FenceFixture.fix(second, metres: 200)) }
        for second in 100..<120 { _ = await keeper.process(try FenceFixture.fix(second, metres: 0)) }
        #expect(await keeper.insideIDs == ["Home"])
        await keeper.withhold()
        var told: [TrackerEvent] = []
        for second in 200..<220 { told += await keeper.process(try FenceFixture.fix(second, metres: metres)) }
        #expect(told.map(\.kind) == ["exit"])
        #expect(await keeper.insideIDs == [])
    }

    /// Between a proper end and the next start it may have gone through.
    @Test func tellsAPassWhileItWasDownAfterAProperEnd() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let first = try fixture.keeper()
        _ = await first.start()
        for second in 0..<5 { _ = await first.process(try FenceFixture.fix(second, metres: -300 + Double(second) * 40)) }
        await first.end()
        let next = try fixture.keeper()
        _ = await next.start()
        let events = await next.process(try FenceFixture.fix(10, metres: 100))
        #expect(events.map(\.kind) == ["pass"])
        #expect(events.allSatisfy { $0.payload?.isLate == true })
        // The file no longer says that the run has ended.
        let third = try fixture.keeper()
        _ = await third.start()
        #expect(await third.process(try FenceFixture.fix(20, metres: -100)) == [])
    }

    /// After a kill the log's last fixes say where it was; without them, or with a loss after them, nothing is guessed.
    @Test(arguments: [BorderRule.exact, .robust]) func tellsAPassAfterAKillFromTheLogsLastFixes(rule: BorderRule) async throws {
        let way = try (0..<20).map { try FenceFixture.fix($0, metres: -300 + Double($0) * 10) }
        func told(_ fixes: [Position], losesAt loss: Int? = nil, next second: Int = 25) async throws -> [TrackerEvent] {
            let fixture = try FenceFixture()
            try fixture.writeCircles([("Home", 0)])
            let first = try fixture.keeper(rule: rule)
            _ = await first.start()
            for (index, fix) in way.enumerated() {
                #expect(await first.process(fix) == [])
                if index == loss { await first.lose(at: nil) }
            }
            let next = try fixture.keeper(rule: rule)
            #expect(await next.start(lastFixes: fixes) == [])
            return try await next.process(FenceFixture.fix(second, metres: 100))
        }
        let events = try await told(way)
        #expect(events.map(\.kind) == ["pass"])
        #expect(events.allSatisfy { $0.payload?.isLate == true && $0.time.map { $0 > way[19].time ?? $0 } == true })
        #expect(try await told([]) == [])
        if rule == .robust { #expect(try await told(way, next: 90) == [], "longer than a way is known") }
        #expect(try await told(way, losesAt: 19) == [])
        #expect(try await told(way, losesAt: 10).map(\.kind) == ["pass"], "the position was back")
        // Older than what the state has.
        let old = try (0..<5).map { try FenceFixture.fix($0 - 100, metres: -300) }
        #expect(try await told(old) == [])
    }

    @Test func takesANewFenceSilently() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Far", 5_000)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        _ = await keeper.process(try FenceFixture.fix(0, metres: 0))
        try fixture.writeCircles([("Far", 5_000), ("Home", 0)])
        #expect(await keeper.reload() == [])
        #expect(await keeper.process(try FenceFixture.fix(1, metres: 1)) == [])
        #expect(await keeper.insideIDs == ["Home"])
        #expect(await keeper.process(try FenceFixture.fix(2, metres: 200)).map(\.kind) == ["exit"])
    }

    @Test func tellsTheExitOfAFenceThatWasRemovedWhileItWasDown() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0), ("Far", 5_000)])
        let first = try fixture.keeper()
        _ = await first.start()
        for (second, metres) in [200.0, 150, 0, 0].enumerated() { _ = await first.process(try FenceFixture.fix(second, metres: metres)) }
        #expect(await first.insideIDs == ["Home"])
        try fixture.writeCircles([("Far", 5_000)])
        let second = try fixture.keeper()
        let events = await second.start()
        #expect(events.map(\.kind) == ["enter", "exit"])
        #expect(events.last?.payload?.reason == .removed)
    }

    @Test func keepsTheLastGoodSetWhenTheFileIsDamaged() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        for (second, metres) in [200.0, 150, 0, 0].enumerated() { _ = await keeper.process(try FenceFixture.fix(second, metres: metres)) }
        try fixture.write("<html>Not found</html>")
        #expect(await keeper.reload() == [])
        #expect(await keeper.fenceCount == 1)
        #expect(await keeper.problems.count == 1)
        // After a restart, too: no exit that never happened.
        let next = try fixture.keeper()
        #expect(await next.start().map(\.kind) == ["enter"])
        #expect(await next.fenceCount == 1)
        #expect(await next.insideIDs == ["Home"])
        try FileManager.default.removeItem(atPath: fixture.file)
        _ = await next.reload()
        #expect(await next.fenceCount == 1)
        try fixture.writeCircles([("Home", 0), ("Far", 5_000)])
        _ = await next.reload()
        #expect(await next.fenceCount == 2)
        #expect(await next.problems == [])
    }

    @Test func readsAFolderOfFilesAndFollowsItsChanges() async throws {
        let fixture = try FenceFixture()
        let folder = fixture.folder + "/fences"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try fixture.writeCircles([("A", 0)], to: "fences/a.geojson")
        try fixture.writeCircles([("B", 1_000)], to: "fences/b.json")
        try fixture.write("no fences", to: "fences/readme.txt")
        let keeper = try fixture.keeper(path: folder)
        _ = await keeper.start()
        #expect(await keeper.fences.map(\.name) == ["A", "B"])
        try fixture.write("{", to: "fences/b.json")
        _ = await keeper.reload()
        #expect(await keeper.fences.map(\.name) == ["A", "B"])
        try FileManager.default.removeItem(atPath: folder + "/a.geojson")
        try FileManager.default.removeItem(atPath: folder + "/b.json")
        try fixture.writeCircles([("C", 0)], to: "fences/c.geojson")
        _ = await keeper.reload()
        #expect(await keeper.fences.map(\.name) == ["C"])
        #expect(await keeper.problems == [])
    }

    @Test func keepsWhatWasAddedOverARestart() async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        let keeper = try fixture.keeper()
        _ = await keeper.start()
        let shape = try FenceShape.circle(centre: FenceFixture.place(1_000), radiusMetres: 30)
        _ = try await keeper.add([Geofence(id: "Shop", shape: shape)])
        let next = try fixture.keeper()
        _ = await next.start()
        #expect(await next.fences.map(\.id) == ["Home", "Shop"])
        #expect(await next.addedIDs == ["Shop"])
        #expect(try await next.remove(id: "Shop").wasThere)
        #expect(try await !next.remove(id: "Home").wasThere)
        #expect(await next.fenceCount == 1)
    }

    /// Other programs leave such commas in; the fences are as they were meant.
    @Test func noticesTrailingCommasWithoutAProblem() async throws {
        let fixture = try FenceFixture()
        try fixture.write(
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Home","radius":150,},\
            "geometry":{"type":"Point","coordinates":[9.5,47.1]}},]}
            """, to: "comma.geojson")
        let keeper = try fixture.keeper(path: fixture.folder + "/comma.geojson")
        _ = await keeper.start()
        #expect(await keeper.fenceCount == 1)
        #expect(await keeper.problems == [])
        #expect(await keeper.notices == ["\(fixture.folder)/comma.geojson: 2 trailing commas overlooked"])
    }

    @Test func saysHowFarItIsToTheNextBorder() async throws {
        let fixture = try FenceFixture()
        let keeper = try fixture.keeper(path: fixture.folder + "/none.geojson")
        _ = await keeper.start()
        #expect(await keeper.problems.count == 1)
        #expect(await keeper.freeMetres == nil)
        try fixture.writeCircles([("Home", 0)], to: "none.geojson")
        _ = await keeper.reload()
        _ = await keeper.process(try FenceFixture.fix(0, metres: 2_050))
        let free = try #require(await keeper.freeMetres)
        #expect(abs(free - 2_000) < 0.01)
        #expect(await keeper.nearest(5).map(\.fence.name) == ["Home"])
        _ = await keeper.process(try FenceFixture.fix(1_000, metres: 200_000))
        #expect(await keeper.freeMetres == 15_000)
    }

    @Test(arguments: ["fence-state", "fences-known", "fences-added.geojson", "fences-good.geojson"])
    func beginsAnewWithADamagedState(name: String) async throws {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        try fixture.write("damaged", to: "state/\(name)")
        let keeper = try fixture.keeper()
        #expect(await keeper.start() == [])
        #expect(await keeper.problems.count == 1)
        #expect(await keeper.fenceCount == 1)
    }
}

extension FenceFixture {
    /// What is told when the walk is cut into runs; the last events of each run may get lost on the way.
    static func run(_ runs: [[Position]], losesLast: Bool) async throws -> [TrackerEvent] {
        let fixture = try FenceFixture()
        try fixture.writeCircles([("Home", 0)])
        var told: [TrackerEvent] = []
        for (index, fixes) in runs.enumerated() {
            let keeper = try fixture.keeper()
            told += await keeper.start()
            for (number, fix) in fixes.enumerated() {
                let events = await keeper.process(fix)
                if losesLast, index + 1 < runs.count, number + 1 == fixes.count { continue }
                told += events
            }
        }
        return told
    }

    /// The kinds of the events, each id once, in the order of time.
    static func kinds(_ events: [TrackerEvent]) -> [String] {
        var seen: Set<String> = []
        return events.filter { seen.insert($0.id).inserted }.sorted { ($0.time ?? .distantPast) < ($1.time ?? .distantPast) }.map(\.kind)
    }
}

extension UTCTime {
    static let distantPast = UTCTime(millisecondsSince1970: 0)
}
