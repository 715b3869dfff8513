import Waypost
import WaypostSystem

/// NMEA 0183 from a file, a FIFO or standard input.
///
/// A file is paced by its own times, and can be made stationary, put into a loss and reset while it is played; where its position was lost its own
/// rhythm says (`RecordingRhythm`). A FIFO and standard input deliver their positions as they come, until the writer closes; silence, bytes that
/// cannot be read and a fix that comes again and again are losses, as on a serial line.
/// - Errors: the file cannot be opened or read, or holds no NMEA at all.
public struct NMEAFileSource: PositionSource {
    /// The URL: `nmea:PATH`.
    public let name: String
    /// The file; `-` is standard input.
    public let path: String
    /// How many times faster than its own times it is played; 0 is as fast as the listeners accept it, nil is the default of the input.
    public let speed: Double?
    /// The controls of a file, used while it is played.
    public let control: PlaybackControl

    /// The control of a file; a FIFO or standard input cannot be played again.
    public var playbackControls: [PlaybackControl] { Syscalls.kind(path) == .regular ? [control] : [] }

    /// A file is a recording, whose rhythm need not be that of a receiver.
    public var tellsLosses: Bool { Syscalls.kind(path) == .regular }

    /// Data that has been read does not come again.
    public var sharing: SourceSharing { .alone }

    /// A pause of a live writer that ends an epoch; within one cycle receivers pause less.
    static let quietMilliseconds: Int64 = 150

    /// A source that reads the given file.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard input.
    ///   - speed: times as fast as recorded, 0 for as fast as possible; nil is 1 for a file, and 0 for a FIFO or standard input.
    ///   - control: the controls of a file.
    public init(path: String, speed: Double? = nil, control: PlaybackControl = PlaybackControl()) {
        self.path = path
        self.speed = speed
        self.control = control
        name = "nmea:\(path)"
    }

    /// Delivers the file's epochs and ends with `finished`.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        try await EventQueue.run(threadName: "nmea-file", whenFull: .waits, output: output) {
            (queue, stop) throws(PositionSourceError) in
            if let problem = ReplaySchedule.problem(speed: speed ?? 1, interval: .seconds(1)) {
                throw .unusable(path: name, reason: problem)
            }
            while true {
                let file = try NMEAFileReader.open(path)
                if !file.isRegular, (speed ?? 0) == 0 {
                    return try NMEAStreamReader(file, source: self, queue: queue, stop: stop).run()
                }
                guard try NMEAFileReader(file, source: self, queue: queue, stop: stop).run() == .reset else { return }
            }
        }
    }
}
