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
    /// How it drives.
    public var options: RouteSimulator.Options { shared.value }
    private let route: Route
    private let shared: SharedOptions<RouteSimulator.Options>
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
        shared = SharedOptions(options)
        self.control = control
    }

    /// Drives at another speed, with another interval, accuracy or noise, from the next position on.
    ///
    /// It takes effect at once while the drive is played, and stays for later runs: the next position comes one new interval after the last,
    /// and as far away as the new speed carries. Whether the route repeats counts from the next run on. How fast the drive is *played* is
    /// changed with ``PlaybackControl/setSpeed(_:)``.
    /// - At full speed the positions on their way to the consumers come first: no more than 128.
    /// - Parameter options: how it drives.
    /// - Errors: one of the options is out of its range; it drives as before.
    public func change(to options: RouteSimulator.Options) throws(PlaybackError) {
        if let problem = options.problem { throw PlaybackError(reason: problem) }
        shared.value = options
        control.noteOptions(resetsSpeed: false)
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
            let corners = try corners()
            if corners.isEmpty { return reportNoFix(queue, stop) }
            var player = try Playback(control: control, queue: queue, stop: stop) { [name, playbackSpeed, shared] in
                PlaybackOptions(name: name, speed: playbackSpeed, interval: shared.value.interval)
            }
            try player.playAll { () throws(PositionSourceError) in
                guard let simulator = RouteSimulator(route: corners, options: options) else {
                    throw .unusable(path: name, reason: "holds no point of a route")
                }
                return RouteFeed(simulator: simulator, options: shared)
            }
        }
    }

    /// The route; empty for a receiver without a fix.
    private func corners() throws(PositionSourceError) -> [Coordinate] {
        switch route {
        case .builtIn(let builtIn): return builtIn == .none ? [] : builtIn.corners
        case .corners(let corners):
            if Set(corners).count < 2 { throw .unusable(path: name, reason: "a drive has two places at least") }
            return corners
        case .file(let path): return try RouteFile.corners(path: path)
        }
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
    private let options: SharedOptions<RouteSimulator.Options>
    private var intervalMilliseconds: Int64
    /// The moment of the last step that was returned; negative before the first.
    private var clock: Int64

    var warnings: [String] { [] }

    init(simulator: RouteSimulator, options: SharedOptions<RouteSimulator.Options>) {
        self.simulator = simulator
        self.options = options
        held = simulator
        held.isStationary = true
        intervalMilliseconds = simulator.options.interval.milliseconds
        clock = -intervalMilliseconds
    }

    mutating func next() -> ReplaySchedule.Step? {
        held = simulator
        held.isStationary = true
        guard let position = simulator.next() else { return nil }
        clock += intervalMilliseconds
        return .position(position, atMilliseconds: clock, recordedTime: nil)
    }

    mutating func change(takingBack step: ReplaySchedule.Step) -> ReplaySchedule.Step? {
        simulator = held
        simulator.isStationary = false
        simulator.change(to: options.value)
        clock -= intervalMilliseconds
        intervalMilliseconds = simulator.options.interval.milliseconds
        if clock < 0 { clock = -intervalMilliseconds }
        return next()
    }

    mutating func heldPosition() -> Position? {
        held.next()
    }
}
