import WaypostKit

let manager = PositioningManager(source: SimulatedRouteSource(.city))
let monitor = try await FenceMonitor(manager, state: "fences")
if let start = BuiltInRoute.city.corners.first {
    try await monitor.add(Geofence(id: "start", name: "Start", shape: try .circle(centre: start, radiusMetres: 40)))
}
for await event in monitor.events {
    print(event.kind, event.name)
}
