import WaypostKit

/// Reports where a van is, when it comes and goes at the depot, and what it delivers.
public struct FleetAgent: Sendable {
    private let manager: PositioningManager
    private let fences: FenceMonitor
    private let log: TrackLog
    private let dispatcher: Dispatcher

    /// An agent of that van; its folder keeps everything that must survive a restart.
    public init(
        _ van: String, source: some PositionSource, depot: Geofence, folder: String, servers: [String: any Destination]
    ) async throws {
        manager = PositioningManager(source: source)
        fences = try await FenceMonitor(manager, state: folder + "/fences")
        log = try await TrackLog(manager, folder: folder + "/tracks")
        dispatcher = try await Dispatcher(log, folder: folder + "/outbox", device: van)
        for (name, server) in servers { try await dispatcher.attach(server, DestinationSettings(name: name, every: .seconds(60))) }
        try await dispatcher.finishAttaching()
        try await fences.add(depot)
    }

    /// Works until its source ends or its task is cancelled.
    public func run() async throws {
        for await event in fences.events { try await log.record(event) }
    }

    /// Reports a parcel that was delivered here.
    public func deliver(_ parcel: String) async throws {
        try await dispatcher.send("delivered", ["parcel": .string(parcel)], at: await manager.currentPosition)
    }

    /// Sends what waits, as far as the time allows, ends the track, and leaves the folder to the next agent.
    public func finish(within budget: Duration = .seconds(60)) async throws -> DispatchCompletion {
        let completion = try await dispatcher.drain(budget: budget)
        await dispatcher.stop()
        await fences.close()
        try await log.close()
        return completion
    }
}
