import WaypostSystem

/// The switches of a replay or a simulated drive, thrown while it runs.
///
/// They are the source's, not a run's: what is on stays on when the source is started again.
/// - Concurrency: throw them from anywhere; they take effect at once.
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

    /// Holds the position: the positions go on, the progress does not.
    public var isStationary: Bool {
        get { monitor.withLock { $0.isStationary } }
        set { change { $0.isStationary = newValue } }
    }

    /// Reports that there is no position, while the progress goes on.
    public var isPositionLost: Bool {
        get { monitor.withLock { $0.isPositionLost } }
        set { change { $0.isPositionLost = newValue } }
    }

    /// Begins again at the start.
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

/// A source whose drive somebody can steer.
public protocol PlayableSource: PositionSource {
    /// The source's switches.
    var control: PlaybackControl { get }
}

extension PlayableSource {
    /// What it plays says where it is interrupted.
    public var tellsLosses: Bool { true }
    /// Its own.
    public var playbackControls: [PlaybackControl] { [control] }
}
