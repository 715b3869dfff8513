import Waypost
import WaypostSystem

/// NMEA 0183 from a file, a FIFO or standard input.
///
/// A file is paced by its own times; a FIFO and standard input give their positions as they come, until the writer closes.
/// - Errors: the file cannot be opened or read, or holds no NMEA at all.
public struct NMEAFileSource: PositionSource {
    /// The URL: `nmea:PATH`.
    public let name: String
    /// The file; `-` is standard input.
    public let path: String
    /// How many times faster than its own times it is played; 0 is as fast as the listeners take it, nil what suits the input.
    public let speed: Double?

    /// What has been read does not come again.
    public var sharing: SourceSharing { .alone }

    /// A pause of a live writer that ends an epoch; within one cycle receivers pause less.
    static let quietMilliseconds: Int64 = 150

    /// A source that reads that file.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard input.
    ///   - speed: times as fast as recorded, 0 for at once; nil is 1 for a file, and 0 for a FIFO or standard input.
    public init(path: String, speed: Double? = nil) {
        precondition(speed.map(ReplaySchedule.canPlay) != false, "speed is 0 or from 0.001 to 1000000")
        self.path = path
        self.speed = speed
        name = "nmea:\(path)"
    }

    /// Delivers the file's epochs and ends with `finished`.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        try await EventHandoff.run(threadName: "nmea-file", whenFull: .waits, output: output) {
            (handoff, cancellation) throws(PositionSourceError) in
            try NMEAFileReader(source: self, handoff: handoff, cancellation: cancellation).run()
        }
    }
}

/// The thread's side of one run of an ``NMEAFileSource``.
private struct NMEAFileReader: ~Copyable {
    private let source: NMEAFileSource
    private let handoff: EventHandoff
    private let cancellation: ThreadCancellation
    private let descriptor: Int32
    private let isRegular: Bool
    private var decoder: NMEADecoder
    private var pace: ReplayPace

    init(source: NMEAFileSource, handoff: EventHandoff, cancellation: ThreadCancellation) throws(PositionSourceError) {
        self.source = source
        self.handoff = handoff
        self.cancellation = cancellation
        do throws(SystemError) {
            if Syscalls.isFolder(source.path) { throw SystemError.isFolder(source.path) }
            descriptor = source.path == "-" ? Syscalls.standardInput : try Syscalls.openForReading(source.path)
        } catch {
            throw .cannotOpen(path: source.path, reason: error.reason)
        }
        isRegular = Syscalls.isRegularFile(descriptor)
        var options = NMEADecoder.Options()
        options.deliversSky = true
        options.endsEpochAtLearnedSentence = !isRegular
        decoder = NMEADecoder(options: options)
        pace = ReplayPace(speed: source.speed ?? (isRegular ? 1 : 0))
    }

    deinit {
        if descriptor != Syscalls.standardInput { Syscalls.close(descriptor) }
    }

    consuming func run() throws(PositionSourceError) {
        var events: [NMEAEvent] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch isRegular ? .ready : cancellation.wait(forReading: descriptor, timeoutMilliseconds: NMEAFileSource.quietMilliseconds) {
            case .cancelled: return
            case .timedOut:
                decoder.endEpoch(into: &events)
                guard deliver(&events) else { return }
                if cancellation.wait(forReading: descriptor, timeoutMilliseconds: nil) == .cancelled { return }
            case .ready: break
            }
            let count: Int
            do throws(SystemError) {
                count = try Syscalls.readAvailable(descriptor, into: &buffer)
            } catch {
                throw .cannotRead(path: source.path, reason: error.reason)
            }
            if count < 0 { continue }
            if count == 0 { break }
            decoder.decode(buffer.span.extracting(0..<count), into: &events)
            guard deliver(&events) else { return }
        }
        decoder.finish(into: &events)
        guard deliver(&events) else { return }
        guard decoder.counters.sentences > 0 else {
            throw .unusable(path: source.path, reason: "holds no NMEA sentence in \(counted(decoder.counters.lines, "line"))")
        }
        for line in decoder.counters.summary { handoff.send(.status(.warning(line))) }
        handoff.send(.finished)
    }

    /// Sends events at their time; false when nobody wants them any more.
    private mutating func deliver(_ events: inout [NMEAEvent]) -> Bool {
        defer { events.removeAll(keepingCapacity: true) }
        for event in events {
            switch event {
            case .sky(var view):
                view.source = source.name
                guard handoff.send(.sky(view)) else { return false }
            case .epoch(let epoch):
                let wait = pace.waitMilliseconds(until: epoch)
                if wait > 0, !cancellation.sleep(milliseconds: wait) { return false }
                if var position = epoch.position {
                    position.source = source.name
                    guard handoff.send(.position(position)) else { return false }
                } else {
                    guard handoff.send(.noFix(NoFix(time: epoch.time, source: source.name))) else { return false }
                }
            }
        }
        return !cancellation.isCancelled
    }
}

/// When the epochs of a recording are due.
struct ReplayPace {
    /// A step in the recording's times that is no pause but a new start: an hour, or any step back.
    static let longestPauseMilliseconds: Int64 = 3_600_000

    private let speed: Double
    private var start: (recorded: Int64, monotonic: Int64)?
    private var last: Int64 = 0

    /// - Parameter speed: times as fast as recorded; 0 never waits.
    init(speed: Double) {
        self.speed = speed
    }

    /// How long to wait before the epoch is due, in milliseconds.
    mutating func waitMilliseconds(until epoch: NMEAEpoch, now: Int64 = MonotonicClock.milliseconds) -> Int64 {
        guard speed > 0, let recorded = epoch.time?.millisecondsSince1970 ?? epoch.millisecondOfDay.map(Int64.init) else { return 0 }
        defer { last = recorded }
        guard let start, recorded >= last, recorded - last <= ReplayPace.longestPauseMilliseconds else {
            start = (recorded, now)
            return 0
        }
        return max(0, start.monotonic + Int64(Double(recorded - start.recorded) / speed) - now)
    }
}
