import WaypostSystem

/// The controls of a replay or a simulated drive, which work while it runs.
///
/// They belong to the source, not to a run: their settings stay when the source is started again.
/// - Concurrency: set them from anywhere; they take effect at once.
public final class PlaybackControl: Sendable {
    struct State {
        var isStationary = false
        var isPositionLost = false
        var resetCount = 0
        var wakes: [ObjectIdentifier: WakeSignal] = [:]
    }

    private let monitor = Monitor(State())

    /// Everything off.
    public init() {}

    /// Holds the position: positions keep coming, but the drive does not progress.
    public var isStationary: Bool {
        get { monitor.withLock { $0.isStationary } }
        set { change { $0.isStationary = newValue } }
    }

    /// Reports that there is no position, while the drive progresses.
    public var isPositionLost: Bool {
        get { monitor.withLock { $0.isPositionLost } }
        set { change { $0.isPositionLost = newValue } }
    }

    /// Restarts the drive.
    public func reset() {
        change { $0.resetCount += 1 }
    }

    var state: State { monitor.withLock { $0 } }

    func attach(_ wake: WakeSignal) {
        monitor.withLock { $0.wakes[ObjectIdentifier(wake)] = wake }
    }

    func detach(_ wake: WakeSignal) {
        monitor.withLock { $0.wakes[ObjectIdentifier(wake)] = nil }
    }

    private func change(_ body: (inout State) -> Void) {
        let wakes = monitor.withLock { state in
            body(&state)
            return Array(state.wakes.values)
        }
        for wake in wakes { wake.raise() }
    }
}

/// A source with a drive that can be controlled.
public protocol PlayableSource: PositionSource {
    /// The source's controls.
    var control: PlaybackControl { get }
}

extension PlayableSource {
    /// The recording or drive itself reports its interruptions.
    public var tellsLosses: Bool { true }
    /// Its own control.
    public var playbackControls: [PlaybackControl] { [control] }
}
