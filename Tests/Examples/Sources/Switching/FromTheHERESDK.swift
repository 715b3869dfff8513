import WaypostKit

/// Prints the positions of a receiver, and records them; returns the path of the GPX file.
public func recordPositions(to folder: String) async throws -> String? {
    let manager = PositioningManager(source: GPSDSource())
    let log = try await TrackLog(manager, folder: folder)
    for await update in manager.liveUpdates() {
        switch update {
        case .position(let position): print(position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees)
        case .lost(let reason): print("no position:", reason)
        default: break
        }
    }
    return try await log.close()?.trackPath
}

/// Plays a GPX file twice as fast as it was recorded, with a position for each second of the drive.
public func play(_ path: String) async {
    let source = ReplaySource(path: path, format: .gpx, options: .init(style: .interpolated, speed: 2))
    for await update in PositioningManager(source: source).liveUpdates() {
        switch update {
        case .position(let position): print(position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees)
        case .failed(let error): print(error)
        default: break
        }
    }
}
