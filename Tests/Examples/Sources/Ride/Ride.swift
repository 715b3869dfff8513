import WaypostKit

/// Records a ride until the task is cancelled, and returns the path of its GPX file.
public func recordRide(_ source: some PositionSource, to folder: String) async throws -> String? {
    var options = TrackLog.Options()
    options.thinning.minimumMetres = 10
    let manager = PositioningManager(source: source)
    let log = try await TrackLog(manager, folder: folder, options: options)
    for await _ in manager.liveUpdates() {}
    return try await log.close()?.trackPath
}
