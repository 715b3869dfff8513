import Waypost
import WaypostSystem

/// The controls of a replay or a simulated drive, which work while it runs.
///
/// They belong to the source, not to a run: their settings stay when the source is started again. What is particular to one kind of source is
/// changed with ``ReplaySource/change(to:)`` and ``SimulatedRouteSource/change(to:)``.
/// - Concurrency: set them from anywhere; they take effect at once. At full speed the positions on their way to the consumers come first: no
///   more than 128.
public final class PlaybackControl: Sendable {
    struct State {
        var isStationary = false
        var isPositionLost = false
        var speed: Double?
        var resetCount = 0
        /// How often the source's options have changed.
        var changeCount = 0
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

    /// How many times as fast as its own times the drive is played from now on; nil for the speed of its source.
    public var speed: Double? { monitor.withLock { $0.speed } }

    /// Plays the drive at another speed from now on.
    ///
    /// - Parameter speed: how many times as fast as its own times, one of `ReplaySchedule/speeds`; 0 is as fast as the listeners accept it,
    ///   nil the speed of its source.
    /// - Errors: the speed is out of its range; it stays as it was.
    public func setSpeed(_ speed: Double?) throws(PlaybackError) {
        if let problem = ReplaySchedule.problem(speed: speed ?? 1, interval: .seconds(1)) { throw PlaybackError(reason: problem) }
        change { $0.speed = speed }
    }

    /// Plays with changed options of the source, at their speed.
    func noteOptions(resetsSpeed: Bool) {
        change { state in
            state.changeCount += 1
            if resetsSpeed { state.speed = nil }
        }
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

/// Why nothing can be played like that: a speed, an interval or another value is out of its range.
public struct PlaybackError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value, and its range, for people.
    public let reason: String

    /// One line for people.
    public var description: String { reason }
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
