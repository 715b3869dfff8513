import WaypostKit

/// Coaches a run: tells the pace of each kilometre, pauses by itself while the runner stands, and records the run.
public struct RunningCoach: Sendable {
    private let manager: PositioningManager
    private let log: TrackLog

    /// A coach on any source; the folder gets the GPX file.
    public init(_ source: some PositionSource, folder: String) async throws {
        manager = PositioningManager(source: source)
        log = try await TrackLog(manager, folder: folder)
    }

    /// Coaches until the source ends or the task is cancelled; returns the path of the GPX file.
    public func run(_ tell: (RunningWord) -> Void) async throws -> String? {
        var run = Run()
        for await update in manager.liveUpdates() {
            switch update {
            case .position(let position): run.process(position).forEach(tell)
            case .lost(let reason):
                run.lose()
                tell(.lost("\(reason)"))
            case .failed(let error): throw error
            default: break
            }
        }
        tell(.ended(metres: run.metres, moving: run.moving))
        return try await log.close()?.trackPath
    }
}

/// What the coach says.
public enum RunningWord: Sendable, Equatable {
    /// A kilometre is complete; the time that it took, pauses left out.
    case kilometre(Int, took: Duration)
    /// The runner stands; the clock is stopped.
    case paused
    /// The runner runs again.
    case resumed
    /// The position is lost.
    case lost(String)
    /// The run is over.
    case ended(metres: Double, moving: Duration)
}
