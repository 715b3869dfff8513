import Waypost
import WaypostSystem

/// A simulated drive: along a given route, or one of the built-in ones.
///
/// ```swift
/// var options = RouteSimulator.Options()
/// options.speedMetresPerSecond = 14
/// let source = SimulatedRouteSource(corners: [home, office], options: options)
/// ```
/// Its positions count as fixes, as a receiver's would, so that fences, logs and dispatch can be tried with them; their `source` shows what
/// they are.
public struct SimulatedRouteSource: PlayableSource {
    /// The origin of the corners.
    enum Route: Sendable {
        case corners([Coordinate])
        case file(String)
        case builtIn(BuiltInRoute)
    }

    /// The URL: `route:PATH` or `sim:NAME`.
    public let name: String
    /// Its controls, which work while it runs.
    public let control: PlaybackControl
    private let route: Route
    private let options: RouteSimulator.Options
    private let playbackSpeed: Double

    /// Only alone, and without pauses: each run starts the drive again at its first corner.
    public var sharing: SourceSharing { .alone }

    /// A drive along these corners, once.
    ///
    /// - Parameters:
    ///   - corners: the route, at least two places.
    ///   - name: the source that positions carry.
    ///   - options: speed, interval, accuracy and noise.
    ///   - playbackSpeed: how many times as fast as the drive itself it is played, one of `ReplaySchedule/speeds`; 0 is as fast as the
    ///     listeners accept it.
    ///   - control: pauses the drive, and loses and finds the position.
    public init(
        corners: [Coordinate], name: String = "route:", options: RouteSimulator.Options = .init(), playbackSpeed: Double = 1,
        control: PlaybackControl = PlaybackControl()
    ) {
        self.init(route: .corners(corners), name: name, options: options, playbackSpeed: playbackSpeed, control: control)
    }

    /// A drive along the first route of a GPX file, or along its first track when it has no route.
    public init(
        path: String, options: RouteSimulator.Options = .init(), playbackSpeed: Double = 1, control: PlaybackControl = PlaybackControl()
    ) {
        self.init(route: .file(path), name: "route:\(path)", options: options, playbackSpeed: playbackSpeed, control: control)
    }

    /// A built-in drive, repeated until it is stopped.
    public init(
        _ builtIn: BuiltInRoute, noise: NoiseModel? = nil, playbackSpeed: Double = 1, control: PlaybackControl = PlaybackControl()
    ) {
        var options = RouteSimulator.Options()
        if builtIn.speedMetresPerSecond > 0 { options.speedMetresPerSecond = builtIn.speedMetresPerSecond }
        options.noise = noise
        options.repeats = true
        self.init(
            route: .builtIn(builtIn), name: "sim:\(builtIn.rawValue)", options: options, playbackSpeed: playbackSpeed, control: control)
    }

    private init(route: Route, name: String, options: RouteSimulator.Options, playbackSpeed: Double, control: PlaybackControl) {
        self.route = route
        self.playbackSpeed = playbackSpeed
        self.name = name
        self.options = options
        self.control = control
    }

    /// Delivers one position per interval, and `finished` at the end of a route that ends.
    ///
    /// - Errors: there is no route; a speed or the interval is out of its range.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        try await EventQueue.run(threadName: "route", whenFull: .waits, output: output) {
            (queue, stop) throws(PositionSourceError) in
            if let problem = options.problem ?? ReplaySchedule.problem(speed: playbackSpeed, interval: options.interval) {
                throw .unusable(path: name, reason: problem)
            }
            let simulator = try simulator()
            guard let simulator else { return reportNoFix(queue, stop) }
            let playback = PlaybackOptions(name: name, speed: playbackSpeed, interval: options.interval)
            var player = try Playback(options: playback, control: control, queue: queue, stop: stop)
            try player.playAll { () throws(PositionSourceError) in
                RouteFeed(simulator: simulator, interval: options.interval)
            }
        }
    }

    /// The drive; nil for a receiver without a fix.
    private func simulator() throws(PositionSourceError) -> RouteSimulator? {
        let corners: [Coordinate]
        switch route {
        case .builtIn(.none): return nil
        case .builtIn(let builtIn): corners = builtIn.corners
        case .corners(let given): corners = given
        case .file(let path): corners = try RouteFile.corners(path: path)
        }
        guard let simulator = RouteSimulator(route: corners, options: options) else {
            throw .unusable(path: name, reason: "holds no point of a route")
        }
        return simulator
    }

    private func reportNoFix(_ queue: EventQueue, _ stop: WakeSignal) {
        repeat {
            let time = UTCTime(millisecondsSince1970: WallClock.milliseconds)
            guard queue.send(.noFix(NoFix(time: time, source: name))) else { return }
        } while stop.sleep(milliseconds: options.interval.milliseconds)
    }
}

/// The steps of a simulated drive.
private struct RouteFeed: PlaybackFeed, ~Copyable {
    private var simulator: RouteSimulator
    /// The drive before the last returned step: the playback may stand still before it delivers that step.
    private var held: RouteSimulator
    private let intervalMilliseconds: Int64
    private var clock: Int64 = 0

    var warnings: [String] { [] }

    init(simulator: RouteSimulator, interval: Duration) {
        self.simulator = simulator
        held = simulator
        held.isStationary = true
        intervalMilliseconds = interval.milliseconds
    }

    mutating func next() -> ReplaySchedule.Step? {
        held = simulator
        held.isStationary = true
        guard let position = simulator.next() else { return nil }
        defer { clock += intervalMilliseconds }
        return .position(position, atMilliseconds: clock, recordedTime: nil)
    }

    mutating func heldPosition() -> Position? {
        held.next()
    }
}
