import Waypost
import WaypostSystem

/// A recording played as if it happened now: at a desk, for tests, to see what a track would have done.
///
/// ```swift
/// let source = ReplaySource(path: "drive.gpx", format: .gpx, options: .init(style: .interpolated, speed: 10))
/// let manager = PositioningManager(source: source)
/// await manager.start()
/// source.control.isPositionLost = true     // into the tunnel
/// ```
/// The rules for times that are missing, go back or leave a gap are those of `ReplaySchedule`.
/// - Errors: the file cannot be opened or read, or holds no position; the speed or the interval is out of its range.
public struct ReplaySource: PlayableSource {
    /// How a recording is played.
    public struct Options: Sendable, Hashable {
        /// How its points become positions.
        public var style: ReplaySchedule.Style
        /// The time between positions in the styles that have one, one of `ReplaySchedule/intervals`.
        public var interval: Duration
        /// How many times faster than its own times, one of `ReplaySchedule/speeds`; 0 is as fast as the listeners accept it.
        public var speed: Double
        /// Whether its times are moved so that it begins now; they then grow by its own time, at any playback speed.
        public var rebasesTimes: Bool

        /// A replay like the drive itself, starting now.
        public init(
            style: ReplaySchedule.Style = .actual, interval: Duration = .seconds(1), speed: Double = 1, rebasesTimes: Bool = true
        ) {
            self.style = style
            self.interval = interval
            self.speed = speed
            self.rebasesTimes = rebasesTimes
        }
    }

    /// The URL: `gpx:PATH`, `nmea:PATH` and so on.
    public let name: String
    /// The file.
    public let path: String
    /// The format of the file.
    public let format: RecordingFormat
    /// How it is played.
    public var options: Options { shared.value }
    /// Its controls, which work while it runs.
    public let control: PlaybackControl
    private let shared: SharedOptions<Options>

    /// Only alone, and without pauses: each run plays the recording from its start.
    public var sharing: SourceSharing { .alone }

    /// A replay of the given file.
    public init(path: String, format: RecordingFormat, options: Options = Options(), control: PlaybackControl = PlaybackControl()) {
        self.path = path
        self.format = format
        shared = SharedOptions(options)
        self.control = control
        name = "\(format.rawValue):\(path)"
    }

    /// Plays in another style, with another interval or at another speed, from the next position on.
    ///
    /// It takes effect at once while the recording is played, and stays for later runs. The next position comes one new interval after the
    /// last, where the style has intervals. ``Options/rebasesTimes`` counts from the next run on. A speed set with
    /// ``PlaybackControl/setSpeed(_:)`` no longer counts.
    /// - At full speed the positions on their way to the consumers come first: no more than 128.
    /// - Parameter options: how it is played.
    /// - Errors: the speed or the interval is out of its range; it is played as before.
    public func change(to options: Options) throws(PlaybackError) {
        if let problem = ReplaySchedule.problem(speed: options.speed, interval: options.interval) { throw PlaybackError(reason: problem) }
        shared.value = options
        control.noteOptions(resetsSpeed: true)
    }

    /// Delivers the recording's positions and ends with `finished`.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        try await EventQueue.run(threadName: "replay", whenFull: .waits, output: output) {
            (queue, stop) throws(PositionSourceError) in
            let options = options
            if let problem = ReplaySchedule.problem(speed: options.speed, interval: options.interval) {
                throw .unusable(path: name, reason: problem)
            }
            var player = try Playback(control: control, queue: queue, stop: stop) { [name, shared] in
                let options = shared.value
                return PlaybackOptions(
                    name: name, speed: options.speed, rebasesTimes: options.rebasesTimes, interval: options.interval)
            }
            try player.playAll { () throws(PositionSourceError) in
                try RecordingFeed.open(path: path, format: format, options: shared, stop: stop)
            }
        }
    }
}
