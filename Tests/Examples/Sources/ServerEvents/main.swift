import WaypostKit

let manager = PositioningManager(source: SimulatedRouteSource(.city))
let log = try await TrackLog(manager, folder: "tracks")
let dispatcher = try await Dispatcher(log, folder: "outbox")
let server = try HTTPDestination(HTTPDestination.Settings(url: "http://127.0.0.1:8087/in"))
try await dispatcher.attach(server, DestinationSettings(name: "home", every: .seconds(30)))
try await dispatcher.finishAttaching()
try await dispatcher.send("started", ["trip": .integer(7)])
for await update in manager.liveUpdates() {
    if case .position = update, await log.statistics.loggedCount == 20 { break }
}
print(try await dispatcher.dispatch().word)
