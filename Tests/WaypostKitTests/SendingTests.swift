import Foundation
import Testing
import Waypost
import WaypostDispatch
import WaypostKit
import WaypostTestKit

/// Positions and events of an application, at real servers.
@Suite(.timeLimit(.minutes(3))) struct SendingTests {
    private let folder: String
    private let positions: [Position]

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-kit-sending-\(UInt32.random(in: 0...(.max)))"
        let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        positions = (0..<120).map { second in
            let place = Geodesic.end(from: home, azimuthDegrees: 90, distanceMetres: 10 * Double(second)).coordinate
            return Position(time: moment(second), coordinate: place)
        }
    }

    private func openDispatcher(_ log: TrackLog, to servers: [String: FlakyServer]) async throws -> Dispatcher {
        let dispatcher = try await Dispatcher(log, folder: folder + "/outbox", device: "van-7")
        for (name, server) in servers {
            let settings = DestinationSettings(name: name, every: .zero)
            try await dispatcher.attach(try HTTPDestination(HTTPDestination.Settings(url: server.url)), settings)
        }
        try await dispatcher.finishAttaching()
        return dispatcher
    }

    /// The ids of what a server has accepted of one class, each as often as it came.
    private func ids(_ server: FlakyServer, of kind: String) throws -> [String] {
        try server.received().filter { $0["class"]?.string == kind }.compactMap { $0["id"]?.string }
    }

    private func fenceEvent(_ second: Int, _ kind: String) -> TrackerEvent {
        TrackerEvent(id: "event-\(second)-\(kind)", kind: kind, name: "home", time: moment(second), position: positions[second])
    }

    @Test func sendsPositionsAndEventsOnceToEachOfTwoServers() async throws {
        let servers = ["a": try await FlakyServer(), "b": try await FlakyServer("status 503")]
        let manager = PositioningManager(source: ListedSource(positions))
        let log = try await TrackLog(manager, folder: folder + "/log")
        let dispatcher = try await openDispatcher(log, to: servers)
        for await _ in manager.liveUpdates() {}
        let events = [fenceEvent(10, "enter"), fenceEvent(90, "exit")]
        for event in events { try await log.record(event) }
        try await dispatcher.send("delivered", ["parcel": .string("A 17")], at: positions[100])
        _ = try await dispatcher.dispatch("a")
        let failed = try await dispatcher.dispatch("b")
        #expect(failed.word == .error && failed.failures.map(\.destination) == ["b"])
        try servers["b"]?.setMode("ok")
        let done = try await dispatcher.dispatch()
        #expect(done.word != .error, "\(done)")
        for (name, server) in servers {
            #expect(try ids(server, of: "TPV").count == 120, "\(name)")
            #expect(Set(try ids(server, of: "TPV")).count == 120, "\(name)")
            #expect(try ids(server, of: "EVENT") == events.map(\.id), "\(name)")
            #expect(try ids(server, of: "TRACK").count == 1, "\(name)")
        }
        #expect(await log.sendingProblem == nil)
        await dispatcher.stop()
        try await log.close()
    }

    @Test func sendsWhatWaitedAfterALostOutbox() async throws {
        let server = try await FlakyServer()
        let event = fenceEvent(5, "enter")
        do {
            let manager = PositioningManager(source: ListedSource(positions))
            let log = try await TrackLog(manager, folder: folder + "/log")
            let dispatcher = try await openDispatcher(log, to: ["a": server])
            for await _ in manager.liveUpdates() {}
            try await log.record(event)
            await dispatcher.stop()
            try await log.close()
        }
        #expect(try server.received().isEmpty)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/outbox") {
            try FileManager.default.removeItem(atPath: "\(folder)/outbox/\(name)")
        }
        let log = try await TrackLog(PositioningManager(source: ListedSource([])), folder: folder + "/log")
        let dispatcher = try await openDispatcher(log, to: ["a": server])
        _ = try await dispatcher.dispatch()
        #expect(try ids(server, of: "TPV").count == 120)
        #expect(try ids(server, of: "EVENT") == [event.id])
        await dispatcher.stop()
        try await log.close()
    }

    /// Each would take the other's progress for its own.
    @Test func letsALogHaveOneDispatcherAtATime() async throws {
        let log = try await TrackLog(PositioningManager(source: ListedSource([])), folder: folder + "/log")
        let dispatcher = try await Dispatcher(log, folder: folder + "/outbox", device: "van-7")
        for other in ["/outbox", "/other"] {
            await #expect(throws: OutboxError.self) { _ = try await Dispatcher(log, folder: folder + other, device: "van-7") }
        }
        await dispatcher.stop()
        // What is recorded between two dispatchers is in the log.
        try await log.record(fenceEvent(5, "enter"))
        let next = try await Dispatcher(log, folder: folder + "/outbox", device: "van-7")
        let server = try await FlakyServer()
        try await next.attach(try HTTPDestination(HTTPDestination.Settings(url: server.url)), DestinationSettings(name: "a", every: .zero))
        await next.stop()
        try await log.close()
    }

    @Test func saysWhyAnOutboxCannotBeOpened() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/file"
        try Data("x".utf8).write(to: URL(filePath: file))
        let log = try await TrackLog(PositioningManager(source: ListedSource([])), folder: folder + "/log")
        await #expect(throws: OutboxError.self) { _ = try await Dispatcher(log, folder: file, device: "van-7") }
        try await log.close()
    }
}
