import WaypostKit

/// Prints where the device is until it comes to rest.
public func followUntilRest(_ manager: PositioningManager) async {
    for await update in manager.liveUpdates() {
        switch update {
        case .position(let position): print(position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees)
        case .lost(let reason): print("no position:", reason)
        case .stationary(true): return
        default: break
        }
    }
}

/// Prints when the device comes home and when it leaves.
public func watchHome(_ home: Coordinate, with manager: PositioningManager) async throws {
    let monitor = try await FenceMonitor(manager, state: "places")
    try await monitor.add(Geofence(id: "home", shape: try .circle(centre: home, radiusMetres: 100)))
    for await event in monitor.events { print(event.fenceID, event.kind) }
}
