import Foundation
import Synchronization
import Testing
import Waypost
import WaypostGeofences
import WaypostKit
import WaypostPositioning

@Suite(.timeLimit(.minutes(2))) struct FenceMonitorTests {
    private let folder: String
    private let home: Coordinate

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-kit-fences-\(UInt32.random(in: 0...(.max)))"
        home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
    }

    private func fence(_ id: String = "home", radius: Double = 100) throws -> Geofence {
        Geofence(id: id, name: id, shape: try .circle(centre: home, radiusMetres: radius))
    }

    private func replay(_ south: Double, _ north: Double, seconds: Int = 60, from start: Int = 0) -> ListedSource {
        ListedSource(
            (0..<seconds).map { second in
                let metres = south + (north - south) * Double(second) / Double(seconds - 1)
                let place = Geodesic.end(from: home, azimuthDegrees: metres < 0 ? 180 : 0, distanceMetres: abs(metres)).coordinate
                return Position(time: moment(start + second), coordinate: place)
            })
    }

    @Test func tellsWhatHappensInAReplay() async throws {
        let manager = PositioningManager(source: replay(-300, 300))
        let monitor = try await FenceMonitor(manager, state: folder, rule: .exact)
        try await monitor.add(fence(), fence("inner", radius: 30))
        var events: [String] = []
        for await event in monitor.events { events.append("\(event.kind) \(event.name)") }
        #expect(events == ["enter home", "enter inner", "exit inner", "exit home"])
        #expect(await monitor.problems == [])
        #expect(await monitor.insideIDs == [])
        #expect(await eventuallyAsync { await !manager.isRunning })
    }

    @Test func tellsTwoLoopsTheSame() async throws {
        let manager = PositioningManager(source: replay(-300, 300))
        let monitor = try await FenceMonitor(manager, state: folder, rule: .exact)
        let gate = GatedSource(replay(-300, 300))
        await manager.use(gate)
        try await monitor.add(fence())
        let loops = (0..<2).map { _ in
            Task {
                var kinds: [String] = []
                for await event in monitor.events { kinds.append(event.kind) }
                return kinds
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        gate.open()
        for loop in loops { #expect(await loop.value == ["enter", "exit"]) }
    }

    @Test func leavesItsFolderWhenItIsClosed() async throws {
        let manager = PositioningManager(source: GatedSource(replay(-300, 300)))
        let monitor = try await FenceMonitor(manager, state: folder)
        try await monitor.add(fence())
        let loops = (0..<2).map { _ in
            Task {
                var count = 0
                for await _ in monitor.events { count += 1 }
                return count
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        await monitor.close()
        for loop in loops { #expect(await loop.value == 0) }
        await #expect(throws: FenceMonitorError.self) { try await monitor.add(fence("other")) }
        await #expect(throws: FenceMonitorError.self) { try await monitor.remove(id: "home") }
        let next = try await FenceMonitor(manager, state: folder)
        #expect(await next.fences.map(\.id) == ["home"])
        for await _ in monitor.events { Issue.record("a closed monitor has no events") }
        await monitor.close()
        await #expect(throws: FenceMonitorError.self) { _ = try await FenceMonitor(manager, state: folder) }
    }

    @Test func goesOnAfterARestart() async throws {
        do {
            let monitor = try await FenceMonitor(PositioningManager(source: replay(-300, 0)), state: folder, rule: .exact)
            try await monitor.add(fence())
            var kinds: [String] = []
            for await event in monitor.events { kinds.append(event.kind) }
            #expect(kinds == ["enter"])
            #expect(await monitor.insideIDs == ["home"])
        }
        let next = try await FenceMonitor(PositioningManager(source: replay(250, 300, from: 600)), state: folder, rule: .exact)
        #expect(await next.fences.map(\.id) == ["home"])
        var told: [TrackerEvent] = []
        for await event in next.events { told.append(event) }
        // What may not have been heard before comes again under its id; what happened meanwhile is late.
        #expect(told.map(\.kind) == ["enter", "exit"])
        #expect(told.last?.payload?.isLate == true)
    }

    /// With what a loop has done, whoever closes the monitor is not bothered again; what nobody has taken comes.
    @Test(arguments: [true, false]) func repeatsAfterACloseOnlyWhatNobodyHasHandled(takesAll: Bool) async throws {
        let monitor = try await FenceMonitor(PositioningManager(source: replay(-300, 300)), state: folder, rule: .exact)
        try await monitor.add(fence())
        var events = monitor.events.makeAsyncIterator()
        #expect(await events.next()?.kind == "enter")
        #expect(await events.next()?.kind == "exit")
        if takesAll { #expect(await events.next() == nil) }
        await monitor.close()
        let next = try await FenceMonitor(PositioningManager(source: replay(400, 500, from: 600)), state: folder, rule: .exact)
        var kinds: [String] = []
        for await event in next.events { kinds.append(event.kind) }
        #expect(kinds == (takesAll ? [] : ["exit"]))
    }

    @Test func refusesFencesThatCannotBeWatched() async throws {
        let monitor = try await FenceMonitor(PositioningManager(source: replay(-300, 300)), state: folder)
        for dwell in [-1, .nan, .infinity, 1e308] {
            var odd = try fence()
            odd.dwellSeconds = dwell
            await #expect(throws: FenceMonitorError.self) { try await monitor.add(odd) }
        }
        await #expect(throws: FenceMonitorError.self) { try await monitor.add(fence("")) }
        #expect(await monitor.fences == [])
    }

    @Test func removesFences() async throws {
        let manager = PositioningManager(source: replay(-300, 0))
        let monitor = try await FenceMonitor(manager, state: folder, rule: .exact)
        try await monitor.add(fence())
        for await _ in monitor.events {}
        #expect(try await monitor.remove(id: "home"))
        #expect(try await !monitor.remove(id: "home"))
        var events = monitor.events.makeAsyncIterator()
        #expect(await events.next()?.payload?.reason == .removed)
        #expect(await monitor.fences == [])
    }

    @Test func sharesAFolderWithNobody() async throws {
        let manager = PositioningManager(source: replay(0, 1))
        var first: FenceMonitor? = try await FenceMonitor(manager, state: folder)
        await #expect(throws: FenceMonitorError.self) { try await FenceMonitor(manager, state: folder) }
        withExtendedLifetime(first) {}
        first = nil
        var second: FenceMonitor?
        for _ in 0..<200 where second == nil {
            second = try? await FenceMonitor(manager, state: folder)
            if second == nil { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(second != nil)
        await #expect(throws: FenceMonitorError.self) { try await FenceMonitor(manager, state: "/dev/null/fences") }
    }

    @Test func needsTheReceiverOnlyForFences() async throws {
        let manager = PositioningManager(source: SimulatedRouteSource(.walk))
        var monitor: FenceMonitor? = try await FenceMonitor(manager, state: folder)
        await manager.start(needing: nil)
        #expect(await manager.pace == .unneeded)
        try await monitor?.add(fence())
        #expect(await eventuallyAsync { await manager.rawPosition != nil })
        withExtendedLifetime(monitor) {}
        monitor = nil
        #expect(await eventuallyAsync { await manager.clients.isEmpty })
    }

    @Test func endsWithTheRecordingAlsoWithoutFences() async throws {
        let monitor = try await FenceMonitor(PositioningManager(source: replay(-300, 300)), state: folder)
        for await event in monitor.events { Issue.record("\(event) of no fence") }
    }

    /// Otherwise nothing would ever look at the file.
    @Test func needsAFixNowAndThenForAFileThatMayHaveFencesLater() async throws {
        let manager = PositioningManager(source: SimulatedRouteSource(.walk))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let monitor = try await FenceMonitor(manager, state: folder + "/state", file: folder + "/later.geojson")
        await manager.start(needing: nil)
        #expect(await eventuallyAsync { await manager.rawPosition != nil })
        await monitor.close()
        #expect(await eventuallyAsync { await manager.clients.isEmpty })
    }

    @Test func countsWhatASlowLoopMisses() async throws {
        let source = ListedSource(
            (0..<1_100).map { number in
                Position(
                    time: moment(number),
                    coordinate: Geodesic.end(from: home, azimuthDegrees: 0, distanceMetres: number % 2 == 0 ? 0 : 500).coordinate)
            })
        let manager = PositioningManager(source: source)
        let monitor = try await FenceMonitor(manager, state: folder, rule: .exact)
        try await monitor.add(fence())
        await manager.start()
        try await manager.waitUntilFinished()
        await manager.use(ListedSource([]))
        var events = monitor.events.makeAsyncIterator()
        var count = 0
        while await events.next() != nil { count += 1 }
        #expect(count == FenceEvents.limit)
    }
}

private func eventuallyAsync(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<1_000 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))  // Nobody cancels a test.
    }
    return await condition()
}
