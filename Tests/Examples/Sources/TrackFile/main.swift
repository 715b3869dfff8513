import WaypostKit

let manager = PositioningManager(source: SimulatedRouteSource(.city))
let log = try await TrackLog(manager, folder: "tracks")
for await update in manager.liveUpdates() {
    if case .position(let position) = update { print(position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees) }
    if await log.statistics.loggedCount == 20 { break }
}
if let track = try await log.close() { print("track:", track.trackPath ?? "none") }
